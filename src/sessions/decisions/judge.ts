import { type Manner, readingOf, type Signals } from "./signals.ts";

/** Shorter sentences have no object, longer ones are not sentences. */
const limits = { fewestWords: 5, mostWords: 90, mostCharacters: 1_000 } as const;

/** Fitted by `npm run bench:decisions -- --fit`. */
const bias = -3.41;
const coefficients: Signals = {
  contrast: 0.67,
  chosenOver: 1.65,
  intent: 2.28,
  choice: 0.65,
  order: 0.13,
  reasonedOrder: 0.57,
  now: 0.36,
  norm: 0.36,
  typedNorm: 0.48,
  typedWish: 1.28,
  reason: 0.34,
  arrow: 0.48,
  subject: 0.48,
  names: 0.77,
  content: 1.9,
  hedge: -1.26,
  past: -1.63,
  question: -2.32,
  chore: -0.34,
  tidying: -0.99,
  tests: -0.96,
  business: -0.62,
  narration: -0.44,
  vague: -0.39,
  typed: 0.87,
  plan: 0.25,
  pasted: -1.95,
};

/** From this probability on a sentence counts as a decision: few and right rather than many. */
const threshold = 0.6;

/**
 * Whether a sentence states a choice so that it can be understood alone: the choice, its object, and mostly the
 * reason. A sentence that says so itself ("we decided to ...") does; of others a logistic regression over a few signals
 * says how probable it is. The signals are of English: `sessions.decision_words` adds those of other languages.
 */
export function isDecision(sentence: string, manner: Manner): boolean {
  return probabilityOf(sentence, manner) >= threshold;
}

function probabilityOf(sentence: string, manner: Manner): number {
  if (sentence.length > limits.mostCharacters || sentence.startsWith("<")) return 0;
  const count = sentence.split(/\s+/).length;
  if (count < limits.fewestWords || count > limits.mostWords) return 0;
  const { signals, isDeclared } = readingOf(sentence, manner);
  if (isDeclared) return 1;
  const names = Object.keys(coefficients) as (keyof Signals)[];
  const sum = names.reduce((total, name) => total + coefficients[name] * signals[name], bias);
  return 1 / (1 + Math.exp(-sum));
}
