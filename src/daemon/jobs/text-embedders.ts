import type { Embedder } from "../../models/embed/embedder.ts";
import { createEmbedder } from "../../models/embed/registry.ts";
import { embedderSettings } from "../../models/embed/settings.ts";
import type { Config } from "../../project/config/settings.ts";

/** The models that conversations are searched with. */
export interface TextEmbedders {
  /** Embeds what is read while it is read: the bundled model; null: search goes by words. */
  first: Embedder | null;
  /** A larger one, whose vectors are made in the background. */
  second: Embedder | null;
  /** How long a search may wait for the second. Milliseconds. */
  deadlineMs: number;
}

/**
 * What `embed.text` asks for, as `createCodeEmbedders` for code.
 * @param bundled the bundled model, where it is there for code already: it need not be in memory twice
 */
export function createTextEmbedders(config: Config, bundled: Embedder | null): TextEmbedders {
  const spec = config["embed.text"];
  const settings = embedderSettings(config);
  const isSmall = spec === "none" || spec === "static";
  return {
    first: spec === "none" ? null : (bundled ?? createEmbedder("static", settings)),
    second: isSmall ? null : createEmbedder(spec, settings),
    deadlineMs: 400,
  };
}
