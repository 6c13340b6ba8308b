import type { Memory } from "../store/memory/memory.ts";

/**
 * Lets go what was said in sessions whose last line is older than so many days: turns and their chunks. Notes and
 * summaries stay with their chunks and can be found, and what was let go is not taken in again from its transcript.
 * @param days 0: everything is kept
 * @returns rows of the sessions that lost turns
 */
export function retainMemory(_memory: Memory, _how: { days: number; now?: number }): number[] {
  throw new Error("not written yet");
}
