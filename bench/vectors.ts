/**
 * Speed and accuracy of the vector index: the time to load it, the time to find the nearest ten, and how many of those
 * float32 vectors would find as well.
 *
 *   npm run bench:vectors [-- --count N | --index FILE.db [--model ID]] [--json]
 *
 * Without an index: clustered random vectors, 12,000 and 100,000 of them, in several dimensions; with `--count`, so many of 256.
 * With one: some of the vectors in it, each as a query; there is no recall then, as those before quantisation to int8 are not there.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { seeded } from "../models/train/random.ts";
import type { Level } from "../src/base/levels.ts";
import { quantise } from "../src/models/embed/quantise.ts";
import { Best } from "../src/store/best.ts";
import type { SearchScope } from "../src/store/index/port.ts";
import { ChunkVectors } from "../src/store/index/sqlite/chunk-vectors.ts";
import { IndexDatabase } from "../src/store/index/sqlite/index-database.ts";
import { insertVectors } from "../src/store/index/sqlite/vector-rows.ts";
import { createKernel } from "../src/store/vectors/vector-kernel.ts";
import { createPlainKernel } from "../test/support/plain/vector-kernel.ts";
import { average, percentile, scratchDir } from "./measure.ts";

const everywhere: SearchScope = { files: null, levels: null };
const queries = 100;
const k = 10;
const chunksPerFile = 12;

const { values: options } = parseArgs({
  options: {
    index: { type: "string" },
    model: { type: "string", default: "static-1" },
    count: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

interface Figures {
  vectors: number;
  dimensions: number;
  load_ms: number;
  p50_ms: number;
  p95_ms: number;
  /** Only chunks of one level in five. */
  filtered_p50_ms: number;
  plain_p50_ms: number;
  bytes: number;
  recall_at_10: number | null;
}

