import { PommelError } from "../../project/errors.ts";
import type { Embedder, EmbedderDriver, EmbedderSettings } from "./embedder.ts";
import { nullDriver } from "./null/null-embedder.ts";
import { ollamaDriver } from "./ollama/ollama-driver.ts";
import { openaiDriver } from "./openai/openai-driver.ts";
import { staticDriver } from "./static/static-embedder.ts";

/** Every embedder that configuration can name. */
export const embedderDrivers: readonly EmbedderDriver[] = [
  nullDriver,
  staticDriver,
  ollamaDriver,
  openaiDriver,
];

/** What a specification names: a driver, and one of its models ("" for a driver that has but one). */
export interface NamedEmbedder {
  driver: EmbedderDriver;
  model: string;
  /** With the model that was meant: "ollama" is "ollama/nomic-embed-text". */
  spec: string;
}

/**
 * Reads a specification: a driver ("static") or a driver and its model ("ollama/nomic-embed-text").
 * @throws PommelError `usage` for a driver that is not known, or a model of one that has but one
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
