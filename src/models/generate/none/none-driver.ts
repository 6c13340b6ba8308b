import type { LlmDriver } from "../llm-driver.ts";

export const noneDriver: LlmDriver = {
  name: "none",
  about: "no language model: summaries are put together from what was said",
  defaultModel: null,
  create: () => null,
  isLocal: () => false,
};
