import { shortenHash } from "../../base/text/short-hash.ts";
import type { Decision } from "../../protocol/decision.ts";
import type { KnownError } from "../../protocol/fix.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import { formatSnippet } from "../../protocol/reading/statements.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import { labelSuperseded, labelSupersedes } from "../decisions/words.ts";
import { noFix, wordSeen, wordStands } from "../fix/words.ts";
import type { WorkingCommand } from "../how/operation.ts";
import { wordCounts } from "../how/words.ts";
import { chooseExcerpt, describeCommitFate } from "../search/found-words.ts";
import type { RecallClaim } from "./operation.ts";

/** What other operations answer, as claims. */

export function toDecisionClaim(decision: Decision): RecallClaim {
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
      ...(superseded_by === null ? [] : [`${labelSuperseded(decision).toLowerCase()} “${superseded_by}”`]),
      ...supersedes.slice(0, 1).map((earlier) => `${labelSupersedes(decision).toLowerCase()} “${earlier}”`),
    ],
    id: session_id === null ? place : formatTurnPlace(session_id, turn),
  };
}

export function toCommandClaim(command: WorkingCommand): RecallClaim {
  const { line, directory, last_at, session_id, author, turn, failed_before, agent } = command;
  const [before] = failed_before;
  return {
    kind: "ran",
    text: directory === "" ? line : `cd ${directory} && ${line}`,
    outcome: before === undefined ? null : `failed first: ${before.line}: ${before.error.split("\n")[0]}`,
    by: author ?? agent,
    at: last_at,
    standing: [wordCounts(command)],
    id: formatTurnPlace(session_id, turn),
  };
}

const maxEditChars = 220;

export function toErrorClaim(known: KnownError): RecallClaim {
  const { error, last_at, session_id, author, turn, fix } = known;
  const changed = (fix?.edits ?? []).slice(0, 2).map(({ path, diff }) => `${path} ${pickEssence(diff)}`);
  const ran = fix !== null && fix.edits.length === 0 ? `ran ${fix.commands.slice(-2).join(", then ")}` : "";
  return {
    // An error without a fix was only met.
    kind: fix === null ? "met" : "fixed",
    text: error.split("\n")[0] ?? "",
    outcome: fix === null ? noFix : [...changed, ran].filter((part) => part !== "").join("; "),
    by: author ?? "agent",
    at: fix?.timestamp ?? last_at,
    standing: [
      wordSeen(known),
      ...(fix?.commit ? [`commit ${shortenHash(fix.commit.hash)}`] : []),
      ...(fix === null ? [] : [wordStands(fix)]).filter((said) => said !== null),
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

type SessionHit = TranscriptSearchResponse["results"][number];

/** What became of the work of a turn that a search found. */
export function describeStanding({ rejected, abandoned, commits, freshness }: SessionHit): string[] {
  const [commit] = commits;
  return [
    ...(rejected === null ? [] : [`rejected later: ${rejected}`]),
    ...(abandoned ? ["the user went back from it"] : []),
    ...(commit === undefined
      ? []
      : [[`commit ${shortenHash(commit.commit)}`, ...describeCommitFate(commit).slice(0, 2)].join(", ")]),
    ...(freshness === "orphaned" ? ["its files are gone"] : []),
  ];
}

export const isTakenBack = ({ rejected, abandoned, commits }: SessionHit): boolean =>
  rejected !== null || abandoned || commits.some(({ reverted_by }) => reverted_by !== null);

/** A passage that a search found: what was noted there, or the text around what matches. */
export function toFoundClaim(found: SessionHit): RecallClaim {
  const { annotation, note_by, session_id, turn, last_turn, agent, author = null, timestamp } = found;
  const isNote = annotation !== null;
  return {
    kind: isNote ? "noted" : isTakenBack(found) ? "tried" : "said",
    text: isNote ? annotation : formatSnippet(chooseExcerpt(found)),
    outcome: null,
    by: author ?? (note_by === "person" ? "user" : agent),
    at: timestamp,
    standing: [...describeStanding(found), ...(found.branch === null ? [] : [found.branch])],
    id: formatTurnPlace(session_id, last_turn === 0 ? null : Math.max(turn, 1)),
  };
}
