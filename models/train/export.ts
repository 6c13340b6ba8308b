import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TokenTable } from "./table.ts";

/** Writes the three files that `StaticModel` reads. */
export function exportModel(table: TokenTable, vocabulary: readonly string[], id: string, dir: string): void {
  const { dimensions, rows } = table;
  const scales = new Float32Array(vocabulary.length);
  const weights = new Int8Array(vocabulary.length * dimensions);
  for (let token = 0; token < vocabulary.length; token++) {
    const row = rows.subarray(token * dimensions, (token + 1) * dimensions);
    const scale = row.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / 127;
    scales[token] = scale;
    if (scale > 0)
      weights.set(
        row.map((value) => Math.round(value / scale)),
        token * dimensions,
      );
  }
  mkdirSync(dir, { recursive: true });
  const put = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(dir, name), bytes);
    return createHash("sha256").update(bytes).digest("hex");
  };
  const sha256 = {
    vocabulary: put("vocabulary.txt", Buffer.from(`${vocabulary.join("\n")}\n`)),
    weights: put(
      "weights.bin",
      Buffer.concat([new Uint8Array(scales.buffer), new Uint8Array(weights.buffer)]),
    ),
  };
  put("model.json", Buffer.from(`${JSON.stringify({ id, dimensions, sha256 }, null, 2)}\n`));
}
