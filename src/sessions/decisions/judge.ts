import { type Manner, readingOf, type Signals } from "./signals.ts";

/** Shorter sentences have no object, longer ones are not sentences. */
const limits = { fewestWords: 5, mostWords: 90, mostCharacters: 1_000 } as const;

/** Fitted by `npm run bench:decisions -- --fit`. */
const bias = -3.47;
const coefficients: Signals = {
  contrast: 0.74,
  chosenOver: 1.68,
  intent: 2.3,
  choice: 0.66,
  order: 0.07,
  reasonedOrder: 0.68,
  now: 0.34,
  norm: 0.34,
  typedNorm: 0.51,
  typedWish: 1.28,
  reason: 0.31,
  arrow: 0.49,
  subject: 0.5,
  names: 0.79,
  content: 1.94,
  hedge: -1.29,
  past: -1.65,
  question: -2.32,
  chore: -0.43,
  tidying: -1.02,
  tests: -1.01,
  business: -0.66,
  vague: -0.43,
  typed: 0.91,
  plan: 0.29,
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
