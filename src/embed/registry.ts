import { PommelError } from "../project/errors.ts";
import type { Embedder, EmbedderDriver, EmbedderSettings } from "./embedder.ts";
import { nullDriver } from "./null/null-embedder.ts";
import { staticDriver } from "./static/static-embedder.ts";

/** Every embedder that configuration can name. */
export const embedderDrivers: readonly EmbedderDriver[] = [nullDriver, staticDriver];

/**
 * The embedder that `spec` names: a driver ("static") or a driver and its model ("ollama/nomic-embed-text").
 * @throws PommelError `usage` for a driver that is not known
 */
export function createEmbedder(spec: string, settings: EmbedderSettings): Embedder {
  const slash = spec.indexOf("/");
  const name = slash < 0 ? spec : spec.slice(0, slash);
  const driver = embedderDrivers.find((known) => known.name === name);
  if (!driver) {
    const names = embedderDrivers.map((known) => known.name).join(", ");
    throw new PommelError("usage", `No embedder is called ${name}.`, `There are ${names}.`);
  }
  const model = slash < 0 ? driver.defaultModel : spec.slice(slash + 1);
  return driver.create(model ?? "", settings);
}
