import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { asText } from "../../base/text/markdown/inert.ts";
import { relativeTime } from "../../base/text/relative-time.ts";
import { call } from "../../client/call.ts";
import { labelDecision } from "../../features/search/found-words.ts";
import { showSession } from "../../features/sessions/operation.ts";
import type { NearDecision, Origin, WhyAnswer } from "../../features/why/operation.ts";
import { commitsNamed } from "../../git/history/history.ts";
import { lineEvidence } from "../../protocol/reading/evidence.ts";

const longest = { prompt: 300, decision: 240, subject: 100 } as const;
const shown = { others: 2, decisions: 2 } as const;

/** Only what a reader should know: that a commit stands as it is goes without saying. */
const states: Readonly<Record<WhyAnswer["freshness"]["state"], string | null>> = {
  stands: null,
  reconsidered: "A later decision concerns these lines.",
  reverted: "Its commit was reverted.",
  elsewhere: "Its commit is only on other branches.",
  gone: "Its commit is no longer in this repository.",
  uncommitted: null,
  unknown: null,
};

/**
 * Why lines are as they are, for an editor: Markdown in which past text formats and links nothing.
 * @param pageOf the web page of a commit; null: it has none
 */
export function whyAsMarkdown(
  { origins, decisions, freshness }: WhyAnswer,
  pageOf: (hash: string) => string | null,
): string {
  const [first, ...others] = origins;
  if (first === undefined) return "";
  const later = freshness.later_decisions;
  const about = [...later, ...decisions.filter((one) => !later.some(({ text }) => text === one.text))];
  return [
    originAsMarkdown(first, pageOf),
    ...others
      .slice(0, shown.others)
      .map((origin) => `Also: ${writerOf(origin)}, ${commitOf(origin, pageOf)}`),
    ...[states[freshness.state]].filter((state) => state !== null),
    ...about.slice(0, shown.decisions).map(decisionAsMarkdown),
  ].join("\n\n");
}

function originAsMarkdown(origin: Origin, pageOf: (hash: string) => string | null): string {
  const { written_by, turn } = origin;
  const title = written_by.session_title;
  const session = [
    title === null ? "" : `"${asText(title)}"`,
    written_by.turn === null ? "" : `turn ${written_by.turn}`,
  ].filter((part) => part !== "");
  return [
    `**${writerOf(origin)}**${evidenceOf(origin)}${session.length === 0 ? "" : ` in ${session.join(", ")}`}`,
    ...(turn === null ? [] : [`> ${asText(turn.prompt, longest.prompt)}`]),
    commitOf(origin, pageOf),
  ].join("\n\n");
}

/** "claude wrote this", "Ann wrote this", "Unknown writer": without a claim that nobody can make. */
function writerOf({ written_by, commit }: Origin): string {
  const { author, agent, model } = written_by;
  const person = commit === null ? null : asText(commit.person);
  if (author === "agent") return `${asText(agent ?? model ?? "An agent")} wrote this`;
  if (author === "human") return `${person ?? "A person"} wrote this`;
  if (author === "before_agents")
    return person === null ? "Before agents" : `Before agents; committed by ${person}`;
  return person === null ? "Unknown writer" : `Unknown writer, committed by ${person}`;
}

function evidenceOf({ written_by }: Origin): string {
  const evidence = written_by.author === "agent" ? lineEvidence(written_by) : "";
  return evidence === "" || written_by.confidence >= 0.9 ? "" : ` (${evidence})`;
}

function commitOf({ commit }: Origin, pageOf: (hash: string) => string | null): string {
  if (commit === null) return "Not committed yet.";
  const name = `\`${commit.hash.slice(0, 8)}\``;
  const page = pageOf(commit.hash);
  const when = commit.authored_at === null ? "" : `, ${relativeTime(Date.parse(commit.authored_at))}`;
  return `${page === null ? name : `[${name}](${page})`} ${asText(commit.subject, longest.subject)}${when}`;
}

function decisionAsMarkdown(decision: NearDecision): string {
  const { text, superseded_by } = decision;
  const said = `${labelDecision(decision, "person") ?? "Decided:"} ${asText(text, longest.decision)}`;
  return superseded_by === null ? said : `${said} (superseded: ${asText(superseded_by, longest.decision)})`;
}

/** A commit or a session that a text names. */
interface NamedThing {
  /** Of the text, from 0. */
  start: number;
  end: number;
  kind: "commit" | "session";
  /** In full. */
  id: string;
}

/** As git abbreviates hashes; digits alone are a number. */
const hashes = /(?<![\w-])(?=\d*[a-f])[0-9a-f]{7,40}(?![\w-])/g;
const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const most = { commits: 200, sessions: 5 } as const;

/** What a text names that the project knows: what only looks like a hash or an id is left out. */
export async function namedIn(text: string, project: Project): Promise<NamedThing[]> {
  const words = [...text.matchAll(hashes)].slice(0, most.commits);
  const ids = [...text.matchAll(uuids)].slice(0, most.sessions);
  const [commits, sessions] = await Promise.all([
    words.length === 0 ? new Map() : commitsNamed(project.root, [...new Set(words.map(([word]) => word))]),
    sessionsAmong([...new Set(ids.map(([id]) => id))], project),
  ]);
  const place = (kind: NamedThing["kind"], { 0: word, index }: RegExpExecArray, id = word): NamedThing => {
    return { start: index, end: index + word.length, kind, id };
  };
  return [
    ...words.flatMap((match) => {
      const hash = commits.get(match[0]);
      return hash === undefined ? [] : [place("commit", match, hash)];
    }),
    ...ids.filter(([id]) => sessions.has(id)).map((match) => place("session", match)),
  ];
}

async function sessionsAmong(ids: readonly string[], project: Project): Promise<Set<string>> {
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return (await call(showSession, { id }, project)).session.id === id ? [id] : [];
      } catch (error) {
        if (error instanceof PommelError) return [];
        throw error;
      }
    }),
  );
  return new Set(found.flat());
}
