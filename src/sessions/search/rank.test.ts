import { describe, expect, it } from "vitest";
import { detectSessionIntent } from "./intent.ts";
import { type ChunkEvidence, createStandardizer, rankSessions, type SessionCandidate } from "./rank.ts";
import { sessionWeights } from "./weights.ts";

const day = 24 * 3600 * 1000;
const now = Date.UTC(2026, 5, 1);
/** Evidence counts once, and nothing else does. */
const weights = {
  ...sessionWeights,
  words: 1,
  passage: 1,
  whole: 1,
  session: 0,
  recency: 0,
  recencyWhenAsked: 0,
};

const plain = {
  turn: 1,
  type: "raw",
  kind: "conversation",
  abandoned: false,
  startedAt: null,
} as const;
/** Each of a session of its own, in the order of their rows. */
const candidates = (
  ...all: (Omit<Partial<SessionCandidate>, "id"> & { id?: number })[]
): SessionCandidate[] =>
  all.map((more, i) => ({ ...plain, id: i + 1, sessionId: i + 1, ...more }) as SessionCandidate);

/** The same for every row, or by row. */
function evidence(words: number | Record<number, number>, more: Partial<ChunkEvidence> = {}): ChunkEvidence {
  const of = (id: number) => (typeof words === "number" ? words : (words[id] ?? 0));
  const none = () => 0;
  return { words: of, passage: none, whole: none, asked: none, summary: none, nearness: none, ...more };
}

function rank(
  all: SessionCandidate[],
  found: ChunkEvidence,
  more: Partial<typeof weights> = {},
  question = "where is it",
) {
  return rankSessions(all, found, detectSessionIntent(question), { ...weights, ...more }, now);
}
const rowsOf = (ranked: ReturnType<typeof rank>) => ranked.map(({ candidate }) => candidate.id);
const scoresOf = (ranked: ReturnType<typeof rank>) =>
  Object.fromEntries(ranked.map(({ candidate, score }) => [candidate.id, score]));

describe("evidence", () => {
  it("is added up, each by its weight", () => {
    const found = evidence(2, { passage: () => 3, whole: () => 5 });
    expect(scoresOf(rank(candidates({}), found, { words: 10, passage: 0.1, whole: 2 }))).toEqual({ 1: 30.3 });
  });

  it("below the average counts as none, and a boost does not change that", () => {
    const ranked = rank(candidates({ type: "annotated" }, {}), evidence({ 1: -3, 2: 1 }));
    expect(rowsOf(ranked)).toEqual([2, 1]);
    expect(scoresOf(ranked)).toEqual({ 1: 0, 2: 1 });
  });

  it("of the whole session counts for each of its chunks, of whatever kind", () => {
    const all = candidates({ sessionId: 1 }, { sessionId: 1, abandoned: true }, { sessionId: 2 });
    const found = evidence(1, {
      asked: (session) => (session === 1 ? 2 : 0),
      summary: () => 3,
      nearness: (session) => -session,
    });
    const more = { sessionAsked: 10, sessionSummary: 0.1, sessionNearness: 0.5, abandoned: 0.5 };
    expect(scoresOf(rank(all, found, more))).toEqual({
      1: 1 + 20 + 0.3 - 0.5,
      2: 0.5 + 20 + 0.3 - 0.5,
      3: 1 + 0.3 - 1,
    });
  });

  it("of the best chunks of its session counts as well, the next by half", () => {
    const all = candidates({ sessionId: 1 }, { sessionId: 1 }, { sessionId: 1 }, { sessionId: 2 });
    const found = evidence({ 1: 6, 2: 3, 3: 1, 4: 6 });
    const more = { session: 1, sessionDecay: 0.5, sessionChunks: 2 };
    const [first, second] = [(6 + 3 / 2) / 1.5, 6 / 1.5];
    expect(scoresOf(rank(all, found, more))).toEqual({
      1: 6 + first,
      2: 3 + first,
      3: 1 + first,
      4: 6 + second,
    });
  });
});

