import { insertInto, setColumns } from "../../tables/statements.ts";
import type { Row } from "../../tables/table.ts";
import { usage } from "../../tables/turns.ts";
import type { Memory } from "../memory.ts";

/** What a message of the agent cost. */
export type UsageRecord = Omit<Row<typeof usage>, "sessionId">;

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
  memory.runInTransaction(() => {
    const save = memory.prepare(
      `${insertInto(usage)} ON CONFLICT (session_id, message_uid) DO UPDATE
       SET ${setColumns(usage, ["sessionId", "messageUid", "turn"])} WHERE excluded.output > output`,
    );
    for (const message of messages) save.run({ ...message, sessionId });
  });
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
