import { lineKey } from "../../attribution/lines/line-keys.ts";
import { isDistinctive } from "../../attribution/survival.ts";
import type { BlameRange, LineAuthor, Origin, OriginCommit } from "../../protocol/operations/blame.ts";
import { checkpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { commitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { entry } from "../blame/blame-summary.ts";
import { originTurn } from "./why-turn.ts";

/** Lines of one commit and one author, with their weight among others. */
export interface OriginGroup {
  /** In the file's order. */
  ranges: BlameRange[];
  weight: number;
}

/** An agent's line counts more: its origin has more to show. */
const weightOfAgent = 2;
/** What a blank line or a bracket counts. */
const weightOfTrivial = 0.01;

/**
 * The ranges grouped by origin: the most informative first, then the latest.
 * @param textOf a line's text; a line of unknown text counts as informative
 */
export function groupsOf(
  ranges: readonly BlameRange[],
  textOf: (line: number) => string | undefined = () => undefined,
): OriginGroup[] {
  const groups = new Map<string, OriginGroup>();
  for (const range of ranges) {
    const group = entry(groups, keyOf(range), () => ({ ranges: [], weight: 0 }));
    group.ranges.push(range);
    const each = range.author === "agent" && range.turn !== null ? weightOfAgent : 1;
    for (let line = range.first_line; line <= range.last_line; line++) {
      const text = textOf(line);
      const says = text === undefined || isDistinctive(lineKey(text));
      group.weight += each * (says ? 1 : weightOfTrivial);
    }
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight || timeOf(b) - timeOf(a));
}

const keyOf = ({ commit, author, session_id, turn }: BlameRange) =>
  JSON.stringify([commit, author, session_id, turn]);

/** Uncommitted lines are the latest. */
function timeOf({ ranges }: OriginGroup): number {
  const at = ranges[0]?.authored_at ?? null;
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

/** The longest range of a group; the first among equals. */
export function largestOf({ ranges }: OriginGroup): BlameRange {
  const length = ({ first_line, last_line }: BlameRange) => last_line - first_line;
  return ranges.reduce((a, b) => (length(b) > length(a) ? b : a));
}

/** Everything known about where lines come from. */
export function originOf(memory: Memory | null, { ranges }: OriginGroup): Origin {
  const range = ranges[0]!;
  const { session_id, turn, tool_use } = range;
  const hash = range.commit;
  return {
    lines: ranges.map(({ first_line, last_line }) => [first_line, last_line]),
    written_by: authorIn(range),
    commit: commitIn(memory, range),
    checkpoint_id: memory === null || hash === null ? null : (checkpointOfCommit(memory, hash)?.id ?? null),
    turn:
      memory === null || session_id === null || turn === null
        ? null
        : originTurn(memory, { session: session_id, turn, toolUse: tool_use }),
  };
}

/** Who wrote a range, without where it is. */
export function authorIn(range: BlameRange): LineAuthor {
  const {
    author,
    session_id,
    session_title,
    agent,
    model,
    turn,
    tool_use,
    confidence,
    how,
    basis,
    said_by,
    hint,
  } = range;
  return {
    author,
    session_id,
    session_title,
    agent,
    model,
    turn,
    tool_use,
    confidence,
    how,
    basis,
    said_by,
    hint,
  };
}

/** The commit of a range; null: none yet. */
export function commitIn(memory: Memory | null, range: BlameRange): OriginCommit | null {
  if (range.commit === null) return null;
  return {
    hash: range.commit,
    subject: range.subject ?? "",
    person: range.person ?? "",
    authored_at: range.authored_at,
    branch: memory === null ? null : (commitByHash(memory, range.commit)?.branch ?? null),
    is_boundary: range.is_boundary,
  };
}
