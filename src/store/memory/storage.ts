import { dayOf } from "./llm-usage.ts";
import type { Memory } from "./memory.ts";

const windowDays = 30;
const dayMs = 86_400_000;

/** Notes the size of the database today; the last note of a day stays. */
export function sampleStorage(memory: Memory, now = Date.now()): void {
  const bytes = memory.size();
  memory.inTransaction(() => {
    memory
      .prepare(
        "INSERT INTO storage_days (day, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes",
      )
      .run(dayOf(now), bytes);
    // A year, for whoever wants to look.
    memory.prepare("DELETE FROM storage_days WHERE day < ?").run(dayOf(now - 366 * dayMs));
  });
}

export interface StorageGrowth {
  bytes: number;
  /** Since the oldest note of the last 30 days; may be below 0. Null without a note of an earlier day. */
  growth: { bytes: number; days: number } | null;
}

/** How large the database is, and how much it has grown in the last 30 days. */
export function storageGrowth(memory: Memory, now = Date.now()): StorageGrowth {
  const bytes = memory.size();
  const oldest = memory
    .prepare("SELECT day, bytes FROM storage_days WHERE day >= ? AND day < ? ORDER BY day LIMIT 1")
    .get(dayOf(now - windowDays * dayMs), dayOf(now)) as { day: string; bytes: number } | undefined;
  if (!oldest) return { bytes, growth: null };
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(oldest.day)) / dayMs);
  return { bytes, growth: { bytes: bytes - oldest.bytes, days } };
}
