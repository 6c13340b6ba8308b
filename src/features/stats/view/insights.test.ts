import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContextUse } from "../../../protocol/values.ts";
import type { Injected } from "../../context/operation.ts";
import type { SessionSummary } from "../../sessions/operation.ts";
import { layOutTreemap } from "./charts.tsx";
import {
  countUsesByKind,
  parseIsoWeek,
  splitLargeDirectories,
  sumCostBy,
  sumLeftByWeek,
  toMonday,
} from "./figures.ts";

test("tiles have the areas of their weights, lie inside and do not overlap", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 30 }), (weights) => {
      const tiles = layOutTreemap(weights, (weight) => weight, 300, 200);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      expect(tiles).toHaveLength(weights.length);
      for (const { of, x, y, width, height } of tiles) {
        expect(width * height).toBeCloseTo((of / total) * 60_000, 3);
        expect(x + width).toBeLessThanOrEqual(300.001);
        expect(y + height).toBeLessThanOrEqual(200.001);
      }
      for (const [i, a] of tiles.entries()) {
        for (const b of tiles.slice(i + 1)) {
          const overlapX = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
          const overlapY = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
          expect(Math.min(overlapX, overlapY)).toBeLessThan(0.001);
        }
      }
    }),
  );
});

test("nothing is drawn of what weighs nothing", () => {
  expect(layOutTreemap([0, 0], (weight) => weight, 10, 10)).toEqual([]);
});

test("a week begins on Monday", () => {
  expect(toMonday(Date.UTC(2026, 2, 8, 23))).toBe("2026-03-02");
  expect(toMonday(Date.UTC(2026, 2, 9))).toBe("2026-03-09");
  expect(parseIsoWeek("2026-W10")).toBe("2026-03-02");
  expect(parseIsoWeek("2026-W01")).toBe("2025-12-29");
});

const session = (last_at: string, output: number, models: string[], branch: string | null = null) =>
  ({
    last_at,
    models,
    branch,
    tokens: { input: 1_000_000, output, cache_read: 0, cache_write: 0 },
  }) as SessionSummary;

test("costs add up by model, week or branch, by the prices that are given", () => {
  const sessions = [
    session("2026-03-10T12:00:00Z", 2_000_000, ["large"], "main"),
    session("2026-03-02T12:00:00Z", 0, ["small"]),
    session("2026-03-03T12:00:00Z", 0, ["large", "small"]),
  ];
  const prices = { large: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6 } };
  const rows = (group: Parameters<typeof sumCostBy>[1]) =>
    sumCostBy(sessions, group, prices).map(({ name, sessions: count, dollars }) => [name, count, dollars]);
  expect(rows("model")).toEqual([
    ["large", 2, 60],
    ["small", 1, 0],
  ]);
  expect(rows("week")).toEqual([
    ["2026-03-02", 2, 5],
    ["2026-03-09", 1, 55],
  ]);
  expect(rows("branch")).toEqual([
    ["main", 1, 55],
    ["no branch", 2, 5],
  ]);
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

test("uses of context are counted by what was given", () => {
  const item = (ref: string, outcome: ContextUse | null) =>
    ({ ref, use: outcome && { outcome, reason: "", turn: null } }) as Injected["items"][number];
  const injections = [
    {
      items: [
        item("chunk:s:raw:1", "used"),
        item("file:src/a.ts", null),
        item("code:src/a.ts#a", "not_used"),
      ],
    },
    { items: [item("chunk:s:raw:2", "unknown"), item("chunk:s:raw:3", "unknown")] },
  ] as Injected[];
  expect(countUsesByKind(injections)).toEqual([
    { name: "Places of code", uses: { used: 0, not_used: 1, unknown: 0 } },
    { name: "Past passages and decisions", uses: { used: 1, not_used: 0, unknown: 2 } },
  ]);
  expect(countUsesByKind([])).toEqual([]);
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
