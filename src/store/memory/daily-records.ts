import { dayMs } from "../../base/text/day.ts";
import type { Memory } from "./memory.ts";

/** What one request to a language model took. */
export interface LlmUsage {
  model: string;
  /** What it was asked for: "summary", "title", "scrub". */
  purpose: string;
  /** Tokens. */
  input: number;
  output: number;
  dollars: number;
}

export interface LlmSpending {
  requests: number;
  input: number;
  output: number;
  dollars: number;
}

/** The day (UTC) that a time belongs to, YYYY-MM-DD. */
const formatUtcDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Notes a request to a language model. */
export function addLlmUsage(memory: Memory, request: LlmUsage, now = Date.now()): void {
  memory.change(
    `INSERT INTO llm_usage (day, model, purpose, requests, input, output, dollars)
     VALUES (@day, @model, @purpose, 1, @input, @output, @dollars)
     ON CONFLICT (day, model, purpose) DO UPDATE SET requests = requests + 1, input = input + excluded.input,
       output = output + excluded.output, dollars = dollars + excluded.dollars`,
    { ...request, day: formatUtcDay(now) },
  );
}

/** Usage of language models on the day of `now`, or on so many days up to it. */
export function sumLlmSpending(memory: Memory, { now = Date.now(), days = 1 } = {}): LlmSpending {
  return memory.get<LlmSpending>(
    `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(input), 0) AS input,
       coalesce(sum(output), 0) AS output, coalesce(sum(dollars), 0.0) AS dollars
     FROM llm_usage WHERE day > ? AND day <= ?`,
    formatUtcDay(now - days * dayMs),
    formatUtcDay(now),
  );
}

const windowDays = 30;

/** Notes the size of the database today; the last note of a day stays. */
export function sampleStorage(memory: Memory, now = Date.now()): void {
  const bytes = memory.measureDiskBytes();
  memory.runInTransaction(() => {
    memory
      .prepare(
        "INSERT INTO storage_days (day, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes",
      )
      .run(formatUtcDay(now), bytes);
    // A year, for whoever wants to look.
    memory.prepare("DELETE FROM storage_days WHERE day < ?").run(formatUtcDay(now - 366 * dayMs));
  });
}

export interface StorageGrowth {
  bytes: number;
  /** Since the oldest note of the last 30 days; may be below 0. Null without a note of an earlier day. */
  growth: { bytes: number; days: number } | null;
}

/** How large the database is, and how much it has grown in the last 30 days. */
export function measureStorageGrowth(memory: Memory, now = Date.now()): StorageGrowth {
  const bytes = memory.measureDiskBytes();
  const oldest = memory.get<{ day: string; bytes: number } | null>(
    "SELECT day, bytes FROM storage_days WHERE day >= ? AND day < ? ORDER BY day LIMIT 1",
    formatUtcDay(now - windowDays * dayMs),
    formatUtcDay(now),
  );
  if (!oldest) return { bytes, growth: null };
  const days = Math.round((Date.parse(formatUtcDay(now)) - Date.parse(oldest.day)) / dayMs);
  return { bytes, growth: { bytes: bytes - oldest.bytes, days } };
}
