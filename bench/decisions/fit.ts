import { mannerOf } from "../../src/sessions/decisions/find.ts";
import { readingOf, type Signals, signs } from "../../src/sessions/decisions/signals.ts";
import { sentencesOf } from "../../src/sessions/summaries/prose.ts";
import { monotone, type Row } from "../regression.ts";
import { type Candidate, lettersOf } from "./candidates.ts";

/** A labelled sentence to fit on. */
export interface Labelled {
  session: string;
  candidate: Candidate;
  isDecision: boolean;
}

/** Of 0.003, 0.01, 0.03 and 0.1 the best by cross-validation, if hardly. */
const ridge = 0.01;
const folds = 10;
const names = Object.keys(signs) as (keyof Signals)[];
const signOf = names.map((name) => signs[name]);

/** The bias and the coefficients of `src/sessions/decisions/judge.ts`. */
export function fitSignals(all: readonly Labelled[]): { bias: number; coefficients: Record<string, number> } {
  const [bias = 0, ...slopes] = monotone(all.flatMap(rowsOf), signOf, ridge);
  const rounded = (value = 0) => Math.round(value * 100) / 100;
  return {
    bias: rounded(bias),
    coefficients: Object.fromEntries(names.map((name, i) => [name, rounded(slopes[i])])),
  };
}

/** How well each threshold does if every sentence is judged by coefficients fitted without its session. */
export function crossValidated(all: readonly Labelled[], thresholds: readonly number[]) {
  const foldOf = (session: string) => Number.parseInt(session.replace(/\D/g, "").slice(0, 6), 10) % folds;
  const judged = Array.from({ length: folds }, (_, fold) => fold).flatMap((fold) => {
    const [bias = 0, ...slopes] = monotone(
      all.filter(({ session }) => foldOf(session) !== fold).flatMap(rowsOf),
      signOf,
      ridge,
    );
    return all
      .filter(({ session }) => foldOf(session) === fold)
      .flatMap(rowsOf)
      .map(({ features, label }) => ({
        label,
        probability: 1 / (1 + Math.exp(-features.reduce((sum, value, i) => sum + value * slopes[i]!, bias))),
      }));
  });
  const decisions = all.filter(({ isDecision }) => isDecision).length;
  return thresholds.map((threshold) => {
    const found = judged.filter(({ probability }) => probability >= threshold);
    const right = found.filter(({ label }) => label === 1).length;
    return { threshold, found: found.length, precision: right / found.length, recall: right / decisions };
  });
}

/** None for what is no prose: a heading, a row of a table. */
function rowsOf({ candidate: { by, text, message }, isDecision }: Labelled): Row[] {
  const sentence = sentenceAs(text, message);
  if (sentence === null || by === "answer") return [];
  const { signals } = readingOf(sentence, mannerOf({ by, text: message }));
  return [{ features: names.map((name) => signals[name]), label: Number(isDecision), weight: 1 }];
}

/** The sentence of the product that a candidate is, or begins with. */
function sentenceAs(text: string, message: string): string | null {
  const letters = lettersOf(text);
  const isSame = (sentence: string) => {
    const own = lettersOf(sentence);
    return own.length > 8 && (letters.startsWith(own.slice(0, 60)) || own.startsWith(letters.slice(0, 60)));
  };
  return [...sentencesOf(message)].find(isSame) ?? null;
}
