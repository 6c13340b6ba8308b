import { expect, it } from "vitest";
import { blendWeights, reportWeights, scoreFile } from "./rank-report.ts";
import { type FileEvidence, reportSignals } from "./report-signals.ts";

const evidenceOf = (some: Partial<FileEvidence>): FileEvidence => ({
  ...(Object.fromEntries(reportSignals.map((signal) => [signal, 0])) as FileEvidence),
  ...some,
});

it("a stack trace alone is answered by its frames; with words beside it, these count as well", () => {
  const called = evidenceOf({ frame: 1, innermost_frame: 0.5 });
  const described = evidenceOf({ title_words: 1, title_meaning: 0.6, told_meaning: 0.6, words: 0.6 });
  const compare = (isLog: number) => {
    const weights = blendWeights(reportWeights, isLog);
    return scoreFile(called, weights) - scoreFile(described, weights);
  };
  expect(compare(0)).toBeLessThan(0);
  expect(compare(1)).toBeGreaterThan(0);
  expect(compare(0.5)).toBeCloseTo((compare(0) + compare(1)) / 2);
});
