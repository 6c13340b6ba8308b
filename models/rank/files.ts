import type { FileWeights } from "../../src/code/search/weights.ts";
import found from "./by-hand.json" with { type: "json" };
import { descend, listwise } from "./descent.ts";

/** What a signal adds to the sum of a chunk. */
const added = [
  "lexical",
  "phrase",
  "semantic",
  "fileSemantic",
  "coherence",
  "fileName",
  "directories",
  "path",
  "name",
  "definition",
  "mentions",
] as const;

/** The weights of files by their names ("lexical", "roles.test"): those of signals, then shares, then that of a commit. */
function named({ spellings, kinds, levels, roles, ...rest }: FileWeights): [string, number][] {
  return [
    ...added.map((name): [string, number] => [name, rest[name]]),
    ["semanticOfNames", rest.semanticOfNames],
    ["semanticOfLong", rest.semanticOfLong],
    ["olderVersion", rest.olderVersion],
    ...Object.entries({ spellings, kinds, levels, roles }).flatMap(([name, values]) =>
      Object.entries(values).map(([key, value]): [string, number] => [`${name}.${key}`, value]),
    ),
    ["history", rest.history],
  ];
}

export const parameters: readonly string[] = named(found).map(([name]) => name);

/** The values of all parameters. */
export const valuesOf = (files: FileWeights): Float64Array =>
  Float64Array.from(named(files), ([, value]) => value);

/** What people found by trying, before anything was learned: a fit stays near to it. */
export const byHand = valuesOf(found);

/** What code.json has of a fit: as many digits as it can tell apart. */
export function asWeights(values: Float64Array): FileWeights {
  const at = (name: string) => Math.round(values[parameter(name)]! * 1000) / 1000;
  const entries = Object.entries(found).map(([name, value]) => {
    const learned =
      typeof value === "number"
        ? at(name)
        : Object.fromEntries(Object.keys(value).map((key) => [key, at(`${name}.${key}`)]));
    return [name, learned];
  });
  return Object.fromEntries(entries) as FileWeights;
}

/** The place of a weight among all; -1: there is none, what it would weigh counts in full. */
export const parameter = (name: string): number => parameters.indexOf(name);

/** What the chunks of a file share; older is 0 or 1, history the strength of a commit. */
export const ofFile = [
  "coherence",
  "fileSemantic",
  "fileName",
  "directories",
  "path",
  "older",
  "history",
] as const;
/** What a chunk has: the place of its file, signals, and parameters that weigh it. */
export const ofChunk = [
  "file",
  "lexical",
  "phrase",
  "semantic",
  "name",
  "mentions",
  "spelling",
  "kind",
  "level",
  "role",
] as const;

/** One question to learn from: which of its files are right. */
export interface FileExample {
  /** Whether it asks for a name or a path. */
  isName: boolean;
  /** How long it is, as `measureQueryLength`. */
  length: number;
  /** How much the question counts. */
  count: number;
  isRight: readonly boolean[];
  /** For each file the values of `ofFile`, one after the other. */
  files: readonly number[];
  /** For each chunk those of `ofChunk`. */
  chunks: readonly number[];
}

const P = {
  lexical: parameter("lexical"),
  phrase: parameter("phrase"),
  semantic: parameter("semantic"),
  fileSemantic: parameter("fileSemantic"),
  semanticOfNames: parameter("semanticOfNames"),
  semanticOfLong: parameter("semanticOfLong"),
  coherence: parameter("coherence"),
  fileName: parameter("fileName"),
  directories: parameter("directories"),
  path: parameter("path"),
  name: parameter("name"),
  definition: parameter("definition"),
  mentions: parameter("mentions"),
  history: parameter("history"),
  older: parameter("olderVersion"),
};

const isShare = parameters.map((_, i) => i >= added.length && i !== P.history);

/** What nearness weighs in a question. */
const nearnessOf = ({ isName, length }: FileExample, values: Float64Array) =>
  isName ? values[P.semanticOfNames]! : 1 + values[P.semanticOfLong]! * length;

/** What a chunk's signals add up to; as in `rank` of src/code/search. */
function sumOf(example: FileExample, at: number, values: Float64Array): number {
  const { files, chunks } = example;
  const file = chunks[at]! * ofFile.length;
  const near = nearnessOf(example, values);
  return (
    values[P.lexical]! * chunks[at + 1]! +
    values[P.phrase]! * chunks[at + 2]! +
    near * values[P.semantic]! * chunks[at + 3]! +
    values[P.name]! * chunks[at + 4]! +
    values[P.mentions]! * chunks[at + 5]! +
    values[P.coherence]! * files[file]! +
    near * values[P.fileSemantic]! * files[file + 1]! +
    values[P.fileName]! * files[file + 2]! +
    values[P.directories]! * files[file + 3]! +
    values[P.path]! * files[file + 4]! +
    values[P.definition]! * certaintyOf(chunks[at + 6]!, chunks[at + 7]!, values)
  );
}

const share = (parameter: number, values: Float64Array) => (parameter < 0 ? 1 : values[parameter]!);

