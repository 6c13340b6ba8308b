import type { DigestPart, DigestSession } from "../../../protocol/operations/stats.ts";
import { isRunning, openEndOf } from "../../../protocol/reading/running.ts";
import { counted, homeRelative, shortId } from "../../terminal/text.ts";
import { knownShare } from "../blame/author-text.ts";

/** A digest as it is read: titles with items, for a terminal and for Markdown alike. Its texts are as stored. */
export interface Outline {
  /** null: it is the only part. */
  title: string | null;
  sections: Section[];
}

interface Section {
  title: string;
  items: Item[];
  /** Items that are left out. */
  more: number;
}

export interface Item {
  /** Of a session or commit. */
  id: string | null;
  title: string;
  facts: string[];
  /** Below it, each in a line. */
  lines: { mark: "asked" | "outcome"; text: string }[];
}

const plainItem = { id: null, facts: [], lines: [] };

export function outlineOf(part: DigestPart, by: "branch" | "project" | undefined): Outline {
  const { sessions, commits, decisions, tokens, topics, authors } = part;
  const title = by === "project" ? homeRelative(part.name ?? "") : (part.name ?? "no branch");
  const sections: Section[] = [
    { title: "About", items: facetItems(topics), more: 0 },
    // Whose they are says something where colleagues share theirs.
    { title: "By", items: authors.some(({ value }) => value !== "") ? facetItems(authors) : [], more: 0 },
    {
      title: "Sessions",
      items: sessions.map((session) => sessionItem(session, by === "branch")),
      more: part.sessions_total - sessions.length,
    },
    {
      title: "Committed",
      items: commits.map(({ commit, subject, insertions, deletions, lines }) => ({
        ...{ id: commit.slice(0, 8), title: subject, lines: [] },
        facts: [`+${insertions} −${deletions}`, agentShare(lines)].filter((fact) => fact !== ""),
      })),
      more: part.commits_total - commits.length,
    },
    {
      title: "Decided",
      items: decisions.map(({ text, author, superseded_by }) => ({
        ...{ ...plainItem, title: text },
        facts: [...(author == null ? [] : [author]), ...(superseded_by === null ? [] : ["superseded"])],
      })),
      more: part.decisions_total - decisions.length,
    },
    {
      title: "Unfinished",
      items: part.unfinished.map(unfinishedItem),
      more: part.unfinished_total - part.unfinished.length,
    },
    {
      title: "Tokens",
      items: tokens.map(({ model, input, output, cache_read, cache_write }) => ({
        ...{ ...plainItem, title: model },
        facts: [
          `${compact(input + cache_write)} read`,
          `${compact(cache_read)} from the cache`,
          output === null ? "written: not recorded" : `${compact(output)} written`,
        ],
      })),
      more: 0,
    },
  ];
  return {
    title: by === undefined ? null : title,
    sections: sections.filter(({ items }) => items.length > 0),
  };
}

/** A line of all values, with their sessions. */
const facetItems = (facet: DigestPart["topics"]): Item[] =>
  facet.length === 0
    ? []
    : [
        {
          ...plainItem,
          title: facet.map(({ value, sessions }) => `${value || "you"} (${sessions})`).join(", "),
        },
      ];

function sessionItem(session: DigestSession, isOfBranch: boolean): Item {
  const { id, title, agent, author, branch, prompts, asked, outcome, files } = session;
  const more = prompts - asked.length;
  return {
    id: shortId(id),
    title: title ?? "(no title)",
    facts: [
      agent,
      ...(author == null ? [] : [author]),
      ...(isOfBranch || branch === null ? [] : [branch]),
      counted(prompts, "prompt"),
      ...(files.length === 0 ? [] : [counted(files.length, "file")]),
      ...(isRunning(session) ? ["running"] : []),
    ],
    lines: [
      // What a session was called after says nothing twice.
      ...asked.filter((text) => !saysTheSame(text, title)).map((text) => ({ mark: "asked" as const, text })),
      ...(more > 0 ? [{ mark: "asked" as const, text: `and ${counted(more, "prompt")} more` }] : []),
      ...(outcome === "" ? [] : [{ mark: "outcome" as const, text: outcome }]),
    ],
  };
}

/** A long title is mostly a prompt's beginning, or that of the plan in it. */
const saysTheSame = (text: string, title: string | null) =>
  title !== null &&
  title.length >= telling &&
  text.toLowerCase().includes(title.slice(0, telling).toLowerCase());

/** Characters that two texts do not share by chance. */
const telling = 30;

function unfinishedItem(session: DigestSession): Item {
  const { id, title, open } = session;
  const end = openEndOf(session);
  return {
    id: shortId(id),
    title: title ?? "(no title)",
    facts: end === null ? [] : [end],
    lines: open === "" ? [] : [{ mark: "outcome", text: open }],
  };
}

function agentShare(lines: DigestPart["commits"][number]["lines"]): string {
  const share = { ...lines, lines: lines.agent + lines.human + lines.unknown, before_agents: 0 };
  return lines.agent === 0 ? "" : `${knownShare(share, "agent")} by agents`;
}

const compact = (count: number) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
