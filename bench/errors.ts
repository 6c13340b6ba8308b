/**
 * Whether a pasted error message finds the file that it comes from.
 *
 *   npm run bench:errors [-- --checkouts DIR] [--set tune|confirm] [--seed N] [--misses]
 *
 *   --count N      messages of each repository (default: 10)
 *   --model NAME   vectors by: static (default), none, ollama/MODEL, …: as in `embed.code`
 *   --modes LIST   lexical, hybrid (default: both)
 *   --indexes DIR  keep the indexes there for the next run (default: a temporary directory)
 *
 * The repositories of errors/repositories.json are fetched at their pinned revisions into DIR (default: a cache
 * directory). A script draws messages from their string literals (errors/sample.ts), fills in values as a program
 * would, and leaves out messages that are in several files. Ranking is developed on the set "tune" and confirmed on the other.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import type { EvaluatedMode } from "../src/features/models/evaluate/modes.ts";
import { sampleErrors } from "./errors/sample.ts";
import { average, percentile, scratchDir } from "./measure.ts";
import { checkOut, checkoutCache } from "./repositories.ts";
import { measure, type Outcome } from "./search/run.ts";

const repositories = z.array(
  z.object({
    name: z.string(),
    set: z.enum(["tune", "confirm"]),
    language: z.string(),
    url: z.string(),
    revision: z.string(),
  }),
);
type Repository = z.infer<typeof repositories>[number];

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string", default: checkoutCache },
    set: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "10" },
    model: { type: "string", default: "static" },
    modes: { type: "string", default: "lexical,hybrid" },
    indexes: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});
const checkouts = resolve(options.checkouts);
const modes = (["lexical", "hybrid"] as const).filter((mode) => options.modes.split(",").includes(mode));

const categories = { false: "as written", true: "with values" } as const;

async function ask(repository: Repository, indexes: string): Promise<Outcome[]> {
  const { name, language, set } = repository;
  const root = checkOut(checkouts, repository);
  const sampled = { language, count: Number(options.count), seed: Number(options.seed) };
  const { errors, of } = sampleErrors(root, sampled);
  console.error(`${name}: ${errors.length} of ${of} messages …`);
  const questions = errors.map(({ query, file, isRendered }) => ({
    query,
    category: categories[`${isRendered}`],
    targets: [{ path: file }],
  }));
  const asked = { name, language, benchmarkRoot: "", published: {}, questions };
  const { outcomes } = await measure(
    { ...asked, half: set === "tune" ? "choose" : "confirm" },
    { checkouts, indexes, model: options.model, modes, variants: ["normal"] },
  );
  return outcomes;
}

const firstIn = (outcomes: readonly Outcome[], places: number) =>
  outcomes.filter(({ ranks }) => Math.min(...ranks) <= places).length;

function row(label: string, mode: EvaluatedMode, outcomes: readonly Outcome[]): string {
  const of = outcomes.filter((one) => one.mode === mode);
  const share = (places: number) => average(of.map((one) => firstIn([one], places))).toFixed(3);
  const p50 = percentile(
    of.map(({ milliseconds }) => milliseconds),
    50,
  ).toFixed(1);
  return `| ${label} | ${mode} | ${of.length} | ${firstIn(of, 1)} | ${share(1)} | ${share(3)} | ${share(10)} | ${p50} |`;
}

const scratch = scratchDir("bench");
const list = repositories
  .parse(JSON.parse(readFileSync(new URL("errors/repositories.json", import.meta.url), "utf8")))
  .filter(({ set }) => options.set === undefined || set === options.set);
const asked: (Outcome & { set: Repository["set"] })[] = [];
for (const repository of list) {
  const outcomes = await ask(repository, resolve(options.indexes ?? scratch));
  asked.push(...outcomes.map((outcome) => ({ ...outcome, set: repository.set })));
}
console.log(
  "| messages | mode | asked | right file first | R@1 | R@3 | R@10 | p50 ms |\n|---|---|--:|--:|--:|--:|--:|--:|",
);
for (const set of ["tune", "confirm"] as const) {
  const ofSet = asked.filter((one) => one.set === set);
  if (ofSet.length === 0) continue;
  for (const mode of modes) {
    console.log(row(`**${set}**`, mode, ofSet));
    for (const category of Object.values(categories))
      console.log(
        row(
          `${set}, ${category}`,
          mode,
          ofSet.filter((one) => one.category === category),
        ),
      );
  }
  for (const name of new Set(ofSet.map(({ repository }) => repository)))
    console.log(
      row(
        `${set}: ${name}`,
        modes.at(-1)!,
        ofSet.filter(({ repository }) => repository === name),
      ),
    );
}
if (options.misses) {
  for (const { set, mode, repository, ranks, query } of asked.filter((one) => firstIn([one], 1) === 0))
    console.log(`${set} ${mode} ${repository} [${ranks}] ${query}`);
}
