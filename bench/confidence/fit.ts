import {
  type By,
  type Coefficients,
  type Evidence,
  thresholds,
} from "../../src/search/confidence/coefficients.ts";
import { evidenceOf, probabilityOf } from "../../src/search/confidence/judge.ts";
import { monotone } from "../regression.ts";
import { isAnswered, type Sample } from "./sample.ts";

/**
 * Answerable and unanswerable questions have equal total weight, so that a probability holds where every other question
 * has no answer.
 */
function weighted(samples: readonly Sample[]): { sample: Sample; weight: number }[] {
  const answerable = samples.filter((one) => one.isAnswerable);
  return samples.map((sample) => {
    const others = sample.isAnswerable ? answerable.length : samples.length - answerable.length;
    return { sample, weight: 1 / Math.max(others, 1) };
  });
}

/** Those that the judge weighs: a name or a text that stands there as asked needs no regression. */
const usable = (samples: readonly Sample[], by: By) =>
  samples.filter(
    ({ asked, found }) =>
      found.length > 0 &&
      (by === "words" || asked.nearness !== null) &&
      !found.some(({ evidence }) => evidence.literal || evidence.defines),
  );

const evidenceIn = ({ asked, found }: Sample): Evidence =>
  evidenceOf(
    asked,
    found.map(({ evidence }) => evidence),
  );

/** Whether the first results answer the question. */
export function fitCoefficients(samples: readonly Sample[], by: By): Coefficients {
  const rows = weighted(usable(samples, by)).map(({ sample, weight }) => {
    const { known, held, size, lead, nearness } = evidenceIn(sample);
    const features = [known, held, size, lead, ...(by === "meaning" ? [nearness] : [])];
    return { features, label: Number(isAnswered(sample)), weight };
  });
  const signs = [1, 1, -1, 1, ...(by === "meaning" ? [1] : [])];
  const [bias = 0, known = 0, held = 0, size = 0, lead = 0, nearness = 0] = monotone(rows, signs);
  return rounded({ bias, known, held, nearness, lead, size });
}

/** Of what is called found so many are right, of what is called "probably not here" at most so many: shares, with room to spare. */
const aims = { found: 0.93, nonsense: 0.01, notHere: 0.04 };

/** The lowest probability from which on, and the highest below which, the aims hold. */
export function fitThresholds(
  samples: readonly Sample[],
  { by, coefficients }: { by: By; coefficients: Coefficients },
): { found: number; notHere: number } {
  const all = weighted(usable(samples, by)).map(({ sample, weight }) => ({
    weight,
    isRight: isAnswered(sample),
    isNonsense: !sample.isAnswerable,
    probability: probabilityOf(coefficients, evidenceIn(sample)),
  }));
  const weightOf = (of: typeof all) => of.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = (of: typeof all, is: (one: (typeof all)[number]) => boolean) =>
    weightOf(of.filter(is)) / (weightOf(of) || 1);
  const nonsense = all.filter(({ isNonsense }) => isNonsense);
  const steps = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
  const found = steps.find((from) => {
    const isIn = ({ probability }: (typeof all)[number]) => probability >= from;
    return (
      shareOf(all.filter(isIn), ({ isRight }) => isRight) >= aims.found &&
      shareOf(nonsense, isIn) <= aims.nonsense
    );
  });
  const notHere = steps.findLast((below) => {
    const isIn = all.filter(({ probability }) => probability < below);
    return shareOf(isIn, ({ isRight }) => isRight) <= aims.notHere;
  });
  return { found: found ?? thresholds.code.found, notHere: Math.min(notHere ?? 0, found ?? 1) };
}

function rounded(values: Coefficients): Coefficients {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(value * 100) / 100]),
  ) as unknown as Coefficients;
}
