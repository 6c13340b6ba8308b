import type { Embedder } from "./embedder.ts";
import { createStaticEmbedder } from "./static/static-embedder.ts";

let shared: Embedder | undefined;

/** The bundled model, loaded once for all that a command asks in this process. */
export function bundledEmbedder(): Embedder {
  shared ??= createStaticEmbedder();
  return shared;
}
