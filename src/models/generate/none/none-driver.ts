import type { LlmDriver } from "../llm-driver.ts";

export const noneDriver: LlmDriver = {
  name: "none",
  about: "no language model: summaries are extracts of the session",
  defaultModel: null,
  create: () => null,
  isLocal: () => false,
};
