/**
 * Learns which place of a file code search shows first (code.json), from questions that are mined from repositories, none of
 * which is in a benchmark.
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
import { type PlaceWeights, placeSignals } from "../../src/search/code/places.ts";
import { weights } from "../../src/search/code/weights.ts";
import { type Question, questionsOf } from "./collect.ts";
import { fitPlaces, scoresOfPlaces } from "./fit.ts";

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

/** A match may not speak against a place, even where the questions happen to say so; what a place is may. */
const isSupport = (signal: string) => !/^level_|^inline_/.test(signal);

/** How far a place falls behind in its file, in the engine, is a constant: the weights are multiples of it. */
const fitted = (questions: readonly Question[]) =>
  fitPlaces(questions, placeSignals.map(isSupport)).map((weight) => weight / weights.placeShare);

/** The rank of the first right place. */
function rankBy(ofSignals: Float64Array, question: Question): number {
  const { scores } = scoresOfPlaces(question, Float64Array.of(...ofSignals, 1 / weights.placeShare));
  const best = Math.max(...scores.filter((_, i) => question.isRight[i]));
  return 1 + scores.filter((score) => score > best).length;
}

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
/** What each repository's questions get from a model that was fitted on the other groups of repositories. */
function leftOut(all: readonly Question[][]) {
  return Array.from({ length: folds }, (_, fold) => {
    const learned = fitted(all.flatMap((some, i) => (i % folds === fold ? [] : some)));
    const asked = all.flatMap((some, i) => (i % folds === fold ? some : []));
    return asked.map((question) => ({ question, rank: rankBy(learned, question) }));
  }).flat();
}

const rows: string[][] = [];
function report(by: string, asked: readonly { question: { kind: string }; rank: number }[]) {
  for (const kind of new Set(asked.map(({ question }) => question.kind))) {
    const some = asked.filter(({ question }) => question.kind === kind);
    const within = (k: number) => average(some.map(({ rank }) => Number(rank <= k))).toFixed(3);
    rows.push([by, kind, String(some.length), within(1), within(3), within(10)]);
  }
}

const places = { name: {}, words: {} } as Record<"name" | "words", PlaceWeights>;
for (const by of ["words", "name"] as const) {
  const asked = mined.map((one) => one.filter(({ isName }) => isName === (by === "name")));
  const inUse = Float64Array.from(placeSignals, (signal) => weights.places[by][signal]);
  report(
    `${by}, in use`,
    asked.flat().map((question) => ({ question, rank: rankBy(inUse, question) })),
  );
  report(`${by}, left out`, leftOut(asked));
  const learned = fitted(asked.flat());
  places[by] = Object.fromEntries(
    placeSignals.map((signal, i) => [signal, Math.round(learned[i]! * 100) / 100]),
  ) as PlaceWeights;
}
printTable(["", "question", "n", "first", "of 3", "of 10"], rows, { markdown: false });
const model = { places };
if (options.dry) console.log(JSON.stringify(model, null, 2));
else writeFileSync(join(import.meta.dirname, "code.json"), `${JSON.stringify(model, null, 2)}\n`);
