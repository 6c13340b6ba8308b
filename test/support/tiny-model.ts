import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

/** Every English word and number can be put together from these. */
export const tinyVocabulary: readonly string[] = [
  "open",
  "file",
  "read",
  "retry",
  "解",
  ...letters,
  ...letters.map((letter) => `##${letter}`),
];

/** For tests: writes a small model into a directory of its own, with arbitrary weights that are always the same. */
export function writeTinyModel({ id = "static-1", dimensions = 256 } = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "pommel-model-"));
  const vocabulary = Buffer.from(`${tinyVocabulary.join("\n")}\n`);
  const scales = new Float32Array(tinyVocabulary.length).fill(0.01);
  const rows = new Int8Array(tinyVocabulary.length * dimensions);
  let state = 1;
  for (let i = 0; i < rows.length; i++) {
    // The low bits of a linear congruential generator (Numerical Recipes) repeat soon; the high ones do not.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rows[i] = (state >>> 24) - 128;
  }
  const weights = Buffer.concat([Buffer.from(scales.buffer), Buffer.from(rows.buffer)]);
  const sha256 = { vocabulary: sha256Of(vocabulary), weights: sha256Of(weights) };
  writeFileSync(join(dir, "vocabulary.txt"), vocabulary);
  writeFileSync(join(dir, "weights.bin"), weights);
  writeFileSync(join(dir, "model.json"), JSON.stringify({ id, dimensions, sha256 }));
  return dir;
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
