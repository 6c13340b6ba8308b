import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { Tokenizer } from "./words.ts";

/** `model.json`: what the other two files are. */
const description = z.object({
  id: z.string(),
  dimensions: z.int().check(z.minimum(16)),
  /** SHA-256, hexadecimal, of `vocabulary.txt` and of `weights.bin`. */
  sha256: z.object({ vocabulary: z.string(), weights: z.string() }),
});

/** Tokens of a text that count; more would not change its direction. */
const maxTokens = 2000;

/**
 * A static embedding model: a vector for each token, a text is their sum (as in model2vec and sent2vec, here with
 * repeated tokens damped: 1 + ln n). `weights.bin` holds a float32 scale for each token, then `dimensions` int8 for
 * each, little-endian; `vocabulary.txt` a token a line.
 */
export class StaticModel {
  private readonly tokenizer: Tokenizer;
  private readonly scales: Float32Array;
  private readonly rows: Int8Array;
  /** How often each token occurs in the text at hand; zero between calls. */
  private readonly counts: Uint16Array;

  private constructor(
    private readonly dimensions: number,
    vocabulary: readonly string[],
    weights: Buffer,
  ) {
    const { buffer, byteOffset } = weights;
    this.tokenizer = new Tokenizer(vocabulary);
    this.scales = new Float32Array(buffer, byteOffset, vocabulary.length);
    this.rows = new Int8Array(buffer, byteOffset + vocabulary.length * 4, vocabulary.length * dimensions);
    this.counts = new Uint16Array(vocabulary.length);
  }

  /**
   * Reads the model `id` from its directory.
   * @throws Error when a file is missing, is not what its checksum says, or is of another model
   */
  static load(dir: string, { id, dimensions }: { id: string; dimensions: number }): StaticModel {
    const described = description.parse(JSON.parse(readFileSync(join(dir, "model.json"), "utf8")));
    if (described.id !== id || described.dimensions !== dimensions) {
      throw new Error(
        `model.json is of ${described.id} with ${described.dimensions} dimensions, not of ${id}`,
      );
    }
    const { sha256 } = described;
    const text = checked(dir, "vocabulary.txt", sha256.vocabulary).toString();
    const weights = checked(dir, "weights.bin", sha256.weights);
    const vocabulary = text.trimEnd().split("\n");
    if (weights.length !== vocabulary.length * (4 + dimensions) || weights.byteOffset % 4 !== 0) {
      throw new Error(
        `weights.bin holds ${weights.length} bytes, not the vectors of ${vocabulary.length} tokens`,
      );
    }
    return new StaticModel(dimensions, vocabulary, weights);
  }

  /** The vector of a text, not normalised; zero when no token of it is known. */
  embed(text: string): Float32Array {
    const { dimensions, counts, rows } = this;
    const ids = this.tokenizer.tokenize(text, maxTokens);
    const sum = new Float32Array(dimensions);
    for (const id of ids) counts[id]!++;
    for (const id of ids) {
      const count = counts[id]!;
      if (count === 0) continue;
      counts[id] = 0;
      const weight = this.scales[id]! * (1 + Math.log(count));
      const row = id * dimensions;
      for (let d = 0; d < dimensions; d++) sum[d]! += weight * rows[row + d]!;
    }
    return sum;
  }
}

function checked(dir: string, name: string, sha256: string): Buffer {
  const bytes = readFileSync(join(dir, name));
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
    throw new Error(`${name} is damaged: its checksum is not the one in model.json`);
  }
  return bytes;
}
