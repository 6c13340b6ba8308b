import { describe, expect, it } from "vitest";
import { coefficients } from "./coefficients.ts";
import { judge, judgeLog, type ResultEvidence } from "./judge.ts";

const evidence = (of: Partial<ResultEvidence> = {}): ResultEvidence => ({
  held: 0,
  nearness: 0.1,
  defines: false,
  literal: false,
  ...of,
});

const good = { known: 1, nearness: 0.6, chunks: 1000 };
const bad = { known: 0.2, nearness: 0.1, chunks: 1000 };

describe.each(["code", "sessions", "history"] as const)("judge of %s", (searched) => {
  it("says found where the results hold what was asked", () => {
    const judged = judge(searched, good, [evidence({ held: 1, nearness: 0.6 }), evidence({ held: 0.2 })]);
    expect(judged.verdict).toBe("found");
    expect(judged.probability).toBeGreaterThan(0.5);
  });

  it("says that it is probably not here without evidence", () => {
    const judged = judge(
      searched,
      bad,
      Array.from({ length: 5 }, () => evidence()),
    );
    expect(judged.verdict).toBe("probably_not_here");
    expect(judged.probability).toBeLessThan(0.2);
    expect(judge(searched, bad, [])).toEqual({ verdict: "probably_not_here", probability: 0 });
  });

  it("never says found where no result holds a word of the question", () => {
    expect(judge(searched, { ...good, nearness: 1 }, [evidence({ nearness: 1 })]).verdict).not.toBe("found");
  });

  it.each(["literal", "defines"] as const)("takes what stands there for found: %s", (name) => {
    expect(judge(searched, bad, [evidence({ held: 0.5, [name]: true })]).verdict).toBe("found");
  });

  it("never says found of a name that no result has as a whole", () => {
    const parts = evidence({ held: 1, nearness: 0.6, namesHeld: false });
    expect(judge(searched, good, [parts, parts]).verdict).toBe("maybe");
    expect(judge(searched, good, [parts, { ...parts, namesHeld: true }]).verdict).toBe("found");
  });

  it("uses words alone if a question has no vector", () => {
    const asked = { known: 1, nearness: null, chunks: 1000 };
    expect(judge(searched, asked, [evidence({ held: 1, nearness: null })]).verdict).toBe("found");
    expect(judge(searched, { ...asked, known: 0 }, [evidence({ nearness: null })]).verdict).toBe(
      "probably_not_here",
    );
  });

  it("does not let more evidence make an answer less likely", () => {
    for (const { known, held, nearness, lead, size } of Object.values(coefficients[searched])) {
      for (const one of [known, held, nearness, lead]) expect(one).toBeGreaterThanOrEqual(0);
      expect(size).toBeLessThanOrEqual(0);
    }
  });
});

it("does not say that something is not in a memory of a few sessions", () => {
  const small = { ...bad, chunks: 8 };
  const none = Array.from({ length: 3 }, () => evidence());
  expect(judge("sessions", small, none).verdict).toBe("maybe");
  expect(judge("sessions", bad, none).verdict).toBe("probably_not_here");
});

it("a stack trace alone is never surely found", () => {
  expect(judgeLog({ verdict: "found", probability: 0.97 })).toMatchObject({ verdict: "maybe" });
  expect(judgeLog({ verdict: "probably_not_here", probability: 0.1 })).toEqual({
    verdict: "probably_not_here",
    probability: 0.1,
  });
});
