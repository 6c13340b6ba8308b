import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import type { Llm, LlmDriver, LlmOptions, LlmSettings } from "./llm.ts";
import { ollamaDriver } from "./ollama/ollama-llm.ts";
import { openaiDriver } from "./openai/openai-llm.ts";

const noneDriver: LlmDriver = {
  name: "none",
  about: "no language model: summaries are extracts of the session",
  defaultModel: null,
  create: () => null,
  isLocal: () => false,
};

/** Every text generator that configuration can name. */
const llmDrivers: readonly LlmDriver[] = [noneDriver, ollamaDriver, openaiDriver];

/** A parsed specification: a driver and its model ("" for `none`). */
interface NamedLlm {
  driver: LlmDriver;
  model: string;
  /** Including the default model: "ollama" becomes "ollama/llama3.1:8b". */
  spec: string;
}

/**
 * Reads a specification: "none", "ollama", "ollama/llama3.1:8b", "openai/gpt-4o-mini".
 * @throws PommelError `usage` for an unknown driver, or a missing model
 */
export function readLlmSpec(spec: string): NamedLlm {
  const [name = "", ...rest] = spec.split("/");
  const driver = llmDrivers.find((known) => known.name === name);
  if (!driver) {
    const names = llmDrivers.map((known) => known.name).join(", ");
    throw new PommelError("usage", `Unknown language model driver: ${name}.`, `Choose from: ${names}.`);
  }
  if (driver === noneDriver) {
    if (rest.length > 0) throw new PommelError("usage", "`none` takes no model name.", "Write only: none.");
    return { driver, model: "", spec: name };
  }
  const model = rest.join("/") || driver.defaultModel;
  if (model === null) {
    throw new PommelError("usage", `${name} needs a model.`, `Name it ${name}/MODEL.`);
  }
  return { driver, model, spec: `${name}/${model}` };
}

/**
 * The generator that `spec` names; null for "none".
 * @throws PommelError `usage` as `readLlmSpec`
 */
export function createLlm(spec: string, settings: LlmSettings, options?: LlmOptions): Llm | null {
  const { driver, model } = readLlmSpec(spec);
  return driver.create(model, settings, options);
}

/**
 * Whether prompts stay on this machine: texts that may contain secrets must not leave it.
 * @throws PommelError `usage` as `readLlmSpec`
 */
export function isLocal(settings: LlmSettings, spec: string): boolean {
  const { driver, model } = readLlmSpec(spec);
  return driver.isLocal(model, settings);
}

/**
 * Why no language model looks for secrets (`scrub.llm`); null if one does. Only one on this machine may: what it reads
 * may still contain secrets.
 */
export function explainWhyNoModelScrubs(config: Config): string | null {
  if (!config["scrub.llm"]) return "it is off";
  const spec = config["llm.model"];
  if (spec === "none") return "llm.model is none";
  return isLocal(toLlmSettings(config), spec) ? null : `${spec} is not on this machine, so it is not asked`;
}

/** The drivers' settings from a project's configuration. */
export function toLlmSettings(config: Config): LlmSettings {
  return {
    ollamaUrl: config["ollama.url"],
    openaiUrl: config["openai.url"],
    openaiKeyVariable: config["openai.key_env"],
  };
}
