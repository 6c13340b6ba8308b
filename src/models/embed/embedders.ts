import type { Config } from "../../project/config/settings.ts";
import type { Embedder } from "./embedder.ts";
import { createEmbedder, embedderSettings } from "./registry.ts";

/** The models that something is searched with. */
export interface Embedders {
  /** Quick enough to embed what is stored while it is stored: the bundled model; null: search goes by words. */
  first: Embedder | null;
  /** A larger one, whose vectors are made in the background; null when none is configured. */
  second: Embedder | null;
  /** How long a search may wait for the second. Milliseconds. */
  deadlineMs: number;
}

/**
 * What `embed.code` or `embed.text` asks for: a larger model never comes alone, the bundled one finds what it has not seen
 * yet.
 * @param bundled the bundled model, where there is one already: it need not be in memory twice
 */
export function createEmbedders(
  config: Config,
  what: "code" | "text",
  bundled: Embedder | null = null,
): Embedders {
  const spec = config[`embed.${what}`];
  const settings = embedderSettings(config);
  const isSmall = spec === "none" || spec === "static";
  return {
    first: spec === "none" ? null : (bundled ?? createEmbedder("static", settings)),
    second: isSmall ? null : createEmbedder(spec, settings),
    deadlineMs: 400,
  };
}

/** Those that there are, the first one first. */
export function modelsOf({ first, second }: Embedders): Embedder[] {
  return [first, second].filter((model) => model !== null);
}

/** Frees what the models hold. */
export async function closeEmbedders(embedders: Embedders): Promise<void> {
  await Promise.all(modelsOf(embedders).map((model) => model.close()));
}
