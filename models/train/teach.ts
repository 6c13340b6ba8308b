import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import type { Embedder } from "../../src/models/embed/embedder.ts";

const atOnce = 512;

/**
 * The teacher's vectors of texts, as unit vectors, one a row. They are kept in `file` as int8, row by row, so that
 * a run that was cut short goes on where it stopped.
 */
export async function teach(
  teacher: Embedder,
  texts: readonly string[],
  file: string,
  report: (done: number) => void,
): Promise<Float32Array> {
  const n = teacher.dimensions;
  let done = existsSync(file) ? Math.floor(statSync(file).size / n) : 0;
  if (done > 0) truncateSync(file, done * n);
  while (done < texts.length) {
    const batch = texts.slice(done, done + atOnce);
    const vectors = await teacher.embed(batch, "passage");
    const rows = Buffer.alloc(batch.length * n);
    vectors.forEach((vector, i) => {
      if (vector !== null) rows.set(new Uint8Array(vector.buffer, vector.byteOffset, n), i * n);
    });
    appendFileSync(file, rows);
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
