import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getErrorMessage, PommelError } from "../../../base/errors.ts";
import type { Embedder, EmbedderDriver } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import { readModelDescription, StaticModel } from "./static-model.ts";
import { type ModelWeights, readWeights } from "./token-sums.ts";

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

/** What threads share of the bundled model. @throws Error as `StaticModel.load` */
export const readBundledWeights = (dir: string = locateBundledModel()): ModelWeights =>
  readWeights(join(dir, "weights.bin"), readModelDescription(dir).sha256.weights);
