import type { Bags } from "./bags.ts";
import { draw, type Lessons } from "./distil.ts";
import { infoNce, pullTowards } from "./losses.ts";
import { type Random, shuffle } from "./random.ts";
import type { TokenTable } from "./table.ts";

export interface Questions {
  questions: Bags;
  passages: Bags;
  /** The group of each pair: those of one group make hard negatives for each other. */
  groups: readonly string[];
}

export interface ContrastOptions {
  epochs: number;
  batch: number;
  /** Adam's rate, rising over the first steps, then falling to nothing. */
  rate: number;
  temperature: number;
  /** The share of pairs that meet others of their own group. */
  sameGroup: number;
  /** Pairs of one group that come together. */
  groupSize: number;
  /** Weight of staying close to the teacher. */
  teacher: number;
}

const warmUpSteps = 50;

/** Moves the token vectors until a question is closer to its passage than to those of others. */
export function contrast(
  table: TokenTable,
  pairs: Questions,
  lessons: Lessons,
  options: ContrastOptions,
  random: Random,
  report: (step: number, steps: number, loss: number) => void,
): void {
  table.restart();
  const batches = Array.from({ length: options.epochs }, () =>
    batchesOf(pairs.groups, options, random),
  ).flat();
  let loss = 0;
  for (const [step, texts] of batches.entries()) {
    const questions = table.embed(pairs.questions, texts);
    const passages = table.embed(pairs.passages, texts);
    const judged = infoNce(questions.vectors, passages.vectors, options.batch, options.temperature);
    loss += judged.loss;
    table.backward(questions, judged.questions);
    table.backward(passages, judged.passages);
    if (options.teacher > 0) stayClose(table, lessons, options, random);
    table.step(options.rate * Math.min(1, step / warmUpSteps) * (1 - step / batches.length));
    if (step % 100 === 99) {
      report(step + 1, batches.length, loss / 100);
      loss = 0;
    }
  }
}

function stayClose(
  table: TokenTable,
  lessons: Lessons,
  { batch, teacher }: ContrastOptions,
  random: Random,
): void {
  const { texts, targets } = draw(lessons, batch, table.dimensions, random);
  const given = table.embed(lessons.bags, texts);
  const gradient = new Float32Array(given.vectors.length);
  pullTowards(given.vectors, targets, batch, teacher, gradient);
  table.backward(given, gradient);
}

/** Every pair once, as far as batches come out full: some at random, some together with others of their group. */
function batchesOf(
  groups: readonly string[],
  { batch, sameGroup, groupSize }: ContrastOptions,
  random: Random,
): Uint32Array[] {
  const alone: number[] = [];
  const together = new Map<string, number[]>();
  for (const i of shuffle([...groups.keys()], random)) {
    if (random() >= sameGroup) alone.push(i);
    else if (together.get(groups[i]!)?.push(i) === undefined) together.set(groups[i]!, [i]);
  }
  const clusters = shuffle(
    [...together.values()].flatMap((group) => fullSlices(group, groupSize)),
    random,
  );
  return shuffle([...fullSlices(alone, batch), ...fullSlices(clusters.flat(), batch)], random).map((slice) =>
    Uint32Array.from(slice),
  );
}

function fullSlices(items: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
