import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { ModelWeights, SumOfTokens, TokenVectors } from "./token-sums.ts";
import { checkSum, readWeights, sumFewTexts, sumManyTexts } from "./token-sums.ts";
import { Tokenizer } from "./words.ts";

/** `model.json`: describes the other two files. */
const description = z.object({
  id: z.string(),
  dimensions: z.int().check(z.minimum(16)),
  /** SHA-256, hexadecimal, of `vocabulary.txt` and of `weights.bin`. */
  sha256: z.object({ vocabulary: z.string(), weights: z.string() }),
});

export const readModelDescription = (dir: string) =>
  description.parse(JSON.parse(readFileSync(join(dir, "model.json"), "utf8")));

/** Only the first tokens count; more would hardly change the direction. */
const maxTokens = 2000;

/**
 * A static embedding model: a vector for each token, a text is their sum (as in model2vec and sent2vec, here with
 * repeated tokens damped: 1 + ln n). `weights.bin` holds a float32 scale for each token, then `dimensions` int8 for
 * each, little-endian; `vocabulary.txt` a token a line.
 */
export class StaticModel {
  private constructor(
    /** The unnormalised vector of a text; zero without known tokens. */
    readonly embed: SumOfTokens,
    /** Kept, as what is shared with threads is what is in use. */
    readonly weights: ModelWeights,
  ) {}

  /**
   * Reads the model `id` from its directory.
   * @throws Error when a file is missing, damaged, or of another model
   */
  static load(dir: string, { id, dimensions, manyTexts = false }: StaticModelOptions): StaticModel {
    const described = readModelDescription(dir);
    if (described.id !== id || described.dimensions !== dimensions) {
      throw new Error(
        `model.json is of ${described.id} with ${described.dimensions} dimensions, not of ${id}`,
      );
    }
    const { sha256 } = described;
    const text = readFileSync(join(dir, "vocabulary.txt"));
    checkSum(text, "vocabulary.txt", sha256.vocabulary);
    const weights = readWeights(join(dir, "weights.bin"), sha256.weights);
    const vocabulary = text.toString().trimEnd().split("\n");
    if (weights.bytes.length !== vocabulary.length * (4 + dimensions)) {
      throw new Error(
        `weights.bin holds ${weights.bytes.length} bytes, not the vectors of ${vocabulary.length} tokens`,
      );
    }
    const { buffer, byteOffset } = weights.bytes;
    const vectors: TokenVectors = {
      tokenizer: new Tokenizer(vocabulary),
      scales: new Float32Array(buffer, byteOffset, vocabulary.length),
      rows: new Int8Array(buffer, byteOffset + vocabulary.length * 4, vocabulary.length * dimensions),
      dimensions,
      most: maxTokens,
    };
    return new StaticModel(manyTexts ? sumManyTexts(vectors) : sumFewTexts(vectors), weights);
  }
}

interface StaticModelOptions {
  id: string;
  dimensions: number;
  manyTexts?: boolean;
}
