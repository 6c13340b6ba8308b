/**
 * Learns what code search shows first (code.json): which file, and which place of it. From questions that are mined from
 * repositories, none of which is in a benchmark (README.md).
 *
 *   npm run model:rank -- --clones DIR --work DIR
 *
 *   --only LIST  only these repositories
 *   --folds N    leave the repositories out in so many groups (default: 5)
 *   --dry        write nothing
 *
 * DIR holds a clone of each repository of repositories.json under its name; checkouts, indexes and evidence are kept in --work.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { average, printTable } from "../../bench/measure.ts";
import { type PlaceWeights, placeSignals } from "../../src/code/search/places.ts";
import { weights } from "../../src/code/search/weights.ts";
import { type Kind, kinds, type Question, questionsOf } from "./collect.ts";
import {
  asWeights,
  byHand,
  type FileExample,
  fitFiles,
  parameters,
  scoresOfFiles,
  valuesOf,
} from "./files.ts";
import { fitPlaces, type PlaceExample, scoresOfPlaces } from "./places.ts";

const { values: options } = parseArgs({
  options: {
    clones: { type: "string" },
    work: { type: "string" },
    only: { type: "string" },
    folds: { type: "string", default: "5" },
    dry: { type: "boolean", default: false },
  },
});
if (options.clones === undefined || options.work === undefined) {
  console.error("usage: npm run model:rank -- --clones DIR --work DIR [options, see models/rank/train.ts]");
  process.exit(2);
}

/** How much a question of a kind counts: messages are few, and a commit that changed no source is seldom asked about. */
const countsForFiles: Record<Kind, number> = {
  commit: 1,
  function: 1,
  type: 1,
  name: 1,
  message: 3,
  test: 1,
  other: 0.3,
};

/** Of what is searched for in words, a place is mostly a function. */
const countsForPlaces: Record<Kind, number> = { ...countsForFiles, type: 0.3, message: 0.3 };

const listed = z.array(z.object({ name: z.string(), language: z.string(), revision: z.string() }));
const repositories = listed
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "repositories.json"), "utf8")))
  .filter(({ name }) => options.only === undefined || options.only.split(",").includes(name));
const mined: Question[][] = [];
for (const repository of repositories) {
  const mining = { clones: resolve(options.clones), work: resolve(options.work), back: 400, count: 40 };
  const questions = await questionsOf(repository, mining);
  console.error(`${repository.name}: ${questions.length} questions`);
  mined.push(questions);
}

const folds = Number(options.folds);
/** For each repository the model that was fitted on the other groups of repositories. */
function leftOut<T, Model>(all: readonly (readonly T[])[], learn: (examples: T[]) => Model): Model[] {
  const models = Array.from({ length: folds }, (_, fold) =>
    learn(all.flatMap((some, i) => (i % folds === fold ? [] : some))),
  );
  return all.map((_, i) => models[i % folds]!);
}

const rows: string[][] = [];
function report(by: string, ranks: readonly { kind: Kind; rank: number }[]) {
  for (const kind of kinds) {
    const some = ranks.filter((one) => one.kind === kind);
    if (some.length === 0) continue;
    const within = (k: number) => average(some.map(({ rank }) => Number(rank <= k))).toFixed(3);
    rows.push([by, kind, String(some.length), within(1), within(3), within(5), within(10)]);
  }
}

/** The rank of the first right one. */
function rankOf(scores: Float64Array, isRight: readonly boolean[]): number {
  const best = Math.max(...scores.filter((_, i) => isRight[i]));
  return 1 + scores.filter((score) => score > best).length;
}

/**
 * How much evidence the weight of a file's signal needs to leave what people had found by trying. With a tenth of it more files
 * are first in repositories left out, but annotated questions fall below .89 NDCG@10 (README.md).
 */
const hold = 0.1;

const fileExamples = mined.map((some) =>
  some.map((question): FileExample => ({ ...question, count: countsForFiles[question.kind] })),
);
const ranksOfFiles = (valuesFor: (repository: number) => Float64Array) =>
  mined.flatMap((some, i) =>
    some.map((question) => {
      const { scores } = scoresOfFiles({ ...question, count: 1 }, valuesFor(i));
      return { kind: question.kind, rank: rankOf(scores, question.isRight) };
    }),
  );
report(
  "files, by hand",
  ranksOfFiles(() => byHand),
);
const leftOutFiles = leftOut(fileExamples, (some) => fitFiles(some, hold));
report(
  "files, left out",
  ranksOfFiles((i) => leftOutFiles[i]!),
);
const files = asWeights(fitFiles(fileExamples.flat(), hold));
const values = valuesOf(files);
const weighed = parameters.map((name, i) => `${name} ${byHand[i]} ${values[i]}`);
console.log(`weights of files, by hand and learned:\n  ${weighed.join("\n  ")}`);

/** The places of a question, whose files are scored with what was learned. */
function placesOf(question: Question): PlaceExample[] {
  const scores = [...scoresOfFiles({ ...question, count: 1 }, values).scores];
  return question.places.map((places) => ({ ...places, scores, count: countsForPlaces[question.kind] }));
}

/** A match may not speak against a place, even where the questions happen to say so; what a place is may. */
const isSupport = (signal: string) => !/^level_|^inline_/.test(signal);

/** How far a place falls behind in its file, in the engine, is a constant: the weights are multiples of it. */
const fitted = (examples: readonly PlaceExample[]) =>
  fitPlaces(examples, placeSignals.map(isSupport)).map((weight) => weight / weights.placeShare);

const places = { name: {}, words: {} } as Record<"name" | "words", PlaceWeights>;
for (const by of ["words", "name"] as const) {
  const asked = mined.map((some) => some.filter(({ isName }) => isName === (by === "name")));
  const examples = asked.map((some) => some.flatMap(placesOf));
  const ranks = (ofSignals: (repository: number) => Float64Array) =>
    examples.flatMap((some, i) => {
      const questions = asked[i]!.flatMap((question) => question.places.map(() => question.kind));
      return some.map((example, j) => {
        const { scores } = scoresOfPlaces(example, Float64Array.of(...ofSignals(i), 1 / weights.placeShare));
        return { kind: questions[j]!, rank: rankOf(scores, example.isRight) };
      });
    });
  const inUse = Float64Array.from(placeSignals, (signal) => weights.places[by][signal]);
  report(
    `places for ${by}, in use`,
    ranks(() => inUse),
  );
  const others = leftOut(examples, fitted);
  report(
    `places for ${by}, left out`,
    ranks((i) => others[i]!),
  );
  const model = fitted(examples.flat());
  places[by] = Object.fromEntries(
    placeSignals.map((signal, i) => [signal, Math.round(model[i]! * 100) / 100]),
  ) as PlaceWeights;
}
printTable(["", "question", "n", "first", "of 3", "of 5", "of 10"], rows, { markdown: false });
const model = { files, places };
if (options.dry) console.log(JSON.stringify(model, null, 2));
else writeFileSync(join(import.meta.dirname, "code.json"), `${JSON.stringify(model, null, 2)}\n`);
