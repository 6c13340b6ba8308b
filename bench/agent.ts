/**
 * How much an agent reads to find the code that answers a question: with grep and Read, and with `search_code`.
 * Scripted, offline, the same each time.
 *
 * Without Pommel: up to four words of the question, names first; files that define a name, then by how many and how rare their words
 * are, tests last; read as a whole (2,000 lines a Read) or in windows of 60 lines around the places with most words. With it: the
 * question as it is to `search_code`, then what its results name, with ten lines around, then the next page, then all that is done
 * without. Both stop when the answer was read, after 8,000 lines or after 40 calls. Lines are those that tools print, lists included;
 * tokens are characters / 4. A model chooses better words than these scripts, for both, and cannot know that it has found what it
 * wants. The tool's definition is not counted.
 *
 *   npm run bench:agent                                         on the checkout in the current directory
 *   npm run bench:agent -- --checkouts DIR                      on each directory in DIR
 *   npm run bench:agent -- --checkouts DIR --annotations DIR    also with annotated questions
 *
 *   npm run bench:agent -- --localise --checkouts DIR           on the questions of bench:localise; DIR holds clones
 *
 *   --half look|report with --localise: only that half of the repositories
 *   --codegraph FILE   also with codegraph's `explore`; FILE is its program
 *   --repos FILE       the list of repositories (default: repos.json beside the annotations)
 *   --only LIST        only these repositories
 *   --count N          questions from doc comments, per repository (default: 20)
 *   --max-tokens N     of an answer of search_code (default: the tool's own)
 *   --indexes DIR      keep the indexes there for the next run (default: a temporary directory)
 *   --markdown, --json print tables for Markdown, or everything, down to each task
 *
 * The formats are those of `npm run bench:search`.
 *
 *   npm run bench:agent -- paired --help     instead: a real agent, each task with Pommel and without
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pairedCommand } from "./agent/paired/command.ts";
import { prepareAnnotated, prepareFunctions } from "./agent/prepare.ts";
import { runTasks, type Trial } from "./agent/run.ts";
import { tablesOf } from "./agent/tables.ts";
import { withLocalised } from "./agent/tasks.ts";
import { loadRepositories as loadLocalised } from "./localise/run.ts";
import { half, scratchDir } from "./measure.ts";
import { loadRepositories, type Repository } from "./search/data.ts";
import { asMarkdown, asText } from "./search/tables.ts";

if (process.argv[2] === "paired") process.exit(await pairedCommand(process.argv.slice(3)));

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    annotations: { type: "string" },
    repos: { type: "string" },
    only: { type: "string" },
    count: { type: "string", default: "20" },
    localise: { type: "boolean", default: false },
    half: { type: "string", default: "look,report" },
    codegraph: { type: "string" },
    "max-tokens": { type: "string" },
    indexes: { type: "string" },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});

function fail(message: string): never {
  console.error(`${message}\nusage: npm run bench:agent [-- options, see bench/agent.ts]`);
  process.exit(2);
}

/** The repositories to read in, and the directory that holds them. */
function repositoriesOf(): { checkouts: string; repositories: Repository[] } {
  const checkouts = resolve(options.checkouts ?? dirname(process.cwd()));
  const annotations = options.annotations && resolve(options.annotations);
  const list = annotations && (options.repos ?? join(dirname(annotations), "repos.json"));
  const lacking = [checkouts, annotations, list].find((path) => path && !existsSync(path));
  if (lacking) fail(`There is no ${lacking}.`);
  const only = options.only?.split(",");
  if (annotations && list) return { checkouts, repositories: loadRepositories(annotations, { list, only }) };
  const names = options.checkouts === undefined ? [basename(process.cwd())] : directoriesIn(checkouts);
  const { choose } = half(names);
  return {
    checkouts,
    repositories: names
      .filter((name) => only === undefined || only.includes(name))
      .map((name) => ({
        name,
        language: "",
        benchmarkRoot: "",
        published: {},
        questions: [],
        half: choose.has(name) ? "choose" : "confirm",
      })),
  };
}

function directoriesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

function numberOf(option: "count" | "max-tokens"): number {
  const value = Number(options[option]);
  if (!Number.isSafeInteger(value) || value < 0) fail(`--${option} takes a number.`);
  return value;
}

const count = numberOf("count");
const maxTokens = options["max-tokens"] === undefined ? undefined : numberOf("max-tokens");
const how = { maxTokens, codegraph: options.codegraph && resolve(options.codegraph) };
const scratch = scratchDir("agent");
const indexes = resolve(options.indexes ?? join(scratch, "indexes"));
// The user's own settings take no part.
process.env.POMMEL_HOME = join(scratch, "home");
const trials = await (options.localise ? localisedTrials() : ownTrials());
if (trials.length === 0)
  fail("No question could be made: no function there has a doc comment that makes one.");
const tables = tablesOf(trials);
if (options.json) console.log(JSON.stringify(trials, null, 2));
else console.log(options.markdown ? asMarkdown(tables) : asText(tables));

/** What the files of each repository are asked: by its doc comments and its annotations. */
async function ownTrials(): Promise<Trial[]> {
  const { checkouts, repositories } = repositoriesOf();
  const trials: Trial[] = [];
  for (const repository of present(repositories, checkouts)) {
    const place = { root: join(checkouts, repository.name), count, indexes };
    trials.push(...(await runTasks(await prepareFunctions(repository, place), how)));
    if (repository.questions.length > 0) {
      trials.push(...(await runTasks(await prepareAnnotated(repository, place), how)));
    }
  }
  return trials;
}

async function localisedTrials(): Promise<Trial[]> {
  if (options.checkouts === undefined) fail("--localise needs --checkouts.");
  const clones = resolve(options.checkouts);
  const wanted = loadLocalised(options.half.split(","), options.only?.split(","));
  const trials: Trial[] = [];
  for (const repository of present(wanted, clones)) {
    await withLocalised(repository, { clones, work: indexes, back: 400, count }, async (prepared) => {
      trials.push(...(await runTasks(prepared, how)));
    });
  }
  return trials;
}

function* present<R extends { name: string }>(repositories: readonly R[], dir: string): Generator<R> {
  if (repositories.length === 0) fail("There is no such repository.");
  const absent = repositories.filter(({ name }) => !existsSync(join(dir, name)));
  if (absent.length > 0) fail(`Not in ${dir}: ${absent.map(({ name }) => name).join(", ")}.`);
  for (const repository of repositories) {
    console.error(`${repository.name} …`);
    yield repository;
  }
}
