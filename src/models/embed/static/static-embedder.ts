import { fileURLToPath } from "node:url";
import { messageOf, PommelError } from "../../../project/errors.ts";
import type { Embedder, EmbedderDriver } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import { StaticModel } from "./static-model.ts";

/** `models/static` of the installation, from the bundle in `dist/` as from this source file. */
function bundledModel(): string {
  const here = import.meta.url;
  return fileURLToPath(
    new URL(here.endsWith(".ts") ? "../../../../models/static" : "../models/static", here),
  );
}

/** Raise the number with every new model: vectors of the old one are then replaced. */
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
