import type { Entry } from "../../agents/agent.ts";
import type { OriginTurn } from "../../protocol/operations/blame.ts";
import { storedTurns } from "../../sessions/stored-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { sessionById, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { isoTime } from "../status/status.ts";

/** Characters. */
const maxPromptLength = 4000;
const maxAnswerLength = 600;

/**
 * The prompt of a turn, and the agent's text around the tool call that wrote the lines.
 * @param toolUse the agent's id of the call; null: use its last message
 * @returns null if the turn is not stored
 */
export function originTurn(
  memory: Memory,
  { session: uid, turn, toolUse }: { session: string; turn: number; toolUse: string | null },
): OriginTurn | null {
  const session = sessionByUid(memory, uid);
  if (!session) return null;
  const [stored] = storedTurns(memory, session.id, { first: turn, last: turn });
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
    started_at: isoTime(stored.record.startedAt),
    prompt: beginningOf((prompt?.text || stored.record.prompt).trim(), maxPromptLength),
    said_before: textOf(before.findLast(isText)),
    said_after: textOf(after.find(isText)),
    tool: call?.kind === "tool_use" ? call.tool : null,
    asked_by: askedBy(memory, session),
  };
}

const isText = (entry: Entry) => entry.kind === "text" && entry.text.trim() !== "";
const textOf = (entry: Entry | undefined) =>
  entry?.kind === "text" ? beginningOf(entry.text.trim(), maxAnswerLength) : "";

/** The turn in which a subagent was started: the last one that had begun by then. */
function askedBy(memory: Memory, session: SessionRecord): OriginTurn["asked_by"] {
  const parent = session.parentId === null ? null : sessionById(memory, session.parentId);
  if (!parent) return null;
  const turn = turnsOf(memory, parent.id).findLast(
    ({ startedAt }) => startedAt !== null && session.startedAt !== null && startedAt <= session.startedAt,
  );
  if (!turn) return null;
  return { session_id: parent.uid, turn: turn.number, prompt: beginningOf(turn.prompt, maxAnswerLength) };
}
