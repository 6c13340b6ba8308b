import { expect, test } from "vitest";
import type { SessionSummary } from "../../sessions/operation.ts";
import type { CheckpointSummary } from "../operation.ts";
import { buildLanes, computeTimeSpan, listAxisTicks } from "./draw.ts";

const at = (hours: number) => new Date(Date.UTC(2026, 2, 2, hours)).toISOString();
const session = (id: string, branch: string | null, from: number, to: number) =>
  ({ id, branch, agent: "claude", started_at: at(from), last_at: at(to) }) as SessionSummary;
const commit = (branch: string, hours: number) =>
  ({ branch, committed_at: at(hours), sessions: [] as unknown[] }) as CheckpointSummary;

test("a lane for each branch, the latest first, with overlapping sessions below each other", () => {
  const lanes = buildLanes(
    [
      session("a", "main", 0, 5),
      session("b", "main", 2, 3),
      session("c", "main", 6, 7),
      session("d", null, 9, 10),
    ],
    [commit("main", 4), commit("old", -100)],
    "branch",
  );
  expect(lanes.map(({ name }) => name)).toEqual(["no branch", "main", "old"]);
  const [, main] = lanes;
  expect(main!.bars.map(({ session: { id }, row }) => [id, row])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 0],
  ]);
  expect(main).toMatchObject({ rows: 2, commits: [{ at: Date.parse(at(4)) }] });
});

test("sessions without a time are left out, and the span holds all others", () => {
  const timeless = { ...session("x", "main", 0, 0), started_at: null, last_at: null };
  expect(buildLanes([timeless], [], "branch")).toEqual([]);
  const lanes = buildLanes([session("a", "main", 0, 5)], [commit("main", 8)], "agent");
  const { from, to } = computeTimeSpan(lanes, 0);
  expect(from).toBeLessThan(Date.parse(at(0)));
  expect(to).toBeGreaterThan(Date.parse(at(8)));
});

test.each([
  [3, 10],
  [24 * 5, 8],
  [24 * 90, 8],
  [24 * 365 * 4, 6],
])("an axis over %d hours has some marks, and at most about %d, in order", (hours, max) => {
  const from = Date.UTC(2026, 2, 2);
  const ticks = listAxisTicks(from, from + hours * 3_600_000, max);
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks.length).toBeLessThanOrEqual(max + 2);
  expect(ticks.map((tick) => tick.at)).toEqual(ticks.map((tick) => tick.at).sort((a, b) => a - b));
});
