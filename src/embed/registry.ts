import type { Embedder } from "./embedder.ts";
import { nullEmbedder } from "./null/null-embedder.ts";

/** Every embedder that configuration can name, by that name. */
const embedders: Record<string, () => Embedder> = {
  none: () => nullEmbedder,
};

/** The embedder configured as `name` (validated by the configuration's schema). */
export function createEmbedder(name: string): Embedder {
  const create = embedders[name];
  if (!create) throw new Error(`no embedder is called ${name}`);
  return create();
}
