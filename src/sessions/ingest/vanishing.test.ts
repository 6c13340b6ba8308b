import { expect, it } from "vitest";
import type { Agent } from "../../agents/agent.ts";
import type { AgentName } from "../../agents/profiles.ts";
import { findAgentByName } from "../../agents/registry.ts";
import { findExpiringSessions, sortForReading } from "./known-transcripts.ts";

const day = 86_400_000;
const now = Date.parse("2026-03-31T00:00:00Z");
const named = (name: AgentName) => findAgentByName(name)!;
/** Its client deletes transcripts after thirty days by default. */
const monthly = named("claude");
/** Its client never deletes any. */
const keepsAll = named("codex");
const aged = (days: number, isStored: boolean, isKept = false) => ({
  mtimeMs: now - days * day,
  isStored,
  isKept,
});

it("counts what vanishes within a week, also what is overdue, and how much of it is stored", () => {
  const transcripts = [
    aged(2, false),
    aged(22.9, false),
    aged(23.1, true, true),
    aged(29, false),
    aged(29, false, true),
    aged(40, true),
  ];
  expect(findExpiringSessions(monthly, "/", () => transcripts, now)).toEqual({
    agent: "claude",
    title: "Claude Code",
    days: 30,
    setting: "cleanupPeriodDays",
    source: null,
    sessions: 4,
    stored: 2,
    kept: 1,
    within_days: 7,
    first_at: "2026-03-31T00:00:00.000Z",
  });
  expect(findExpiringSessions(monthly, "/", () => [aged(29, false)], now)).toMatchObject({
    first_at: "2026-04-01T00:00:00.000Z",
  });
  const nothing = { sessions: 0, stored: 0, kept: 0, first_at: null };
  expect(findExpiringSessions(monthly, "/", () => [aged(1, false)], now)).toMatchObject(nothing);
});

it("reads no file if the client keeps all of them", () => {
  const never = () => {
    throw new Error("not looked at");
  };
  expect(findExpiringSessions(keepsAll, "/", never, now)).toBeNull();
});

const toRead = (days: number, begun: number, size = 1) => ({
  size,
  mtimeMs: now - days * day,
  startedAt: now - begun * day,
});

it("what its client is about to delete is read first, then the newest", () => {
  const files = [40, 1, 25, 2].map((days) => toRead(days, days));
  const order = (of: Agent) =>
    sortForReading(of, "/", files, { isHere: true, now }).map(({ mtimeMs }) =>
      Math.round((now - mtimeMs) / day),
    );
  expect(order(monthly)).toEqual([25, 40, 1, 2]);
  expect(order(keepsAll)).toEqual([1, 2, 25, 40]);
});

it("beside those of other projects, what is about to be deleted is read first, then what is of this project, then the newest", () => {
  const files = [1, 10, 20, 25].map((days) => toRead(days, days));
  const listUrgencies = (isHere: boolean, of: Agent = monthly) =>
    sortForReading(of, "/", files, { isHere, now }).map(({ urgency }) => urgency);
  expect(listUrgencies(true)).toEqual([0, 1, 1, 1]);
  const [expiring, ...others] = listUrgencies(false);
  expect(expiring).toBe(0);
  expect(Math.min(...others)).toBeGreaterThan(1);
  expect(others).toEqual([...new Set(others)].toSorted((a, b) => a - b));
});

it("of those that copied each other's beginning, the earliest is read first", () => {
  const copied = [toRead(2, 7, 200), toRead(1, 3), toRead(5, 7), toRead(2, 7, 100), toRead(3, 9)];
  expect(
    sortForReading(keepsAll, "/", copied, { isHere: true, now }).map(({ mtimeMs, size }) => [
      (now - mtimeMs) / day,
      size,
    ]),
  ).toEqual([
    [1, 1],
    [5, 1],
    [2, 100],
    [2, 200],
    [3, 1],
  ]);
});
