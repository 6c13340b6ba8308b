import type { Config } from "../../project/config/settings.ts";
import type { EmbedderSettings } from "./embedder.ts";

/** What drivers need, out of a project's configuration. */
export function embedderSettings(config: Config): EmbedderSettings {
  return {
    ollamaUrl: config["embed.ollama_url"],
    openaiUrl: config["embed.openai_url"],
    openaiKeyVariable: config["embed.openai_key_env"],
  };
}
