import learned from "../../../../models/rank/reports.json" with { type: "json" };
import { type Background, rank } from "../rank.ts";
import type { RankedChunk, Reported } from "../signals.ts";
import type { Weights } from "../weights.ts";
import type { ReportEvidence } from "./evidence.ts";
import { type FileEvidence, reportSignals, type SignalWeights } from "./report-signals.ts";

/** Of a report in somebody's words, and of a stack trace alone. */
export type ReportWeights = Readonly<Record<"report" | "log", SignalWeights>>;

/** Learned from other repositories' histories (models/rank/README.md). */
export const reportWeights: ReportWeights = learned;

/** The weights for what is a log as much as `isLog` says. */
export function blendWeights({ report, log }: ReportWeights, isLog: number): SignalWeights {
  if (isLog === 0) return report;
  return Object.fromEntries(
    reportSignals.map((signal) => [signal, (1 - isLog) * report[signal] + isLog * log[signal]]),
  ) as SignalWeights;
}

/** The logarithm of the odds that a file answers a report. */
export function scoreFile(evidence: FileEvidence, weights: SignalWeights): number {
  let sum = 0;
  for (const signal of reportSignals) sum += weights[signal] * evidence[signal];
  return sum;
}

/**
 * Orders files by what speaks for them, and the places of each as for any question. A score is the odds of its file beside the
 * best one's.
 */
export async function rankReport(
  { files, candidates, query, changes, isLog }: ReportEvidence,
  background: Omit<Background, "changes">,
  weights: Weights,
): Promise<RankedChunk[]> {
  const ranked = await rank(candidates, query, { ...background, changes }, weights);
  const signalWeights = blendWeights(reportWeights, isLog);
  const scores = new Map([...files].map(([file, evidence]) => [file, scoreFile(evidence, signalWeights)]));
  const top = Math.max(...scores.values());
  const best = new Map<number, number>();
  for (const { candidate, score } of ranked) {
    const { file } = candidate.chunk;
    best.set(file, Math.max(best.get(file) ?? 0, score));
  }
  for (const entry of ranked) {
    const { file } = entry.candidate.chunk;
    entry.reported = { evidence: files.get(file)!, weights: signalWeights };
    entry.score = Math.exp(scores.get(file)! - top) * (entry.score / (best.get(file) || 1) || 1);
  }
  return ranked.sort((a, b) => b.score - a.score);
}

/** What the signals of a report contribute to the score of a file, without those that say nothing; the keys are those of JSON. */
export const explainEvidence = ({ evidence, weights }: Reported): Record<string, number> =>
  Object.fromEntries(
    reportSignals.flatMap((signal) => {
      const share = weights[signal] * evidence[signal];
      return share === 0 ? [] : [[signal, share]];
    }),
  );
