import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import type { ChunkNearness } from "../../code/search/vectors/nearness.ts";
import { allChunks } from "../../store/memory/chunks/chunk-filter.ts";
import { listChunksOfSession, replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { collectEvidence } from "./evidence.ts";
import { sessionWeights } from "./weights.ts";

let store: ReturnType<typeof temporaryMemory>;
/** Rows of the chunks, by their order. */
let rows: SessionChunkId[];

beforeEach(() => {
  store = temporaryMemory();
  const { id } = addSession(store.memory, "s");
  const texts = ["the retry is flaky", "lunch", "a retry", "colours", "names"];
  const branchOf = (i: number) => (i < 2 ? "main" : "side");
  const chunks = texts.map((text, i) => chunk(i, text, { branch: branchOf(i) }));
  rows = replaceChunks(store.memory, id, { type: "raw", from: 0 }, chunks);
});
afterEach(() => store.remove());

/** What a model found, by the order of chunks; one is left out of the model, and all come in another order. */
function near(best: number[], whole = best): ChunkNearness {
  const chunkIds = rows.slice(0, best.length).reverse();
  return {
    chunkIds,
    placeOf: new Map(chunkIds.map((id, place) => [id, place])),
    best: Float64Array.from(best).reverse(),
    whole: Float64Array.from(whole).reverse(),
  };
}

const collect = (
  tokens: string[],
  nearness: ChunkNearness[] = [],
  { filter = allChunks, weights = sessionWeights } = {},
) => collectEvidence(store.memory, tokens, filter, nearness, weights);
const all = (of: (id: SessionChunkId) => number) => rows.map(of);

describe("words", () => {
  it("count by how rare they are, and for nothing if they are missing", () => {
    const { evidence, candidates } = collect(["retri", "flaki"]);
    const [both, none, one, ...others] = all(evidence.words) as [number, number, number, ...number[]];
    expect(both).toBeGreaterThan(one);
    expect(one).toBeGreaterThan(0);
    expect([none, ...others]).toEqual([0, 0, 0]);
    expect(candidates).toEqual([rows[0], rows[2]]);
    expect(all(evidence.passage)).toEqual([0, 0, 0, 0, 0]);
  });

  it("count by their place", () => {
    const weights = { ...sessionWeights, columns: { prompt: 1, answer: 0, actions: 1, errors: 1 } };
    expect(all(collect(["flaki"], [], { weights }).evidence.words)).toEqual([0, 0, 0, 0, 0]);
  });

  it("are looked for in part of the chunks", () => {
    const { candidates } = collect(["retri"], [], { filter: { ...allChunks, branch: "side" } });
    expect(candidates).toEqual([rows[2]]);
  });
});

describe("nearness", () => {
  it("counts by how far above the average it is; of passages and of wholes", () => {
    const { evidence, candidates } = collect([], [near([0.1, 0.9, 0.3, 0.3, Number.NaN], [0, 0, 0, 0.8, 0])]);
    const [first, second, third, fourth, fifth] = all(evidence.passage) as [
      number,
      number,
      number,
      number,
      number,
    ];
    expect(second).toBeGreaterThan(third);
    expect(third).toBe(fourth);
    expect(third).toBeGreaterThan(first);
    expect(fifth).toBe(0);
    expect(evidence.whole(rows[3]!)).toBeGreaterThan(2);
    expect(candidates.slice(0, 1)).toEqual([rows[1]]);
    expect(candidates).toContain(rows[3]);
    expect(candidates).not.toContain(rows[4]);
  });

  it("is compared within part of the chunks only", () => {
    const filter = { ...allChunks, branch: "side" };
    const { evidence, candidates } = collect([], [near([0.9, 0.9, 0.1, 0.2, 0])], { filter });
    expect(candidates).toEqual([rows[3], rows[2]]);
    expect(all(evidence.passage).slice(0, 2)).toEqual([0, 0]);
    expect(evidence.passage(rows[3]!)).toBeGreaterThan(2);
  });

  it("is that of two models where both know a chunk", () => {
    const [first, second] = [near([0.2, 0.8, 0.5, 0.1, 0.6]), near([0.9, 0.1])];
    const alone = (one: ChunkNearness) => all(collect([], [one]).evidence.passage);
    const weights = { ...sessionWeights, secondModel: 0.25 };
    const together = all(collect([], [first, second], { weights }).evidence.passage);
    const [a, b] = [alone(first), alone(second)];
    expect(together[0]).toBeCloseTo(0.75 * a[0]! + 0.25 * b[0]!, 12);
    expect(together.slice(2)).toEqual(a.slice(2));
  });
});

it("limits the candidates of each kind of evidence to the best", () => {
  const weights = { ...sessionWeights, candidates: 1 };
  const nearness = near([0.1, 0.9, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.9, 0.1]);
  expect(collect(["retri", "flaki"], [nearness], { weights }).candidates).toEqual([
    rows[0],
    rows[1],
    rows[3],
  ]);
  const equal = near([0.9, 0.1, 0.9, 0.9, 0.1]);
  // Of equal ones the first in the order of the model, here the last row.
  expect(collect([], [equal], { weights: { ...weights, candidates: 2 } }).candidates).toEqual([
    rows[3],
    rows[2],
  ]);
});

it("is empty in an empty part, or an empty memory", () => {
  const nothing = { filter: { ...allChunks, branch: "none" } };
  expect(collect(["retri"], [near([1, 2, 3, 4, 5])], nothing).candidates).toEqual([]);
  replaceChunks(store.memory, 1, { type: "raw", from: 0 }, []);
  expect(listChunksOfSession(store.memory, 1)).toEqual([]);
  expect(collect(["retri"]).candidates).toEqual([]);
});

it("counts how near a session is by all of its chunks together", () => {
  const { id: other } = addSession(store.memory, "other");
  const of = chunk(0, "something else", { session: "other" });
  const [chunkOfOther] = replaceChunks(store.memory, other, { type: "raw", from: 0 }, [of]);
  const chunkIds = [...rows, chunkOfOther!];
  const whole = Float64Array.from([0.1, 0.9, 0.1, 0.1, 0.1, 0.5]);
  const model = {
    chunkIds,
    placeOf: new Map(chunkIds.map((id, place) => [id, place])),
    best: whole,
    whole,
  };
  const { evidence } = collect([], [model]);
  // The first session has the nearest chunk, but is about something else on average.
  expect(evidence.nearness(other)).toBeGreaterThan(evidence.nearness(1));
  expect(evidence.nearness(other)).toBeCloseTo(evidence.whole(chunkOfOther!), 12);
  expect(collect([], [model], { filter: { ...allChunks, branch: "none" } }).evidence.nearness(other)).toBe(0);
  expect(collect(["retri"]).evidence.nearness(1)).toBe(0);
});