describe("the kind of a chunk", () => {
  it.each<[string, Partial<SessionCandidate>, string, number]>([
    ["a note", { type: "annotated" }, "where is it", 1.5],
    ["a summary, for the large picture", { type: "summary" }, "give me an overview", 1.2],
    ["a summary, for a detail", { type: "summary" }, "where is it", 0.8],
    ["a fix, where one is asked for", { kind: "error-fix" }, "how did we fix it", weights.fixForFix],
    ["a fix, for anything else", { kind: "error-fix" }, "where is it", 1],
    ["a decision, where one is asked for", { kind: "decision" }, "hvorfor", weights.decisionForDecision],
    ["a decision, for anything else", { kind: "decision" }, "where is it", 1],
    ["abandoned branch", { abandoned: true }, "where is it", weights.abandoned],
    ["several of these", { type: "annotated", abandoned: true }, "where is it", 1.5 * weights.abandoned],
  ])("%s", (_, what, question, factor) => {
    const [only] = rank(candidates(what), evidence(10), {}, question);
    expect(only!.score).toBeCloseTo(10 * factor, 12);
    expect(only!.signals.kind).toBeCloseTo(factor, 12);
  });
});

describe("age", () => {
  const aged = (...days: number[]) => candidates(...days.map((age) => ({ startedAt: now - age * day })));

  it("halves its part of the score in 30 days, where candidates are weeks apart", () => {
    const scores = scoresOf(rank(aged(0, 30, 60, 3000), evidence(10), { recency: 0.4, halfLife: 30 }));
    expect(scores[1]).toBeCloseTo(10, 9);
    expect(scores[2]).toBeCloseTo(6 + 4 / 2, 9);
    expect(scores[3]).toBeCloseTo(6 + 4 / 4, 9);
    expect(scores[4]).toBeCloseTo(6, 9);
  });

  it("does not matter within a week", () => {
    // Their standard deviation is 6.5 and 7.5 days.
    expect(scoresOf(rank(aged(0, 13), evidence(10), { recency: 0.4 }))).toEqual({ 1: 10, 2: 10 });
    expect(scoresOf(rank(aged(0, 15), evidence(10), { recency: 0.4 }))[2]).toBeLessThan(9);
  });

  it("matters more when the latest is asked for", () => {
    const more = { recency: 0.1, recencyWhenAsked: 0.5 };
    const score = (question: string) => scoresOf(rank(aged(0, 3000), evidence(10), more, question))[2];
    expect(score("the cache")).toBeCloseTo(9, 9);
    expect(score("the latest cache")).toBeCloseTo(5, 9);
  });

  it("does not lower chunks without a time, or with a time in the future", () => {
    const all = [...aged(-5, 100, 300), ...candidates({ id: 4 })];
    expect(scoresOf(rank(all, evidence(10), { recency: 0.4 }))).toMatchObject({ 1: 10, 4: 10 });
  });
});

it("puts the best first, of equal ones the first in the database", () => {
  const all = candidates({ id: 8 }, { id: 3 }, { id: 5 }, { id: 4 });
  expect(rowsOf(rank(all, evidence({ 3: 2, 4: 2, 5: 9, 8: 2 })))).toEqual([5, 3, 4, 8]);
  expect(rank([], evidence(1))).toEqual([]);
});

describe("standard deviations", () => {
  const of = (values: number[], population = 0) =>
    values.map(createStandardizer(Float64Array.from(values), population));

  it("are from the mean, and leave out NaN", () => {
    expect(of([1, Number.NaN, 3])).toEqual([-1, Number.NaN, 1]);
    expect(of([2, 4, 4, 4, 5, 5, 7, 9])).toEqual([-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2]);
  });

  it("count missing values as zeros", () => {
    // 3, 3 and two zeros: mean and deviation 1.5.
    expect(of([3, 3], 4)).toEqual([1, 1]);
    expect(of([3, 3], 1)).toEqual([0, 0]);
  });

  it("are zero if all are the same, or there is nothing", () => {
    expect(of([4, 4, Number.NaN])).toEqual([0, 0, Number.NaN]);
    expect(of([])).toEqual([]);
    expect(of([], 5)).toEqual([]);
  });
});