/** Always the same numbers, made normal by Box and Muller's method. */
function normalNumbers(seed: number): () => number {
  const uniform = seeded(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Unit vectors around as many centres as there are files: chunks of one file have similar subjects. */
function clustered(count: number, dimensions: number): Float32Array[] {
  const next = normalNumbers(count + dimensions);
  // Loops, as there may be hundreds of millions of numbers.
  const random = () => {
    const vector = new Float32Array(dimensions);
    for (let d = 0; d < dimensions; d++) vector[d] = next();
    return vector;
  };
  const centres = Array.from({ length: Math.ceil(count / chunksPerFile) }, random);
  return Array.from({ length: count }, (_, i) => {
    const centre = centres[i % centres.length]!;
    const vector = random();
    for (let d = 0; d < dimensions; d++) vector[d]! += centre[d]!;
    return unit(vector);
  });
}

/** Makes it one. */
function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  return vector;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Indexes of the `k` vectors nearest to `query`. */
function nearestExactly(vectors: readonly Float32Array[], query: Float32Array): Set<number> {
  const best = new Best(k);
  vectors.forEach((vector, i) => {
    best.offer(i, dot(vector, query));
  });
  return new Set(best.takeSorted().map(({ row }) => row));
}

function measure(index: IndexDatabase, model: string, asked: readonly Int8Array[]) {
  const start = performance.now();
  const vectors = new ChunkVectors(index, model, createKernel);
  const { vectors: chunks, bytes } = vectors.measureSize();
  const loadMs = performance.now() - start;
  const plain = new ChunkVectors(index, model, createPlainKernel);
  const level: Level = "class";
  const times = (ask: (query: Int8Array) => unknown) => {
    for (const query of asked.slice(0, 10)) ask(query);
    return asked.map((query) => {
      const begin = performance.now();
      ask(query);
      return performance.now() - begin;
    });
  };
  const all = times((query) => vectors.findNearest(query, 200, everywhere));
  const filtered = times((query) => vectors.findNearest(query, 200, { files: null, levels: [level] }));
  const slow = times((query) => plain.findNearest(query, 200, everywhere));
  const figures = {
    vectors: chunks,
    dimensions: asked[0]?.length ?? 0,
    load_ms: loadMs,
    p50_ms: percentile(all, 50),
    p95_ms: percentile(all, 95),
    filtered_p50_ms: percentile(filtered, 50),
    plain_p50_ms: percentile(slow, 50),
    bytes,
  };
  return { vectors, figures };
}

function measureRandom(dir: string, count: number, dimensions: number): Figures {
  const vectors = clustered(count + queries, dimensions);
  const asked = vectors.splice(count);
  const file = join(dir, `${count}-${dimensions}.db`);
  fill(file, vectors);
  // Read-only and anew, as a command without a daemon does.
  const index = IndexDatabase.open(file, { readonly: true });
  const quantised = asked.map((query) => quantise(query)!);
  const { vectors: loaded, figures } = measure(index, "random", quantised);
  const recalls = asked.map((query, i) => {
    const exact = nearestExactly(vectors, query);
    const found = loaded.findNearest(quantised[i]!, k, everywhere);
    return found.filter(({ id }) => exact.has(Number(id) - 1)).length / k;
  });
  index.close();
  return { ...figures, recall_at_10: average(recalls) };
}

/** Vectors as an index holds them, a file for every few; chunk ids count from 1. */
function fill(file: string, vectors: readonly Float32Array[]): void {
  const index = IndexDatabase.open(file, { readonly: false });
  const levelsInTurn: Level[] = ["file", "class", "method", "block", "lines"];
  index.runInTransaction(() => {
    for (let start = 0; start < vectors.length; start += chunksPerFile) {
      const part = vectors.slice(start, start + chunksPerFile);
      const { lastInsertRowid } = index
        .prepare("INSERT INTO files (path, size, mtime_ms, hash, indexed_at) VALUES (?, 0, 0, '', 0)")
        .run(String(start));
      insertVectors(
        index,
        {
          fileId: Number(lastInsertRowid),
          firstChunk: start + 1,
          levels: part.map((_, i) => levelsInTurn[i % 5]!),
        },
        {
          model: "random",
          dimensions: part[0]!.length,
          vectors: part.map((vector) => quantise(vector)),
        },
      );
    }
  });
  index.close();
}

function measureIndex(file: string, model: string): Figures {
  const index = IndexDatabase.open(file, { readonly: true });
  const rows = index
    .prepare(
      "SELECT dimensions, data FROM vectors WHERE model = ? AND missing = 0 ORDER BY id % 997, id LIMIT ?",
    )
    .all(model, queries) as { dimensions: number; data: Buffer }[];
  if (rows.length === 0) throw new Error(`${file} holds no vectors of ${model}`);
  const asked = rows.map(({ dimensions, data }) => Int8Array.from(data.subarray(0, dimensions)));
  const { figures } = measure(index, model, asked);
  index.close();
  return { ...figures, recall_at_10: null };
}

/** How many vectors, of how many dimensions. */
function sizes(): readonly (readonly [number, number])[] {
  if (options.count !== undefined) return [[Number(options.count), 256]];
  return [
    [12_000, 256],
    [100_000, 256],
    [12_000, 384],
    [12_000, 768],
  ];
}

const dir = scratchDir("vectors");
const measured = options.index
  ? [measureIndex(options.index, options.model)]
  : sizes().map(([count, dimensions]) => measureRandom(dir, count, dimensions));
if (options.json) {
  console.log(JSON.stringify(measured, null, 2));
} else {
  console.log("vectors  dims  load ms  p50 ms  p95 ms  filtered  plain TS      MB  recall@10");
  for (const m of measured) {
    const cells = [
      String(m.vectors).padStart(7),
      String(m.dimensions).padStart(5),
      m.load_ms.toFixed(1).padStart(8),
      m.p50_ms.toFixed(2).padStart(7),
      m.p95_ms.toFixed(2).padStart(7),
      m.filtered_p50_ms.toFixed(2).padStart(9),
      m.plain_p50_ms.toFixed(2).padStart(9),
      (m.bytes / 1e6).toFixed(1).padStart(7),
      (m.recall_at_10?.toFixed(4) ?? "").padStart(10),
    ];
    console.log(cells.join(" "));
  }
}
