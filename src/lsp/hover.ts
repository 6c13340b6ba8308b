import type { NearDecision, Origin, WhyAnswer } from "../protocol/operations/blame.ts";
import { lineEvidence } from "../protocol/reading/line-evidence.ts";
import { noteLabel } from "../protocol/reading/note-label.ts";
import { asText } from "../text/markdown/inert.ts";
import { relativeTime } from "../text/relative-time.ts";

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
  const said = `${noteLabel(decision) ?? "Decided:"} ${asText(text, longest.decision)}`;
  return superseded_by === null ? said : `${said} (superseded: ${asText(superseded_by, longest.decision)})`;
}
