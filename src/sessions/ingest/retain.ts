import type { Memory } from "../../store/memory/memory.ts";
import { expireSessions, sessionsBefore } from "../../store/memory/privacy/forget.ts";

const dayMs = 86_400_000;

/**
 * Lets go what was said in sessions whose last line is older than so many days: turns and their chunks. Notes and
 * summaries stay with their chunks and can be found, and what was let go is not taken in again from its transcript.
 * @param days 0: everything is kept
 * @returns rows of the sessions that lost turns
 */
export function retainMemory(
  memory: Memory,
  { days, now = Date.now() }: { days: number; now?: number },
): number[] {
  if (days === 0) return [];
  const expired = sessionsBefore(memory, now - days * dayMs);
  if (expired.length === 0) return [];
  // One by one: others write as well.
  for (const id of expired) expireSessions(memory, [id]);
  memory.vacuum();
  return expired;
}
