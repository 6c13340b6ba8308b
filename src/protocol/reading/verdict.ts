import { type Verdict, verdicts } from "../values.ts";

/** What a verdict is called. */
export const verdictText: Readonly<Record<Verdict, string>> = {
  found: "found",
  maybe: "maybe",
  probably_not_here: "probably not here",
};

/** What a reader should know before the results; null: nothing, as they answer the question. */
export const verdictAdvice: Readonly<Record<Verdict, string | null>> = {
  found: null,
  maybe: "Maybe: these come closest; check whether they answer it.",
  probably_not_here: "Probably not here. These come closest:",
};

/** The verdict of several answers together: the best of them. */
export function bestVerdict(answers: readonly ({ verdict: Verdict } | null)[]): Verdict {
  return (
    verdicts.find((verdict) => answers.some((answer) => answer?.verdict === verdict)) ?? "probably_not_here"
  );
}

/** How fast it gets less likely, from place to place, that a result is what was asked for. */
const byPlace = 0.4;

/** Puts the results of several answers in one order: how likely one is meant, by its answer's probability and its place there, from 1. */
export const likelihood = ({ probability }: { probability: number }, place: number): number =>
  probability * place ** -byPlace;
