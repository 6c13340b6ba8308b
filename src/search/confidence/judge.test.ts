import { describe, expect, it } from "vitest";
import { floor, ofAnswer, ofResult } from "./coefficients.ts";
import { judge, type ResultEvidence } from "./judge.ts";

const evidence = (of: Partial<ResultEvidence> = {}): ResultEvidence => ({
  held: 0,
  nearness: 0.1,
  defines: false,
  literal: false,
  ...of,
});
const found = (...all: ResultEvidence[]) => all.map((one, i) => ({ result: { id: i }, evidence: one }));

const good = { known: 1, nearness: 0.6, chunks: 1000 };
const bad = { known: 0.2, nearness: 0.1, chunks: 1000 };

describe.each(["code", "sessions", "history"] as const)("judge of %s", (searched) => {
  it("finds results with evidence for the question, most certain first", () => {
    const { results, nearest } = judge(
      searched,
      good,
      found(evidence({ held: 1, nearness: 0.6 }), evidence({ held: 0.2 })),
    );
    expect(results.map(({ id }) => id)).toEqual([0, 1]);
    expect(results[0]!.probability).toBeGreaterThan(results[1]!.probability);
    expect(nearest).toEqual([]);
  });

  it("finds nothing without evidence, and shows the nearest", () => {
    const { results, nearest } = judge(searched, bad, found(...Array.from({ length: 5 }, () => evidence())));
    expect(results).toEqual([]);
    expect(nearest.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(
      nearest.every(({ confidence, probability }) => confidence === "low" && probability < floor.meaning),
    ).toBe(true);
  });

  it.each(["literal", "defines"] as const)("keeps literal matches: %s", (name) => {
    expect(judge(searched, bad, found(evidence({ [name]: true }))).results).toHaveLength(1);
  });

  it("uses words alone if a question has no vector", () => {
    const asked = { known: 1, nearness: null, chunks: 1000 };
    expect(judge(searched, asked, found(evidence({ held: 1, nearness: null }))).results).toHaveLength(1);
    expect(judge(searched, { ...asked, known: 0 }, found(evidence({ nearness: null }))).results).toEqual([]);
  });

  it("does not let more evidence make an answer less likely", () => {
    for (const by of ["meaning", "words"] as const) {
      const { known, held, nearness } = ofAnswer[by];
      const { place, bias: _, ...result } = ofResult[searched][by];
      for (const one of [known, held, nearness, ...Object.values(result)]) {
        expect(one).toBeGreaterThanOrEqual(0);
      }
      expect(place).toBeLessThan(0);
    }
  });

  it("has no answer without candidates", () => {
    expect(judge(searched, bad, [])).toEqual({ results: [], nearest: [] });
  });
});
