import { expect, it } from "vitest";
import type { Agent, Retention } from "../../agents/agent.ts";
import { inOrderToRead, vanishingOf } from "./known-transcripts.ts";

const day = 86_400_000;
const now = Date.parse("2026-03-31T00:00:00Z");
const agent = (retention: Retention | null) =>
  ({ name: "claude", title: "Claude Code", retention: () => retention }) as Partial<Agent> as Agent;
const monthly: Retention = { days: 30, setting: "cleanupPeriodDays", source: null };
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
  expect(vanishingOf(agent(monthly), "/", () => transcripts, now)).toEqual({
    agent: "claude",
    title: "Claude Code",
    ...monthly,
    sessions: 4,
    stored: 2,
    kept: 1,
    within_days: 7,
    first_at: "2026-03-31T00:00:00.000Z",
  });
  expect(vanishingOf(agent(monthly), "/", () => [aged(29, false)], now)).toMatchObject({
    first_at: "2026-04-01T00:00:00.000Z",
  });
  const nothing = { sessions: 0, stored: 0, kept: 0, first_at: null };
  expect(vanishingOf(agent(monthly), "/", () => [aged(1, false)], now)).toMatchObject(nothing);
});

it("reads no file if the client keeps all of them", () => {
  const never = () => {
    throw new Error("not looked at");
  };
  expect(vanishingOf(agent(null), "/", never, now)).toBeNull();
});

it("what its client is about to delete is read first, then the newest", () => {
  const files = [aged(40, false), aged(1, false), aged(25, false), aged(2, false)];
  const order = (of: Agent) =>
    inOrderToRead(of, "/", files, now).map(({ mtimeMs }) => Math.round((now - mtimeMs) / day));
  expect(order(agent(monthly))).toEqual([25, 40, 1, 2]);
  expect(order(agent(null))).toEqual([1, 2, 25, 40]);
});
