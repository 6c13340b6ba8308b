import { toInertText } from "../../base/text/markdown/inert.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import {
  fitToWidth,
  formatCount,
  formatExactWhen,
  formatHeading,
  formatLocalTime,
  shortenId,
  toHomeRelative,
  toOneLine,
  wrapWithIndent,
} from "../../terminal/text.ts";
import { formatKnownShare } from "../blame/author-words.ts";
import { labelDecision } from "../search/found-words.ts";
import { callNoted } from "../sessions/call-noted.ts";
import { describeOpenEnd, isRunning } from "../sessions/session-words.ts";
import type { DigestAnswer, DigestPart, DigestSession } from "./operation.ts";
import { digestEverywhere, type digestEverywhereRequest, type digestRequest, sumUp } from "./operation.ts";

/** A digest as it is read: titles with items, for a terminal and for Markdown alike. Its texts are as stored. */
interface Outline {
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

interface Item {
  /** Of a session or commit. */
  id: string | null;
  title: string;
  facts: string[];
  /** Below it, each in a line. */
  lines: { mark: "asked" | "outcome"; text: string }[];
}

const plainItem = { id: null, facts: [], lines: [] };

export function buildOutline(part: DigestPart, by: "branch" | "project" | undefined): Outline {
  const { sessions, commits, decisions, tokens, topics, authors } = part;
  const title = by === "project" ? toHomeRelative(part.name ?? "") : (part.name ?? "no branch");
  const sections: Section[] = [
    { title: "About", items: toFacetItems(topics), more: 0 },
    // Whose they are says something where colleagues share theirs.
    { title: "By", items: authors.some(({ value }) => value !== "") ? toFacetItems(authors) : [], more: 0 },
    {
      title: "Sessions",
      items: sessions.map((session) => toSessionItem(session, by === "branch")),
      more: part.sessions_total - sessions.length,
    },
    {
      title: "Committed",
      items: commits.map(({ commit, subject, insertions, deletions, lines }) => ({
        id: commit.slice(0, 8),
        title: subject,
        lines: [],
        facts: [`+${insertions} −${deletions}`, formatAgentShare(lines)].filter((fact) => fact !== ""),
      })),
      more: part.commits_total - commits.length,
    },
    {
      title: "Decided",
      items: decisions.map((decision) => ({
        ...plainItem,
        title: decision.text,
        facts: [
          labelDecision(decision, "person") ?? "",
          decision.superseded_by === null ? "" : "superseded",
        ].filter((fact) => fact !== ""),
      })),
      more: part.decisions_total - decisions.length,
    },
    {
      title: "Unfinished",
      items: part.unfinished.map(toUnfinishedItem),
      more: part.unfinished_total - part.unfinished.length,
    },
    {
      title: "Tokens",
      items: tokens.map(({ model, input, output, cache_read, cache_write }) => ({
        ...plainItem,
        title: model,
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
const toFacetItems = (facet: DigestPart["topics"]): Item[] =>
  facet.length === 0
    ? []
    : [
        {
          ...plainItem,
          title: facet.map(({ value, sessions }) => `${value || "you"} (${sessions})`).join(", "),
        },
      ];

function toSessionItem(session: DigestSession, isOfBranch: boolean): Item {
  const { id, title, agent, author, branch, prompts, asked, outcome, files } = session;
  const more = prompts - asked.length;
  return {
    id: shortenId(id),
    title: title ?? "(no title)",
    facts: [
      agent,
      ...(author == null ? [] : [author]),
      ...(isOfBranch || branch === null ? [] : [branch]),
      formatCount(prompts, "prompt"),
      ...(files.length === 0 ? [] : [formatCount(files.length, "file")]),
      ...(isRunning(session) ? ["running"] : []),
    ],
    lines: [
      // What a session was called after says nothing twice.
      ...asked
        .filter((text) => !isSameAsTitle(text, title))
        .map((text) => ({ mark: "asked" as const, text })),
      ...(more > 0 ? [{ mark: "asked" as const, text: `and ${formatCount(more, "prompt")} more` }] : []),
      ...(outcome === "" ? [] : [{ mark: "outcome" as const, text: outcome }]),
    ],
  };
}

/** A long title is mostly a prompt's beginning, or that of the plan in it. */
const isSameAsTitle = (text: string, title: string | null) =>
  title !== null &&
  title.length >= minSharedChars &&
  text.toLowerCase().includes(title.slice(0, minSharedChars).toLowerCase());

/** Characters that two texts do not share by chance. */
const minSharedChars = 30;

function toUnfinishedItem(session: DigestSession): Item {
  const { id, title, open } = session;
  const end = describeOpenEnd(session);
  return {
    id: shortenId(id),
    title: title ?? "(no title)",
    facts: end === null ? [] : [end],
    lines: open === "" ? [] : [{ mark: "outcome", text: open }],
  };
}

function formatAgentShare(lines: DigestPart["commits"][number]["lines"]): string {
  const share = { ...lines, lines: lines.agent + lines.human + lines.unknown, before_agents: 0 };
  return lines.agent === 0 ? "" : `${formatKnownShare(share, "agent")} by agents`;
}

const compact = (count: number) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);

/** A digest for a person at a terminal. */
export function renderDigest(answer: DigestAnswer, parts: readonly Outline[], screen: Screen): string {
  const { colors } = screen;
  const since = formatExactWhen(answer.since, screen);
  if (parts.length === 0) return `Nothing recorded since ${since}.`;
  const head = [
    colors.bold(`Since ${since}`),
    ...(answer.until === null ? [] : [`until ${formatLocalTime(answer.until)}`]),
  ].join(" ");
  return [
    `${head}: ${formatTotals(answer)}`,
    ...parts.flatMap(({ title, sections }) => [
      ...(title === null ? [] : [formatHeading(toOneLine(title), colors)]),
      ...sections.map(({ title: name, items, more }) =>
        [
          colors.bold(name),
          ...items.flatMap((item) => renderItem(item, screen)),
          ...(more > 0 ? [colors.dim(`  and ${more.toLocaleString("en")} more`)] : []),
        ].join("\n"),
      ),
    ]),
  ].join("\n\n");
}

function renderItem({ id, title, facts, lines }: Item, screen: Screen): string[] {
  const { colors } = screen;
  const start = id === null ? "  " : `  ${colors.id(id)}  `;
  const about = facts.length === 0 ? "" : `  ${colors.dim(toOneLine(facts.join(", ")))}`;
  const indent = id === null ? 4 : 4 + id.length;
  return [
    ...wrapWithIndent(`${start}${toOneLine(title)}${about}`, screen, indent),
    ...lines.map(({ mark, text }) => {
      const line = fitToWidth(text, (screen.columns ?? 0) - indent - 2, screen);
      return `${" ".repeat(indent)}${mark === "asked" ? colors.dim(`> ${line}`) : `→ ${line}`}`;
    }),
  ];
}

/**
 * A digest to paste. What people and agents wrote stands in it as text: it can neither format anything, nor mention
 * anybody, nor link anywhere.
 */
export function formatDigestMarkdown(answer: DigestAnswer, parts: readonly Outline[]): string {
  const since = formatLocalTime(answer.since);
  if (parts.length === 0) return `Nothing recorded since ${since}.`;
  const until = answer.until === null ? "" : ` until ${formatLocalTime(answer.until)}`;
  return [
    `Since ${since}${until}: ${formatTotals(answer)}`,
    ...parts.flatMap(({ title, sections }) => [
      ...(title === null ? [] : [`## ${toInertText(title)}`]),
      ...sections.flatMap(({ title: name, items, more }) => [
        `${title === null ? "##" : "###"} ${name}`,
        [
          ...items.map(formatItemMarkdown),
          ...(more > 0 ? [`- and ${more.toLocaleString("en")} more`] : []),
        ].join("\n"),
      ]),
    ]),
  ].join("\n\n");
}

function formatItemMarkdown({ id, title, facts, lines }: Item): string {
  const about = [...(id === null ? [] : [id]), ...facts].map((fact) => toInertText(fact)).join(", ");
  return [
    `- ${id === null ? toInertText(title, 400) : `**${toInertText(title)}**`}${about === "" ? "" : ` (${about})`}`,
    ...lines.map(
      ({ mark, text }) => `  - ${mark === "asked" ? `*${toInertText(text)}*` : toInertText(text, 400)}`,
    ),
  ].join("\n");
}

/** "196 of 390 commits, those with a session". */
const commitsSaid = (led: number, all: number | undefined): string =>
  all === undefined || all <= led
    ? formatCount(led, "commit")
    : `${led.toLocaleString("en")} of ${formatCount(all, "commit")} (those with a session)`;

function formatTotals({ parts, commits_in_history }: DigestAnswer): string {
  const sum = (of: (part: DigestAnswer["parts"][number]) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  return `${[
    formatCount(
      sum(({ sessions_total }) => sessions_total),
      "session",
    ),
    commitsSaid(
      sum(({ commits_total }) => commits_total),
      commits_in_history,
    ),
    formatCount(
      sum(({ decisions_total }) => decisions_total),
      "decision",
    ),
  ].join(", ")}.`;
}

interface Options extends Omit<Shaped<typeof digestRequest>, "by"> {
  by?: "branch" | "project";
  format: "text" | "markdown";
}

/** `pm digest` */
export async function digestCommand(
  { cwd, output }: CommandContext,
  { by, format, ...request }: Options,
): Promise<void> {
  const answer =
    by === "project"
      ? await digestAllProjects(cwd, request, output)
      : await callNoted(sumUp, { ...request, by }, await findProject(cwd), output);
  const parts = answer.parts
    .map((part) => buildOutline(part, by))
    .filter(({ sections }) => sections.length > 0);
  output.result(answer, () =>
    format === "markdown" ? formatDigestMarkdown(answer, parts) : renderDigest(answer, parts, output),
  );
}

async function digestAllProjects(
  cwd: string,
  request: Shaped<typeof digestEverywhereRequest>,
  output: CommandContext["output"],
) {
  const { noteLeftOut } = await import("../search/pm/across.ts");
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(digestEverywhere, { ...request, here }, null);
  noteLeftOut(answer, output);
  return answer;
}
