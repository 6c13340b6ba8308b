import { dayMs } from "../../../base/text/day.ts";
import { toMonday } from "../../../base/text/iso-week.ts";
import { linkTo } from "../../../page/router.ts";
import type { ContextUse } from "../../../protocol/values.ts";
import type { CheckpointSummary } from "../../checkpoints/operation.ts";
import type { Injected } from "../../context/operation.ts";
import type { StatsAnswer } from "../operation.ts";

/** The sessions of the week that begins on a Monday. */
export const linkToWeek = (monday: string) =>
  linkTo("/sessions", {
    since: monday,
    until: new Date(Date.parse(monday) + 7 * dayMs).toISOString().slice(0, 10),
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

/** What of automatic context was used. */
export function countUses(injections: readonly Injected[]): Record<ContextUse, number> {
  const uses = { used: 0, not_used: 0, unknown: 0 };
  for (const { use } of injections.flatMap(({ items }) => items)) if (use !== null) uses[use.outcome]++;
  return uses;
}
