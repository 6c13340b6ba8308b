import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { messageOf, PommelError } from "../../../project/errors.ts";
import type { Embedder, EmbedderDriver } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import { checkSum, readWeights, type Weights } from "./weights.ts";
import { Tokenizer } from "./words.ts";

/** `models/static` of the installation, from the bundle in `dist/` as from this source file. */
function bundledModel(): string {
  const here = import.meta.url;
  return fileURLToPath(
    new URL(here.endsWith(".ts") ? "../../../../models/static" : "../models/static", here),
  );
}

/** Bump with every new model, so that old vectors are replaced. */
export const modelId = "static-1";
const dimensions = 256;

/** The model that comes with Pommel: no download, no server, thousands of texts a second. */
export function createStaticEmbedder(dir: string = bundledModel()): Embedder {
  let model: StaticModel | null = null;
  const load = (): StaticModel => {
    try {
      model ??= StaticModel.load(dir, { id: modelId, dimensions });
      return model;
    } catch (cause) {
      throw new PommelError(
        "embedder_unavailable",
        `The bundled embedding model cannot be used: ${messageOf(cause)}`,
        "Reinstall Pommel. Until then, search uses words only.",
        { cause },
      );
    }
  };
  return {
    id: modelId,
    dimensions,
    prepare: async () => void load(),
    embed: async (texts, _kind, signal) => {
      signal?.throwIfAborted();
      const loaded = load();
      return texts.map((text) => quantise(loaded.embed(text)));
    },
    async close() {
      model = null;
    },
  };
}

export const staticDriver: EmbedderDriver = {
  name: "static",
  about: "bundled with Pommel, runs locally, needs nothing",
  defaultModel: null,
  create: () => createStaticEmbedder(),
  async available() {
    const embedder = createStaticEmbedder();
    try {
      await embedder.prepare();
      return { usable: true, detail: `ready, ${dimensions} dimensions`, hint: "" };
    } catch (error) {
      const { message, hint } = error as PommelError;
      return { usable: false, detail: message, hint };
    }
  },
};

let shared: Embedder | undefined;

/** The bundled model, shared within the process. */
export function bundledEmbedder(): Embedder {
  shared ??= createStaticEmbedder();
  return shared;
}

/** `model.json`: describes the other two files. */
const description = z.object({
  id: z.string(),
  dimensions: z.int().check(z.minimum(16)),
  /** SHA-256, hexadecimal, of `vocabulary.txt` and of `weights.bin`. */
  sha256: z.object({ vocabulary: z.string(), weights: z.string() }),
});

const descriptionIn = (dir: string) =>
  description.parse(JSON.parse(readFileSync(join(dir, "model.json"), "utf8")));

/** What threads share of the bundled model. @throws Error as `StaticModel.load` */
export const bundledWeights = (dir: string = bundledModel()): Weights =>
  readWeights(join(dir, "weights.bin"), descriptionIn(dir).sha256.weights);

/** Only the first tokens count; more would hardly change the direction. */
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
  /** Token counts of the current text; zero between calls. */
  private readonly counts: Uint16Array;

  private constructor(
    private readonly dimensions: number,
    vocabulary: readonly string[],
    /** Kept, as what is shared with threads is what is in use. */
    private readonly weights: Weights,
  ) {
    const { buffer, byteOffset } = weights.bytes;
    this.tokenizer = new Tokenizer(vocabulary);
    this.scales = new Float32Array(buffer, byteOffset, vocabulary.length);
    this.rows = new Int8Array(buffer, byteOffset + vocabulary.length * 4, vocabulary.length * dimensions);
    this.counts = new Uint16Array(vocabulary.length);
  }

  /**
   * Reads the model `id` from its directory.
   * @throws Error when a file is missing, damaged, or of another model
   */
  static load(dir: string, { id, dimensions }: { id: string; dimensions: number }): StaticModel {
    const described = descriptionIn(dir);
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
    return new StaticModel(dimensions, vocabulary, weights);
  }

  /** The unnormalised vector of a text; zero without known tokens. */
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
