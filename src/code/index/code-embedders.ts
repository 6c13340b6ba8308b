import type { Embedder } from "../../models/embed/embedder.ts";
import { createEmbedder } from "../../models/embed/registry.ts";
import { embedderSettings } from "../../models/embed/settings.ts";
import type { Config } from "../../project/config/settings.ts";

/** The models that a project's code is searched with. */
export interface CodeEmbedders {
  /** Quick enough to embed a file while it is indexed: the bundled model, or "none". */
  first: Embedder;
  /** A larger one, whose vectors are made in the background; null when none is configured. */
  second: Embedder | null;
  /** How long a search may wait for the second. Milliseconds. */
  deadlineMs: number;
}

/** What `embed.code` asks for: a larger model never comes alone, the bundled one finds what it has not read yet. */
export function createCodeEmbedders(config: Config): CodeEmbedders {
  const spec = config["embed.code"];
  const settings = embedderSettings(config);
  const isSmall = spec === "none" || spec === "static";
  return {
    first: createEmbedder(isSmall ? spec : "static", settings),
    second: isSmall ? null : createEmbedder(spec, settings),
    deadlineMs: 400,
  };
}

/** Those that make vectors, the first one first. */
export function modelsOf({ first, second }: CodeEmbedders): Embedder[] {
  return [first, second].filter((model) => model !== null && model.id !== "none") as Embedder[];
}

/** Frees what the models hold. */
export async function closeEmbedders({ first, second }: CodeEmbedders): Promise<void> {
  await Promise.all([first.close(), second?.close()]);
}
