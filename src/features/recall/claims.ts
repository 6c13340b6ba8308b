import type { CommitFound, TranscriptSearchResponse } from "../../protocol/results.ts";
import { shortenSessionId } from "../../sessions/short-id.ts";
import type { Decision } from "../decisions/operation.ts";
import type { KnownError } from "../fix/operation.ts";
import type { WorkingCommand } from "../how/operation.ts";
import { formatCommitFate } from "../search/format-commit-fate.ts";
import { chooseExcerpt, formatSnippet } from "../search/found-words.ts";
import type { SessionSummary } from "../sessions/operation.ts";
import type { Claim } from "./operation.ts";

/** What other operations answer, as claims. */

export const formatTurnPlace = (session: string, turn: number | null): string =>
  turn === null || turn === 0 ? shortenSessionId(session) : `${shortenSessionId(session)}:${turn}`;

export function toDecisionClaim(decision: Decision): Claim {
  const { source, session_id, turn, timestamp, author, by, place, superseded_by, supersedes } = decision;
  const [question = "", ...choice] = decision.text.split(" → ");
  return {
    kind: source === "annotation" ? "noted" : "decided",
    text: question,
    // Of a question that was answered, the answer is what was decided.
    outcome: choice.length > 0 ? choice.join(" → ") : null,
    by: author ?? (by === "person" ? "user" : (by ?? "the repository")),
    at: timestamp,
    standing: [
      ...(superseded_by === null ? [] : [`replaced by “${superseded_by}”`]),
      ...supersedes.slice(0, 1).map((earlier) => `replaces “${earlier}”`),
    ],
    id: session_id === null ? place : formatTurnPlace(session_id, turn),
  };
}

export function toCommandClaim(command: WorkingCommand): Claim {
  const { line, form, directory, worked, failed, last_at, session_id, author, turn, failed_before, agent } =
    command;
  // The counts are of all lines of the form.
  const counted = form === "" || form === line ? "" : `${form} `;
  const [before] = failed_before;
  return {
    kind: "ran",
    text: directory === "" ? line : `cd ${directory} && ${line}`,
    outcome: before === undefined ? null : `failed first: ${before.line}: ${before.error.split("\n")[0]}`,
    by: author ?? agent,
    at: last_at,
    standing: [
      failed === 0
        ? `${counted}worked ${worked === 1 ? "once" : `${worked} times`}`
        : `${counted}worked ${worked} of ${worked + failed} times`,
    ],
    id: formatTurnPlace(session_id, turn),
  };
}

const maxEditChars = 220;

export function toErrorClaim({ error, times, last_at, session_id, author, turn, fix }: KnownError): Claim {
  const changed = (fix?.edits ?? []).slice(0, 2).map(({ path, diff }) => `${path} ${pickEssence(diff)}`);
  const ran = fix !== null && fix.edits.length === 0 ? `ran ${fix.commands.slice(-2).join(", then ")}` : "";
  return {
    kind: "fixed",
    text: error.split("\n")[0] ?? "",
    outcome: fix === null ? "no fix recorded" : [...changed, ran].filter((part) => part !== "").join("; "),
    by: author ?? "agent",
    at: fix?.timestamp ?? last_at,
    standing: [
      times === 1 ? "met once" : `met ${times} times`,
      ...(fix?.commit ? [`commit ${fix.commit.hash.slice(0, 7)}`] : []),
      ...(fix?.stands === false ? ["its lines are gone"] : fix?.stands ? ["still in the code"] : []),
    ],
    id: formatTurnPlace(fix?.session_id ?? session_id, fix?.turn ?? turn),
  };
}

/** The added lines of a diff that say most, in one line. */
function pickEssence(diff: string): string {
  const lines = diff.split("\n").map((line) => line.trimEnd());
  const added = lines.filter((line) => line.startsWith("+") && line.slice(1).trim().length > 3);
  return (added.length > 0 ? added : lines).slice(0, 3).join(" ").slice(0, maxEditChars);
}

type Found = TranscriptSearchResponse["results"][number];

/** What became of the work of a turn that a search found. */
export function describeStanding({ rejected, abandoned, commits, freshness }: Found): string[] {
  const [commit] = commits;
  return [
    ...(rejected === null ? [] : [`rejected later: ${rejected}`]),
    ...(abandoned ? ["the user went back from it"] : []),
    ...(commit === undefined
      ? []
      : [[`commit ${commit.commit.slice(0, 7)}`, ...formatCommitFate(commit).slice(0, 2)].join(", ")]),
    ...(freshness === "orphaned" ? ["its files are gone"] : []),
  ];
}

export const isTakenBack = ({ rejected, abandoned, commits }: Found): boolean =>
  rejected !== null || abandoned || commits.some(({ reverted_by }) => reverted_by !== null);

export function toCommitClaim({ id, title, author, timestamp, sessions, reverted_by }: CommitFound): Claim {
  const [session] = sessions;
  return {
    kind: "asked",
    text: title,
    outcome: null,
    by: author,
    at: timestamp,
    standing: [
      `commit ${id.slice(0, 8)}`,
      ...(reverted_by === null ? [] : [`reverted by ${reverted_by.slice(0, 8)}`]),
    ],
    id:
      session === undefined
        ? id.slice(0, 8)
        : formatTurnPlace(session.session_id, session.turns.at(-1) ?? null),
  };
}

/** A passage that a search found: what was noted there, or the text around what matches. */
export function toFoundClaim(found: Found): Claim {
  const { annotation, note_by, session_id, turn, last_turn, agent, author = null, timestamp, kind } = found;
  const isNote = annotation !== null;
  return {
    kind: isNote
      ? "noted"
      : isTakenBack(found)
        ? "tried"
        : kind === "decision"
          ? "decided"
          : kind === "error-fix"
            ? "fixed"
            : "said",
    text: isNote ? annotation : formatSnippet(chooseExcerpt(found)),
    outcome: null,
    by: author ?? (note_by === "person" ? "user" : agent),
    at: timestamp,
    standing: [...describeStanding(found), ...(found.branch === null ? [] : [found.branch])],
    id: formatTurnPlace(session_id, last_turn === 0 ? null : Math.max(turn, 1)),
  };
}

export function toSessionClaim(session: SessionSummary): Claim {
  const { id, title, agent, author, branch, last_at, turns, topics } = session;
  return {
    kind: "asked",
    text: title ?? (topics.join(", ") || "(no title)"),
    outcome: null,
    by: author ?? agent,
    at: last_at,
    standing: [branch ?? "", turns === 1 ? "1 turn" : `${turns} turns`].filter((part) => part !== ""),
    id: formatTurnPlace(id, null),
  };
}
