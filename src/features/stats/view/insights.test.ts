import { expect, test } from "vitest";
import { toMonday } from "../../../base/text/iso-week.ts";
import type { ContextUse } from "../../../protocol/values.ts";
import type { Injected } from "../../context/operation.ts";
import { countUses, splitLargeDirectories, sumLeftByWeek } from "./figures.ts";

test("a week begins on Monday", () => {
  expect(toMonday(Date.UTC(2026, 2, 8, 23))).toBe("2026-03-02");
  expect(toMonday(Date.UTC(2026, 2, 9))).toBe("2026-03-09");
});

test("lines that are left are summed up by the week of their commit", () => {
  const commit = (committed_at: string, surviving: object | null) => ({ committed_at, surviving }) as never;
  expect(
    sumLeftByWeek([
      commit("2026-03-10T10:00:00Z", { added: 5, left: 1 }),
      commit("2026-03-03T10:00:00Z", { added: 10, left: 4 }),
      commit("2026-03-04T10:00:00Z", { added: 2, left: 2 }),
      commit("2026-03-04T10:00:00Z", null),
    ]),
  ).toEqual([
    { week: "2026-03-02", added: 12, left: 6 },
    { week: "2026-03-09", added: 5, left: 1 },
  ]);
});

test("uses of context are counted", () => {
  const item = (outcome: ContextUse | null) => ({ use: outcome && { outcome, reason: "", turn: null } });
  const injections = [
    { items: [item("used"), item(null), item("not_used")] },
    { items: [item("unknown"), item("unknown")] },
  ] as Injected[];
  expect(countUses(injections)).toEqual({ used: 1, not_used: 1, unknown: 2 });
});

test("large directories are opened up, small ones summed up", () => {
  const of = (directory: string, lines: number) => ({
    directory,
    lines,
    agent: lines,
    human: 0,
    unknown: 0,
    before_agents: 0,
  });
  const all = [of("a/b/c", 500), of("a/b/d", 300), of("a/b", 100), of("e/f", 40), of("e/g", 30), of(".", 30)];
  expect(splitLargeDirectories(all).map(({ directory, agent }) => [directory, agent])).toEqual([
    ["a/b/c", 500],
    ["a/b/d", 300],
    ["a/b", 100],
    ["e", 70],
    [".", 30],
  ]);
});
