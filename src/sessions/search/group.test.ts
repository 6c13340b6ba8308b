import { expect, it } from "vitest";
import { groupBySession, type HitPlace } from "./group.ts";

interface Hit extends HitPlace {
  name: string;
}

const hit = (name: string, sessionId: number, turn: number, more: Partial<HitPlace> = {}): Hit => ({
  name,
  sessionId,
  turn,
  evidence: 1,
  isSummary: false,
  isLoneNote: false,
  ...more,
});

function groups(hits: readonly Hit[], { showsSummaries = false } = {}) {
  const found = groupBySession(hits, (one) => one, { share: 0.5, showsSummaries });
  return found.map(({ shown, others }) => [shown.name, ...others.map(({ name }) => name)]);
}

it("has one group a session, in the order of their first hits", () => {
  expect(groups([hit("a1", 1, 1), hit("b1", 2, 1), hit("a2", 1, 2), hit("c1", 3, 1)])).toEqual([
    ["a1", "a2"],
    ["b1"],
    ["c1"],
  ]);
});

it("counts as matching the turns with a share of the best one's evidence, each once", () => {
  const hits = [
    hit("best", 1, 1, { evidence: 10 }),
    hit("half", 1, 2, { evidence: 5 }),
    hit("half again", 1, 2, { evidence: 5 }),
    hit("more of the best", 1, 1, { evidence: 9 }),
    hit("little", 1, 3, { evidence: 4 }),
  ];
  expect(groups(hits)).toEqual([["best", "half"]]);
});

it("shows a turn rather than a summary, except for a broad question", () => {
  const hits = [hit("summary", 1, 1, { isSummary: true }), hit("turn", 1, 1), hit("next", 1, 2)];
  expect(groups(hits)).toEqual([["turn", "next"]]);
  expect(groups(hits, { showsSummaries: true })).toEqual([["summary", "turn", "next"]]);
  expect(groups([hit("alone", 1, 1, { isSummary: true })])).toEqual([["alone"]]);
});

it("keeps notes without a session apart", () => {
  const notes = [hit("one", 1, 0, { isLoneNote: true }), hit("two", 1, 0, { isLoneNote: true })];
  expect(groups(notes)).toEqual([["one"], ["two"]]);
});
