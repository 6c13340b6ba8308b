import { bagsOf } from "./bags.ts";
import type { Pair } from "./pairs.ts";
import type { TokenTable } from "./table.ts";

const mostQuestions = 250;
const fewestQuestions = 20;

/**
 * How well questions find their passages among all passages of the same repository, for each kind of pair: mean
 * reciprocal rank, cut at 10, averaged over repositories.
 */
export function evaluate(
  table: TokenTable,
  pairs: readonly Pair[],
  vocabulary: readonly string[],
): Record<string, number> {
  const scores: Record<string, number[]> = {};
  for (const repository of new Set(pairs.map((pair) => pair.repository))) {
    const own = pairs.filter((pair) => pair.repository === repository);
    const all = Uint32Array.from(own.keys());
    const passages = table.embed(
      bagsOf(
        own.map(({ passage }) => passage),
        vocabulary,
      ),
      all,
    ).vectors;
    const questions = table.embed(
      bagsOf(
        own.map(({ question }) => question),
        vocabulary,
      ),
      all,
    ).vectors;
    for (const kind of new Set(own.map((pair) => pair.kind))) {
      const asked = [...all].filter((i) => own[i]!.kind === kind).slice(0, mostQuestions);
      if (asked.length < fewestQuestions) continue;
      const sum = asked.reduce(
        (total, i) => total + reciprocalRank(questions, passages, i, table.dimensions),
        0,
      );
      scores[kind] = [...(scores[kind] ?? []), sum / asked.length];
    }
  }
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return Object.fromEntries(Object.entries(scores).map(([kind, values]) => [kind, mean(values)]));
}

function reciprocalRank(questions: Float32Array, passages: Float32Array, own: number, n: number): number {
  const similarity = (p: number) => {
    let sum = 0;
    for (let d = 0; d < n; d++) sum += questions[own * n + d]! * passages[p * n + d]!;
    return sum;
  };
  const right = similarity(own);
  let rank = 1;
  for (let p = 0; p < passages.length / n && rank <= 10; p++) if (similarity(p) > right) rank++;
  return rank <= 10 ? 1 / rank : 0;
}
