import { linkTo } from "../../../page/router.ts";
import type { ContextUse } from "../../../protocol/values.ts";
import type { CheckpointSummary } from "../../checkpoints/operation.ts";
import type { Injected } from "../../context/operation.ts";
import type { SessionSummary } from "../../sessions/operation.ts";
import type { StatsAnswer } from "../operation.ts";

const day = 86_400_000;

/** The Monday of a time's week, in UTC: "2026-03-02". */
export function toMonday(time: number): string {
  const date = new Date(time);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(time - sinceMonday * day).toISOString().slice(0, 10);
}

/** The Monday of an ISO week such as 2026-W05, in UTC. */
export function parseIsoWeek(isoWeek: string): string {
  const [year = 0, week = 1] = isoWeek.split("-W").map(Number);
  // The fourth of January is always in the first week.
  return toMonday(Date.UTC(year, 0, 4) + (week - 1) * 7 * day);
}

/** The sessions of the week that begins on a Monday. */
export const linkToWeek = (monday: string) =>
  linkTo("/sessions", {
    since: monday,
    until: new Date(Date.parse(monday) + 7 * day).toISOString().slice(0, 10),
  });

type Directories = StatsAnswer["by_directory"];

/**
 * Directories, each opened up while it is more than an eighth of all: where the code lies three directories deep, there would be
 * one tile.
 */
export function splitLargeDirectories(all: Directories, inside = "", total = sumLines(all)): Directories {
  const depth = inside === "" ? 1 : inside.split("/").length + 1;
  const byName = new Map<string, Directories>();
  for (const one of all) {
    const name = one.directory.split("/").slice(0, depth).join("/");
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  return [...byName].flatMap(([name, within]) => {
    const isWhole = within.length === 1 || sumLines(within) * 8 <= total;
    return isWhole || name === inside
      ? [sumDirectory(name, within)]
      : splitLargeDirectories(within, name, total);
  });
}

const sumLines = (all: Directories) => all.reduce((sum, { lines }) => sum + lines, 0);

function sumDirectory(directory: string, within: Directories): Directories[number] {
  const sum = { directory, lines: 0, agent: 0, human: 0, unknown: 0, before_agents: 0 };
  for (const one of within)
    for (const key of ["lines", "agent", "human", "unknown", "before_agents"] as const) sum[key] += one[key];
  return sum;
}

/** Lines that commits added and how many of them are left, by the week of the commit; those too many to look at are left out. */
export function sumLeftByWeek(
  commits: readonly CheckpointSummary[],
): { week: string; added: number; left: number }[] {
  const byWeek = new Map<string, { added: number; left: number }>();
  for (const { committed_at, surviving } of commits) {
    if (!surviving) continue;
    const week = toMonday(Date.parse(committed_at));
    const sum = byWeek.get(week) ?? { added: 0, left: 0 };
    byWeek.set(week, { added: sum.added + surviving.added, left: sum.left + surviving.left });
  }
  return [...byWeek].sort(([a], [b]) => a.localeCompare(b)).map(([week, sum]) => ({ week, ...sum }));
}

const given = [
  ["code", "Places of code"],
  ["chunk", "Past passages and decisions"],
  ["note", "Notes"],
  ["session", "Past sessions"],
  ["event", "Events"],
] as const;

/** What of automatic context was used, by what it was; without what was never given. */
export function countUsesByKind(
  injections: readonly Injected[],
): { name: string; uses: Record<ContextUse, number> }[] {
  const items = injections.flatMap((injection) => injection.items);
  return given.flatMap(([kind, name]) => {
    const uses = { used: 0, not_used: 0, unknown: 0 };
    for (const { ref, use } of items) if (use !== null && ref.startsWith(`${kind}:`)) uses[use.outcome]++;
    return uses.used + uses.not_used + uses.unknown === 0 ? [] : [{ name, uses }];
  });
}

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
export function sumCostBy(
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
    const name = { model, week: toMonday(Date.parse(last_at)), branch: branch ?? "no branch" }[group];
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
