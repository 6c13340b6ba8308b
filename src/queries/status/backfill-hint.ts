import type { Memory } from "../../store/memory/memory.ts";
import { historyStart } from "../../store/memory/sessions/sessions-here.ts";

/**
 * The command that imports commits not analysed yet.
 * @param oldest when the oldest of them was authored; milliseconds since the epoch
 */
export function backfillHint(memory: Memory, oldest: number): string {
  const start = historyStart(memory);
  return start !== null && oldest >= start ? "pm checkpoint backfill" : "pm checkpoint backfill --all";
}
