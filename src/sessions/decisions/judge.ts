import { type Manner, readingOf, type Signals } from "./signals.ts";

/** Shorter sentences have no object, longer ones are not sentences. */
const limits = { fewestWords: 5, mostWords: 90, mostCharacters: 1_000 } as const;

/** Fitted by `npm run bench:decisions -- --fit`. */
const bias = -3.48;
const coefficients: Signals = {
  contrast: 0.81,
  chosenOver: 1.35,
  intent: 2.36,
  choice: 0.67,
  order: 0.11,
  reasonedOrder: 0.67,
  now: 0.38,
  norm: 0.37,
  typedNorm: 0.5,
  typedWish: 1.27,
  reason: 0.28,
  arrow: 0.47,
  subject: 0.51,
  names: 0.8,
  content: 1.88,
  hedge: -1.28,
  past: -1.64,
  question: -2.34,
  chore: -0.43,
  tidying: -1.01,
  tests: -0.97,
  business: -0.7,
  vague: -0.43,
  typed: 0.93,
  plan: 0.3,
  pasted: -2.2,
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
