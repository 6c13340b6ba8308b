import { descend, listwise } from "./descent.ts";

/** One question to learn from: which of its places are right. */
export interface PlaceExample {
  /** For each place its file, and its signals, one after the other. */
  fileOf: readonly number[];
  evidence: readonly number[];
  isRight: readonly boolean[];
  /** How much the question counts. */
  count: number;
  /** For each file the logarithm of its score. */
  scores: readonly number[];
}

const rounds = 120;
const rate = 0.05;
/** Of the scaled weights. */
const decay = 0.003;

/**
 * A linear model that puts right places first: softmax over those of a question (ListNet; Cao et al. 2007) with weight decay,
 * fitted by Adam. The best place of a file has its file's score, the others fall behind it, as in `scoreByPlace`. Signals are
 * scaled to the same spread while it learns.
 * @param supports for each signal whether it can only speak for a place
 * @returns the weight of each signal, relative to that of the file's score
 */
export function fitPlaces(examples: readonly PlaceExample[], supports: readonly boolean[]): Float64Array {
  const signals = supports.length;
  const spread = spreadOf(examples, signals);
  const weights = new Float64Array(signals + 1);
  weights[signals] = 1;
  const unscaled = () => weights.map((weight, i) => (spread[i]! > 0 ? weight / spread[i]! : 0));
  const gradientAt = () => {
    const gradient = new Float64Array(signals + 1);
    const raw = unscaled();
    for (const example of examples) addGradient(example, raw, gradient);
    return gradient.map((slope, i) =>
      spread[i] === 0 ? 0 : slope / spread[i]! / examples.length + decay * weights[i]!,
    );
  };
  descend(weights, { rounds, rate }, gradientAt, () => {
    for (let i = 0; i <= signals; i++)
      if (i === signals || supports[i]) weights[i] = Math.max(weights[i]!, i === signals ? 0.05 : 0);
  });
  const raw = unscaled();
  return raw.slice(0, signals).map((weight) => weight / raw[signals]!);
}

/** Standard deviations of the signals, and 1 for the file's score. */
function spreadOf(examples: readonly PlaceExample[], signals: number): Float64Array {
  const [sum, squares] = [new Float64Array(signals), new Float64Array(signals)];
  let count = 0;
  for (const { evidence } of examples) {
    for (let at = 0; at < evidence.length; at++) {
      sum[at % signals]! += evidence[at]!;
      squares[at % signals]! += evidence[at]! ** 2;
    }
    count += evidence.length / signals;
  }
  const spread = sum.map((one, i) => Math.sqrt(Math.max(squares[i]! / count - (one / count) ** 2, 0)));
  return Float64Array.of(...spread, 1);
}

/** The score of each place, and of each file its best place. `weights` ends with that of the file's score. */
export function scoresOfPlaces(
  { fileOf, evidence, scores: ofFiles }: PlaceExample,
  weights: Float64Array,
): { scores: Float64Array; best: number[] } {
  const signals = weights.length - 1;
  const best: number[] = [];
  const scores = Float64Array.from(fileOf, (_, place) => {
    let score = 0;
    for (let i = 0, at = place * signals; i < signals; i++, at++) score += evidence[at]! * weights[i]!;
    return score;
  });
  fileOf.forEach((file, place) => {
    if (best[file] === undefined || scores[place]! > scores[best[file]!]!) best[file] = place;
  });
  const most = best.map((place) => scores[place]!);
  fileOf.forEach((file, place) => {
    scores[place]! += weights[signals]! * ofFiles[file]! - most[file]!;
  });
  return { scores, best };
}

function addGradient(example: PlaceExample, weights: Float64Array, gradient: Float64Array): void {
  const { evidence, isRight, count, fileOf, scores: ofFiles } = example;
  const { scores, best } = scoresOfPlaces(example, weights);
  const slopes = listwise(scores, isRight);
  const signals = weights.length - 1;
  for (let place = 0; place < scores.length; place++) {
    const slope = count * slopes[place]!;
    if (Math.abs(slope) < 1e-6) continue;
    const [at, bestAt] = [place * signals, best[fileOf[place]!]! * signals];
    for (let i = 0; i < signals; i++) gradient[i]! += slope * (evidence[at + i]! - evidence[bestAt + i]!);
    gradient[signals]! += slope * ofFiles[fileOf[place]!]!;
  }
}
