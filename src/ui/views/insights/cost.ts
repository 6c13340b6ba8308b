import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { weekOf } from "./figures.ts";

/** In dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export const priceKinds = [
  ["input", "Read"],
  ["output", "Written"],
  ["cacheRead", "From cache"],
  ["cacheWrite", "Into cache"],
] as const satisfies readonly (readonly [keyof Price, string])[];

export type Group = "model" | "week" | "branch";

interface CostRow {
  name: string;
  sessions: number;
  input: number;
  /** Read from the cache, or written into it. */
  cached: number;
  output: number;
  dollars: number;
}

/** What sessions cost, the most first, weeks in order. A session counts for the first of its models; one without tokens not at all. */
export function costBy(
  sessions: readonly SessionSummary[],
  group: Group,
  prices: Readonly<Record<string, Price>>,
): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const { models, branch, last_at, tokens } of sessions) {
    const { input, cache_read, cache_write } = tokens;
    const output = tokens.output ?? 0;
    if (last_at === null || input + output + cache_read + cache_write === 0) continue;
    const [model = "unknown"] = models;
    const name = { model, week: weekOf(Date.parse(last_at)), branch: branch ?? "no branch" }[group];
    const row = rows.get(name) ?? { name, sessions: 0, input: 0, cached: 0, output: 0, dollars: 0 };
    rows.set(name, row);
    row.sessions++;
    row.input += input;
    row.cached += cache_read + cache_write;
    row.output += output;
    const price = prices[model];
    if (price === undefined) continue;
    const { input: read, output: written, cacheRead, cacheWrite } = price;
    row.dollars +=
      (input * read + output * written + cache_read * cacheRead + cache_write * cacheWrite) / 1e6;
  }
  const weight = ({ dollars, input, cached, output }: CostRow) => dollars * 1e12 + input + cached + output;
  return [...rows.values()].sort((a, b) =>
    group === "week" ? a.name.localeCompare(b.name) : weight(b) - weight(a),
  );
}
