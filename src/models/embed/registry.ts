import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import type { Embedder, EmbedderDriver, EmbedderSettings } from "./embedder.ts";
import { ollamaDriver } from "./ollama/ollama-embedder.ts";
import { openaiDriver } from "./openai/openai-embedder.ts";
import { staticDriver } from "./static/static-embedder.ts";

const nullDriver: EmbedderDriver = {
  name: "none",
  about: "no vectors: search uses words and code structure",
  defaultModel: null,
  create: () => ({
    id: "none",
    dimensions: 0,
    prepare: async () => {},
    embed: async (texts) => texts.map(() => null),
    close: async () => {},
  }),
  checkAvailability: async () => ({ usable: true, detail: "nothing to run", hint: "" }),
};

/** Every embedder that configuration can name. */
export const embedderDrivers: readonly EmbedderDriver[] = [
  nullDriver,
  staticDriver,
  ollamaDriver,
  openaiDriver,
];

/** A parsed specification: a driver, and its model ("" if it has only one). */
export interface NamedEmbedder {
  driver: EmbedderDriver;
  model: string;
  /** Including the default model: "ollama" becomes "ollama/nomic-embed-text". */
  spec: string;
}

/**
 * Reads a specification: a driver ("static") or a driver and its model ("ollama/nomic-embed-text").
 * @throws PommelError `usage` for an unknown driver, or a model of a driver with only one
 */
export function readEmbedderSpec(spec: string): NamedEmbedder {
  const [name = "", ...rest] = spec.split("/");
  const driver = embedderDrivers.find((known) => known.name === name);
  if (!driver) {
    const names = embedderDrivers.map((known) => known.name).join(", ");
    throw new PommelError("usage", `Unknown embedder: ${name}.`, `Choose from: ${names}.`);
  }
  if (driver.defaultModel === null) {
    if (rest.length > 0) throw new PommelError("usage", `${name} has only one model.`, `Name it ${name}.`);
    return { driver, model: "", spec: name };
  }
  const model = rest.join("/") || driver.defaultModel;
  return { driver, model, spec: `${name}/${model}` };
}

/**
 * The embedder that `spec` names.
 * @throws PommelError `usage` as `readEmbedderSpec`
 */
export function createEmbedder(spec: string, settings: EmbedderSettings): Embedder {
  const { driver, model } = readEmbedderSpec(spec);
  return driver.create(model, settings);
}

/** The drivers' settings from a project's configuration. */
export function toEmbedderSettings(config: Config): EmbedderSettings {
  return {
    ollamaUrl: config["ollama.url"],
    openaiUrl: config["openai.url"],
    openaiKeyVariable: config["openai.key_env"],
  };
}
