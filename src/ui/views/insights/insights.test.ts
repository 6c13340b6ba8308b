import fc from "fast-check";
import { expect, test } from "vitest";
import type { Injected } from "../../../protocol/operations/context.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import type { ContextUse } from "../../../protocol/values.ts";
import { leftByWeek, mondayOf, sessionsByDay, tokensByWeek, usesByKind, weekOf } from "./figures.ts";
import { treemap } from "./treemap.ts";

test("tiles have the areas of their weights, lie inside and do not overlap", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 30 }), (weights) => {
      const tiles = treemap(weights, (weight) => weight, 300, 200);
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
  expect(treemap([0, 0], (weight) => weight, 10, 10)).toEqual([]);
});

test("a week begins on Monday", () => {
  expect(weekOf(Date.UTC(2026, 2, 8, 23))).toBe("2026-03-02");
  expect(weekOf(Date.UTC(2026, 2, 9))).toBe("2026-03-09");
  expect(mondayOf("2026-W10")).toBe("2026-03-02");
  expect(mondayOf("2026-W01")).toBe("2025-12-29");
});

const session = (started_at: string | null, turns: number, output: number, models = ["m"]) =>
  ({ started_at, last_at: started_at, turns, tokens: { output }, models }) as SessionSummary;

test("days between sessions are there with none", () => {
  const days = sessionsByDay([
    session("2026-03-01T12:00:00Z", 1, 0),
    session("2026-03-04T12:00:00Z", 1, 0),
    session("2026-03-04T12:30:00Z", 1, 0),
    session(null, 1, 0),
  ]);
  expect(days.map(({ count }) => count)).toEqual([1, 0, 0, 2]);
});

test("tokens add up by week", () => {
  const sessions = [
    session("2026-03-10T12:00:00Z", 5, 7, ["b", "a"]),
    session("2026-03-02T12:00:00Z", 2, 3),
    session("2026-03-03T12:00:00Z", 1, 4),
  ];
  expect(tokensByWeek(sessions)).toEqual([
    { week: "2026-03-02", by: new Map([["m", 7]]) },
    { week: "2026-03-09", by: new Map([["a + b", 7]]) },
  ]);
});

test("lines that are left are summed up by the week of their commit", () => {
  const commit = (committed_at: string, surviving: object | null) => ({ committed_at, surviving }) as never;
  expect(
    leftByWeek([
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
  expect(usesByKind(injections)).toEqual([
    { name: "Places of code", uses: { used: 0, not_used: 1, unknown: 0 } },
    { name: "Past passages and decisions", uses: { used: 1, not_used: 0, unknown: 2 } },
  ]);
  expect(usesByKind([])).toEqual([]);
});
