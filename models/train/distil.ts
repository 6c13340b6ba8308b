import type { Bags } from "./bags.ts";
import { pullTowards } from "./losses.ts";
import type { Random } from "./random.ts";
import type { TokenTable } from "./table.ts";

/** Texts with the teacher's unit vectors, projected to the table's dimensions. */
export interface Lessons {
  bags: Bags;
  count: number;
  targets: Float32Array;
}

/** Draws texts at random, with their targets. */
export function draw(lessons: Lessons, size: number, dimensions: number, random: Random) {
  const texts = Uint32Array.from({ length: size }, () => Math.floor(random() * lessons.count));
  const targets = new Float32Array(size * dimensions);
  texts.forEach((text, i) => {
    targets.set(lessons.targets.subarray(text * dimensions, (text + 1) * dimensions), i * dimensions);
  });
  return { texts, targets };
}

interface DistilOptions {
  steps: number;
  batch: number;
  /** Adam's rate, falling to nothing. */
  rate: number;
}

/** Moves the token vectors until a text's sum points where the teacher's vector of it points. */
export function distil(
  table: TokenTable,
  lessons: Lessons,
  { steps, batch, rate }: DistilOptions,
  random: Random,
  report: (step: number, cosine: number) => void,
): void {
  table.restart();
  let cosine = 0;
  for (let step = 0; step < steps; step++) {
    const { texts, targets } = draw(lessons, batch, table.dimensions, random);
    const given = table.embed(lessons.bags, texts);
    const gradient = new Float32Array(given.vectors.length);
    cosine += pullTowards(given.vectors, targets, batch, 1, gradient);
    table.backward(given, gradient);
    table.step(rate * (1 - step / steps));
    if (step % 100 === 99) {
      report(step + 1, cosine / 100);
      cosine = 0;
    }
  }
}
