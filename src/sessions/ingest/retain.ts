import type { Memory } from "../../store/memory/memory.ts";
import { expireSessions, sessionsBefore } from "../../store/memory/privacy/forget.ts";

const dayMs = 86_400_000;

/**
 * Removes the turns, and their chunks, of sessions whose last line is older than so many days. Notes and summaries stay
 * with their chunks and can be found. Removed turns are not imported again from their transcript.
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
