import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { getErrorMessage, PommelError } from "../../../base/errors.ts";
import type { Embedder, EmbedderDriver } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import {
  checkSum,
  readWeights,
  type SumOfTokens,
  sumFewTexts,
  sumManyTexts,
  type TokenVectors,
  type Weights,
} from "./token-sums.ts";
import { Tokenizer } from "./words.ts";

/** `models/static` of the installation, from the bundle in `dist/` as from this source file. */
function locateBundledModel(): string {
  const here = import.meta.url;
  return fileURLToPath(
    new URL(here.endsWith(".ts") ? "../../../../models/static" : "../models/static", here),
  );
}

/** Bump with every new model, so that old vectors are replaced. */
export const modelId = "static-1";
const dimensions = 256;

/**
 * The model that comes with Pommel: no download, no server, thousands of texts a second.
 * @param manyTexts to come: it is worth 12 MB to take less than half of the time for each
 */
export function createStaticEmbedder(
  dir: string = locateBundledModel(),
  { manyTexts = false } = {},
): Embedder {
  let model: StaticModel | null = null;
  const load = (): StaticModel => {
    try {
      model ??= StaticModel.load(dir, { id: modelId, dimensions, manyTexts });
      return model;
    } catch (cause) {
      throw new PommelError(
        "embedder_unavailable",
        `The bundled embedding model cannot be used: ${getErrorMessage(cause)}`,
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
  async checkAvailability() {
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
export function getBundledEmbedder(): Embedder {
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

const readModelDescription = (dir: string) =>
  description.parse(JSON.parse(readFileSync(join(dir, "model.json"), "utf8")));

/** What threads share of the bundled model. @throws Error as `StaticModel.load` */
export const readBundledWeights = (dir: string = locateBundledModel()): Weights =>
  readWeights(join(dir, "weights.bin"), readModelDescription(dir).sha256.weights);

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
    readonly weights: Weights,
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
