import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { makeMemory, startKernel } from "../../../base/kernel.ts";
import { bytesOfRuns, makeRuns, mostRuns, type RunKernel, type Runs } from "../../../base/text/runs.ts";
import type { Tokenizer } from "./words.ts";

/** The weights of a model, in memory that threads share: they take 10 MB. */
export interface ModelWeights {
  file: string;
  sha256: string;
  bytes: Uint8Array;
}

const environmentKey = "pommel: weights";

/** Of this thread, as long as anything uses them. */
let ours: WeakRef<ModelWeights> | undefined;

/**
 * Reads weights, unless this thread or the one that started it has them.
 * @throws Error when the file is missing or damaged
 */
export function readWeights(file: string, sha256: string): ModelWeights {
  const known = findSharedWeights();
  if (known?.file === file && known.sha256 === sha256) return known;
  const weights = { file, sha256, bytes: readShared(file) };
  checkSum(weights.bytes, basename(file), sha256);
  ours = new WeakRef(weights);
  return weights;
}

/** What `start` starts has the weights that are in use here. */
export function withSharedWeights<T>(start: () => T): T {
  const given = getEnvironmentData(environmentKey);
  setEnvironmentData(environmentKey, findSharedWeights());
  try {
    return start();
  } finally {
    setEnvironmentData(environmentKey, given);
  }
}

function findSharedWeights(): ModelWeights | undefined {
  return ours?.deref() ?? (getEnvironmentData(environmentKey) as unknown as ModelWeights | undefined);
}

function readShared(file: string): Uint8Array {
  const fd = openSync(file, "r");
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(fd).size));
    let [at, read] = [0, 1];
    for (; at < bytes.length && read > 0; at += read) read = readSync(fd, bytes, at, bytes.length - at, at);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** @throws Error it is damaged */
export function checkSum(bytes: Uint8Array, name: string, sha256: string): void {
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return;
  throw new Error(`${name} is damaged: its checksum is not the one in model.json`);
}

/** What a static model knows: a vector for each token. */
export interface TokenVectors {
  tokenizer: Tokenizer;
  /** Of each token. */
  scales: Float32Array;
  /** Int8 components, `dimensions` for each token. */
  rows: Int8Array;
  dimensions: number;
  /** Tokens of a text that count. */
  most: number;
}

/** The vector of a text: the sum of its tokens' vectors, each by its scale and damped by how often it occurs (1 + ln n). */
export type SumOfTokens = (text: string) => Float32Array;

/** Of a token that occurs once, twice, and so on. */
const computeRepeatWeights = (most: number) =>
  Float32Array.from({ length: most }, (_, i) => 1 + Math.log(i + 1));

/** For a few texts, as questions are: without a copy of the rows, which takes longer than these do, and 20 MB. */
export function sumFewTexts({ tokenizer, scales, rows, dimensions, most }: TokenVectors): SumOfTokens {
  const weights = computeRepeatWeights(most);
  /** Zero between calls. */
  const counts = new Uint16Array(scales.length);
  return (text) => {
    const ids = tokenizer.tokenize(text, most);
    const sum = new Float32Array(dimensions);
    for (const id of ids) counts[id]!++;
    for (const id of ids) {
      const count = counts[id]!;
      if (count === 0) continue;
      counts[id] = 0;
      const weight = Math.fround(scales[id]! * weights[count - 1]!);
      const row = id * dimensions;
      for (let d = 0; d < dimensions; d++) sum[d]! += Math.fround(weight * rows[row + d]!);
    }
    return sum;
  };
}

/** What kernel/tokens.ts and kernel/runs.ts export; see there. */
interface TokenKernelExports extends RunKernel {
  count(bag: number, runs: number, size: number, begins: number): void;
  sum(bag: number, rows: number, dimensions: number, scales: number, weights: number, into: number): void;
}

/** Tokens of a run that is too long to be kept, which are counted at once. */
const maxTokensAtOnce = 1024;
/** What all runs that are kept have, at most: no token is shorter than a byte. */
const maxKeptTokens = bytesOfRuns + maxTokensAtOnce;

/**
 * For many texts: in WebAssembly, in less than half of the time, with a copy of the rows in its own memory.
 * @param vectors of dimensions that 16 divides
 */
export function sumManyTexts({ tokenizer, scales, rows, dimensions, most }: TokenVectors): SumOfTokens {
  let end = 0;
  const room = (bytes: number) => {
    const at = end;
    end = Math.ceil((end + bytes) / 16) * 16;
    return at;
  };
  const [bagAt, weightsAt, sumAt] = [room(20), room(most * 4), room(dimensions * 4)];
  const [countsAt, differentAt] = [room(scales.length * 2), room(most * 4)];
  const [scalesAt, rowsAt] = [room(scales.length * 4), room(rows.length)];
  const [beginsAt, tokensAt, longAt] = [room((mostRuns + 3) * 4), room(maxKeptTokens * 4), room(4)];
  const memory = makeMemory(end);
  const wasm = startKernel<TokenKernelExports>(memory);
  new Uint32Array(memory.buffer, bagAt).set([countsAt, differentAt, 0, 0, most]);
  new Float32Array(memory.buffer, weightsAt).set(computeRepeatWeights(most));
  new Float32Array(memory.buffer, scalesAt).set(scales);
  new Int8Array(memory.buffer, rowsAt).set(rows);

  /** The number of a run that is not kept; its tokens lie behind those of all others, until the next run is met. */
  const long = mostRuns + 1;
  new Uint32Array(memory.buffer, longAt, 1)[0] = long;
  let known = 0;
  let used = 0;
  const put = (run: number, tokens: readonly number[]) => {
    const begins = new Uint32Array(memory.buffer, beginsAt, mostRuns + 3);
    begins[run] = tokensAt + used * 4;
    new Uint32Array(memory.buffer, begins[run], tokens.length).set(tokens);
    begins[run + 1] = begins[run] + tokens.length * 4;
  };
  const runs: Runs = makeRuns(
    wasm,
    { memory, base: end },
    {
      met(run) {
        const tokens = tokenizer.cut(run);
        put(known++, tokens);
        used += tokens.length;
      },
      forgotten() {
        known = 0;
        used = 0;
      },
    },
  );
  const countLong = (run: string) => {
    const tokens = tokenizer.cut(run);
    for (let from = 0; from < tokens.length; from += maxTokensAtOnce) {
      put(long, tokens.slice(from, from + maxTokensAtOnce));
      wasm.count(bagAt, longAt, 1, beginsAt);
    }
  };
  return (text) => {
    for (const part of runs.read(text)) {
      if (typeof part === "string") countLong(part);
      else wasm.count(bagAt, part.byteOffset, part.length, beginsAt);
    }
    wasm.sum(bagAt, rowsAt, dimensions, scalesAt, weightsAt, sumAt);
    return new Float32Array(memory.buffer, sumAt, dimensions).slice();
  };
}
