import type { Config } from "../../base/config/settings.ts";
import type { Embedder } from "./embedder.ts";
import { createEmbedder, toEmbedderSettings } from "./registry.ts";

/** The models of a search. */
export interface Embedders {
  /** The bundled model, fast enough to embed during ingestion; null: lexical search only. */
  first: Embedder | null;
  /** A larger model that embeds in the background; null when not configured. */
  second: Embedder | null;
  /** Maximum wait of a search for the second model. Milliseconds. */
  deadlineMs: number;
}

/**
 * The models for `embed.code` or `embed.text`. A larger model is combined with the bundled one, which covers items it
 * has not embedded yet.
 * @param bundled an existing instance to share
 */
export function createEmbedders(
  config: Config,
  what: "code" | "text",
  bundled: Embedder | null = null,
): Embedders {
  const spec = config[`embed.${what}`];
  const settings = toEmbedderSettings(config);
  const isSmall = spec === "none" || spec === "static";
  return {
    first: spec === "none" ? null : (bundled ?? createEmbedder("static", settings)),
    second: isSmall ? null : createEmbedder(spec, settings),
    deadlineMs: 400,
  };
}

/** The configured models, in order. */
export function listEmbedders({ first, second }: Embedders): Embedder[] {
  return [first, second].filter((model) => model !== null);
}

/** Closes all models. */
export async function closeEmbedders(embedders: Embedders): Promise<void> {
  await Promise.all(listEmbedders(embedders).map((model) => model.close()));
}
