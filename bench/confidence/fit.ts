import type { OfAnswer, OfResult } from "../../src/search/confidence/coefficients.ts";
import type { Searched } from "../../src/search/confidence/judge.ts";
import { monotone, type Row } from "../regression.ts";
import type { Sample } from "./sample.ts";

/**
 * Answerable and unanswerable questions have equal total weight, so that a probability holds where every other question
 * has no answer.
 */

/** Questions with an answer among the first ten results, and questions that have none. */
function split(samples: readonly Sample[], searched: Searched, byMeaning: boolean) {
  const usable = samples.filter(
    (one) => one.searched === searched && (!byMeaning || one.asked.nearness !== null),
  );
  return {
    answered: usable.filter(
      ({ isAnswerable, found }) => isAnswerable && found.some(({ isRight }) => isRight),
    ),
    unanswered: usable.filter(({ isAnswerable }) => !isAnswerable),
  };
}

/** Whether there is an answer: fitted on code, for sessions as well. */
export function fitAnswer(samples: readonly Sample[], byMeaning: boolean): OfAnswer {
  const { answered, unanswered } = split(samples, "code", byMeaning);
  const [bias, known, held, size, nearness] = monotone(
    [described(answered), described(unanswered)].flatMap((some) =>
      some.map((sample) => rowOfAnswer(sample, byMeaning, 1 / some.length)),
    ),
    [1, 1, -1, ...(byMeaning ? [1] : [])],
  );
  return rounded({ bias, known, held, nearness, size });
}

/** If there is an answer, whether it is this result. */
export function fitResult(samples: readonly Sample[], searched: Searched, byMeaning: boolean): OfResult {
  const { answered } = split(samples, searched, byMeaning);
  const [bias, held, place, defines, nearness] = monotone(
    answered.flatMap(({ found }) =>
      found.map(({ evidence, isRight }, i): Row => {
        const ofMeaning = byMeaning ? [evidence.nearness ?? 0] : [];
        const features = [evidence.held, Math.log(i + 1), Number(evidence.defines), ...ofMeaning];
        return { features, label: Number(isRight), weight: 1 / answered.length };
      }),
    ),
    [1, -1, 1, ...(byMeaning ? [1] : [])],
  );
  return rounded({ bias, held, nearness, defines, place });
}

/** A name either matches exactly or not at all, so it needs no regression. */
const described = (samples: readonly Sample[]) => samples.filter(({ kind }) => !/\bname$/.test(kind));

/** What speaks for there being an answer. */
function rowOfAnswer({ asked, found, isAnswerable }: Sample, byMeaning: boolean, weight: number): Row {
  const held = Math.max(0, ...found.map(({ evidence }) => evidence.held));
  const features = [asked.known, held, Math.log(asked.chunks), ...(byMeaning ? [asked.nearness ?? 0] : [])];
  return { features, label: Number(isAnswerable), weight };
}

function rounded<T extends Record<string, number | undefined>>(values: T): { [K in keyof T]: number } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round((value ?? 0) * 100) / 100]),
  ) as { [K in keyof T]: number };
}
