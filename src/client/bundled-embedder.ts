import type { Embedder } from "../embed/embedder.ts";
import { createStaticEmbedder } from "../embed/static/static-embedder.ts";

let shared: Embedder | undefined;

/** The bundled model, loaded once for all that a command asks in this process. */
export function bundledEmbedder(): Embedder {
  shared ??= createStaticEmbedder();
  return shared;
}
