import type { SettingKey } from "../../project/config/settings.ts";
import type { ErrorCode } from "../../project/errors.ts";

/** On whose behalf a server is asked: which error its failures become, and what people are told to do about them. */
export interface RemoteCaller {
  code: ErrorCode;
  ollamaUrl: SettingKey;
  openaiUrl: SettingKey;
  /** Whether `pm models pull` fetches its models from Ollama's library. */
  isPulledByPm: boolean;
}

export const embedCaller: RemoteCaller = {
  code: "embedder_unavailable",
  ollamaUrl: "embed.ollama_url",
  openaiUrl: "embed.openai_url",
  isPulledByPm: true,
};
