import { insertAllInto, setToExcluded, storeRows } from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import { usage } from "../../tables/turns.ts";
import type { Memory } from "../memory.ts";

/** What a message of the agent cost. */
export type UsageRecord = Omit<TableRow<typeof usage>, "sessionId">;

/** Tokens of messages, summed up. */
export interface UsageSum {
  model: string;
  messages: number;
  /** Messages with hardly any output. */
  brief: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Stores what messages cost, once each: a message spans several lines, and only the last has its full output. */
export function saveUsage(memory: Memory, sessionId: number, messages: readonly UsageRecord[]): void {
  if (messages.length === 0) return;
  const rows = messages.map((message) => ({ ...message, sessionId }));
  memory.change(
    `${insertAllInto(usage)} ON CONFLICT (session_id, message_uid) DO UPDATE
     SET ${setToExcluded(usage, ["sessionId", "messageUid", "turn"])} WHERE excluded.output > output`,
    storeRows(usage, rows),
  );
}

/** Of some messages those that another session has, by their ids. */
export function findMessagesElsewhere(
  memory: Memory,
  sessionId: number,
  uids: readonly string[],
): Set<string> {
  if (uids.length === 0) return new Set();
  const rows = memory.readColumn<string>(
    "SELECT DISTINCT message_uid FROM usage WHERE message_uid IN (SELECT value FROM json_each(?)) AND session_id <> ?",
    uids,
    sessionId,
  );
  return new Set(rows);
}

const sums = `count(*) AS messages, sum(output <= 10) AS brief, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cacheRead,
  sum(cache_write) AS cacheWrite`;

/** What a session cost, by model. @param turns only from the first to the last one of these */
export function sumSessionUsage(
  memory: Memory,
  sessionId: number,
  { first, last }: { first: number; last: number } = { first: 0, last: Number.MAX_SAFE_INTEGER },
): UsageSum[] {
  return memory.all<UsageSum>(
    `SELECT model, ${sums} FROM usage WHERE session_id = @sessionId AND turn BETWEEN @first AND @last
     GROUP BY model ORDER BY model`,
    { sessionId, first, last },
  );
}

/** The most tokens that a message of a session's last turn read; null: no message of it was recorded. */
export const readContextSize = (memory: Memory, sessionId: number): number | null =>
  memory.readColumn<number | null>(
    `SELECT max(input + cache_read + cache_write) FROM usage
     WHERE session_id = @sessionId AND turn = (SELECT max(turn) FROM usage WHERE session_id = @sessionId)`,
    { sessionId },
  )[0] ?? null;

/** Tokens of a turn's messages with one model, whose prompts are all long or all not. */
export interface TurnUsage extends Omit<UsageSum, "model"> {
  sessionId: number;
  turn: number;
  model: string;
  isLong: boolean;
  cacheWriteHour: number;
  /** When the turn began; null: that is not known. */
  at: number | null;
  branch: string | null;
}

export const listUsedModels = (memory: Memory): string[] =>
  memory.readColumn<string>("SELECT DISTINCT model FROM usage");

/** @param longPrompts by model, of how many tokens at most a prompt is not long */
export function listTurnUsage(memory: Memory, longPrompts: Readonly<Record<string, number>>): TurnUsage[] {
  return memory
    .all<Omit<TurnUsage, "isLong"> & { isLong: 0 | 1 }>(
      `SELECT usage.session_id AS sessionId, usage.turn, model, turns.started_at AS at, turns.branch,
         coalesce(input + cache_read + cache_write > long.value, 0) AS isLong, ${sums}, sum(cache_write_hour) AS cacheWriteHour
       FROM usage LEFT JOIN json_each(@longPrompts) AS long ON long.key = model
         LEFT JOIN turns ON turns.session_id = usage.session_id AND turns.number = usage.turn
       GROUP BY 1, 2, 3, isLong`,
      { longPrompts: JSON.stringify(longPrompts) },
    )
    .map((row) => ({ ...row, isLong: row.isLong === 1 }));
}