/** How surely a definition is meant; 0 without one. */
const certaintyOf = (spelling: number, kind: number, values: Float64Array): number =>
  spelling < 0 ? 0 : values[spelling]! * share(kind, values);

/** The logarithm of each file's score, and where its best chunk is. */
export function scoresOfFiles(
  example: FileExample,
  values: Float64Array,
): { scores: Float64Array; best: Int32Array; sums: Float64Array } {
  const { files, chunks } = example;
  const count = example.isRight.length;
  const [scores, sums] = [new Float64Array(count), new Float64Array(count)];
  const best = new Int32Array(count);
  for (let at = 0; at < chunks.length; at += ofChunk.length) {
    const file = chunks[at]!;
    const sum = sumOf(example, at, values);
    const score = sum * share(chunks[at + 8]!, values) * share(chunks[at + 9]!, values);
    if (score <= scores[file]!) continue;
    scores[file] = score;
    sums[file] = sum;
    best[file] = at;
  }
  for (let file = 0; file < count; file++) {
    const row = file * ofFile.length;
    scores[file] =
      Math.log(Math.max(scores[file]!, 1e-6) * (files[row + 5] ? values[P.older]! : 1)) +
      values[P.history]! * files[row + 6]!;
  }
  return { scores, best, sums };
}

const rounds = 50;
const rate = 0.05;

/** Nobody had found these by trying, so a fit is free to choose them. */
const isFree = parameters.map((name) => name === "history" || name === "semanticOfLong");

/** Weights of files, and how sharply a score tells files apart. */
interface FileModel {
  values: Float64Array;
  sharpness: number;
}

/**
 * Puts right files first: softmax over those of a question, whose scores are as in the engine. What is fitted is the logarithm
 * of each weight, so that all stay above 0 and a change is one of proportion; the further it is from what was set by hand, the more
 * evidence it needs (maximum a posteriori; a normal prior). Shares stay below 1: what is pushed down is never pushed up.
 * @param hold how much evidence
 */
export function fitFiles(examples: readonly FileExample[], hold: number): Float64Array {
  const start = byHand.map(Math.log);
  const count = start.length;
  const weights = Float64Array.of(...start, Math.log(6));
  const all = examples.reduce((sum, example) => sum + example.count, 0);
  const model = () => ({
    values: weights.slice(0, count).map(Math.exp),
    sharpness: Math.exp(weights[count]!),
  });
  descend(
    weights,
    { rounds, rate },
    () => {
      const gradient = new Float64Array(count + 1);
      const now = model();
      for (const example of examples) addGradient(example, now, gradient);
      return gradient.map(
        (slope, i) => slope / all + (i === count || isFree[i] ? 0 : 2 * hold * (weights[i]! - start[i]!)),
      );
    },
    () => {
      isShare.forEach((is, i) => {
        if (is) weights[i] = Math.min(weights[i]!, 0);
      });
    },
  );
  return model().values;
}

function addGradient(example: FileExample, { values, sharpness }: FileModel, gradient: Float64Array): void {
  const { scores, best, sums } = scoresOfFiles(example, values);
  const slopes = listwise(scores, example.isRight, sharpness);
  for (let file = 0; file < scores.length; file++) {
    gradient[values.length]! += example.count * slopes[file]! * sharpness * scores[file]!;
    const slope = example.count * slopes[file]! * sharpness;
    if (Math.abs(slope) < 1e-4 || sums[file] === 0) continue;
    const at = best[file]!;
    const { chunks, files } = example;
    const row = chunks[at]! * ofFile.length;
    const near = nearnessOf(example, values);
    const add = (parameter: number, signal: number, factor = 1) => {
      const part = (slope * factor * values[parameter]! * signal) / sums[file]!;
      gradient[parameter]! += part;
      return part;
    };
    add(P.lexical, chunks[at + 1]!);
    add(P.phrase, chunks[at + 2]!);
    add(P.name, chunks[at + 4]!);
    add(P.mentions, chunks[at + 5]!);
    add(P.coherence, files[row]!);
    add(P.fileName, files[row + 2]!);
    add(P.directories, files[row + 3]!);
    add(P.path, files[row + 4]!);
    const ofNearness = add(P.semantic, chunks[at + 3]!, near) + add(P.fileSemantic, files[row + 1]!, near);
    if (example.isName) gradient[P.semanticOfNames]! += ofNearness;
    else gradient[P.semanticOfLong]! += (ofNearness * values[P.semanticOfLong]! * example.length) / near;
    const [spelling, kind] = [chunks[at + 6]!, chunks[at + 7]!];
    const ofDefinition = add(P.definition, certaintyOf(spelling, kind, values));
    for (const factor of [spelling, kind]) if (factor >= 0) gradient[factor]! += ofDefinition;
    for (const factor of [chunks[at + 8]!, chunks[at + 9]!]) if (factor >= 0) gradient[factor]! += slope;
    if (files[row + 5]) gradient[P.older]! += slope;
    gradient[P.history]! += slope * values[P.history]! * files[row + 6]!;
  }
}
