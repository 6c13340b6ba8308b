import type { TranscriptEntry } from "../../agents/agent.ts";
import { computeLineKey } from "../../attribution/lines/line-keys.ts";
import { isDistinctive } from "../../attribution/survival.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { type LineAuthor, lineAuthor } from "../../protocol/line-author.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionById, findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import type { BlameRange } from "../blame/operation.ts";
import type { LineOrigin, OriginCommit, OriginTurn } from "./operation.ts";

/** Characters. */
const maxPromptLength = 4000;
const maxAnswerLength = 600;

/**
 * The prompt of a turn, and the agent's text around the tool call that wrote the lines.
 * @param toolUse the agent's id of the call; null: use its last message
 * @returns null if the turn is not stored
 */
function readOriginTurn(
  memory: Memory,
  { session: uid, turn, toolUse }: { session: string; turn: number; toolUse: string | null },
): OriginTurn | null {
  const session = findSessionByUid(memory, uid);
  if (!session) return null;
  const [stored] = readStoredTurns(memory, session.id, { first: turn, last: turn });
  if (!stored) return null;
  const entries = stored.lines.flatMap((line) => line.entries);
  const prompt = entries.find((entry) => entry.kind === "prompt");
  const at = entries.findIndex((entry) => entry.kind === "tool_use" && entry.id === toolUse);
  const call = entries[at];
  const [before, after] = at < 0 ? [entries, []] : [entries.slice(0, at), entries.slice(at + 1)];
  return {
    session_id: uid,
    ...(session.author !== null && { author: session.author }),
    number: turn,
    started_at: formatIsoTime(stored.record.startedAt),
    prompt: shortenText((prompt?.text || stored.record.prompt).trim(), maxPromptLength),
    said_before: cutAnswerText(before.findLast(isText)),
    said_after: cutAnswerText(after.find(isText)),
    tool: call?.kind === "tool_use" ? call.tool : null,
    asked_by: findAskingTurn(memory, session),
  };
}

const isText = (entry: TranscriptEntry) => entry.kind === "text" && entry.text.trim() !== "";
const cutAnswerText = (entry: TranscriptEntry | undefined) =>
  entry?.kind === "text" ? shortenText(entry.text.trim(), maxAnswerLength) : "";

/** The turn in which a subagent was started: the last one that had begun by then. */
function findAskingTurn(memory: Memory, session: SessionRecord): OriginTurn["asked_by"] {
  const parent = session.parentId === null ? null : findSessionById(memory, session.parentId);
  if (!parent) return null;
  const turn = listTurns(memory, parent.id).findLast(
    ({ startedAt }) => startedAt !== null && session.startedAt !== null && startedAt <= session.startedAt,
  );
  if (!turn) return null;
  return { session_id: parent.uid, turn: turn.number, prompt: shortenText(turn.prompt, maxAnswerLength) };
}

/** Lines of one commit and one author, with their weight among others. */
interface OriginGroup {
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
export function groupByOrigin(
  ranges: readonly BlameRange[],
  textOf: (line: number) => string | undefined = () => undefined,
): OriginGroup[] {
  const groups = new Map<string, OriginGroup>();
  for (const range of ranges) {
    const group = getOrCreate(groups, makeOriginKey(range), () => ({ ranges: [], weight: 0 }));
    group.ranges.push(range);
    const each = range.author === "agent" && range.turn !== null ? weightOfAgent : 1;
    for (let line = range.first_line; line <= range.last_line; line++) {
      const text = textOf(line);
      const says = text === undefined || isDistinctive(computeLineKey(text));
      group.weight += each * (says ? 1 : weightOfTrivial);
    }
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight || getGroupTime(b) - getGroupTime(a));
}

const makeOriginKey = ({ commit, author, session_id, turn }: BlameRange) =>
  JSON.stringify([commit, author, session_id, turn]);

/** Uncommitted lines are the latest. */
function getGroupTime({ ranges }: OriginGroup): number {
  const at = ranges[0]?.authored_at ?? null;
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at);
}

/** The longest range of a group; the first among equals. */
export function findLargestRange({ ranges }: OriginGroup): BlameRange {
  const length = ({ first_line, last_line }: BlameRange) => last_line - first_line;
  return ranges.reduce((a, b) => (length(b) > length(a) ? b : a));
}

/** Everything known about where lines come from. */
export function buildOrigin(memory: Memory | null, { ranges }: OriginGroup): LineOrigin {
  const range = ranges[0]!;
  const { session_id, turn, tool_use } = range;
  const hash = range.commit;
  return {
    lines: ranges.map(({ first_line, last_line }) => [first_line, last_line]),
    written_by: pickLineAuthor(range),
    commit: toOriginCommit(memory, range),
    checkpoint_id:
      memory === null || hash === null ? null : (findCheckpointOfCommit(memory, hash)?.id ?? null),
    turn:
      memory === null || session_id === null || turn === null
        ? null
        : readOriginTurn(memory, { session: session_id, turn, toolUse: tool_use }),
  };
}

/** Who wrote a range, without where it is. */
export function pickLineAuthor(range: BlameRange): LineAuthor {
  const fields = Object.keys(lineAuthor().shape) as (keyof LineAuthor)[];
  return Object.fromEntries(fields.map((field) => [field, range[field]])) as LineAuthor;
}

/** The commit of a range; null: none yet. */
export function toOriginCommit(memory: Memory | null, range: BlameRange): OriginCommit | null {
  if (range.commit === null) return null;
  return {
    hash: range.commit,
    subject: range.subject ?? "",
    person: range.person ?? "",
    authored_at: range.authored_at,
    branch: memory === null ? null : (findCommitByHash(memory, range.commit)?.branch ?? null),
    is_boundary: range.is_boundary,
  };
}
