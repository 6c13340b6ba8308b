interface KnownModel {
  /** List prices for a million tokens, as of June 2026. Dollars. */
  input: number;
  output: number;
}

/** Models of api.openai.com (https://developers.openai.com/api/docs/pricing). */
const knownModels: Record<string, KnownModel> = {
  "gpt-4o": { input: 2.5, output: 10 },
  "gpt-4o-mini": { input: 0.15, output: 0.6 },
  "gpt-4.1": { input: 2, output: 8 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4 },
  "gpt-5": { input: 1.25, output: 10 },
  "gpt-5-mini": { input: 0.25, output: 2 },
  "gpt-5-nano": { input: 0.05, output: 0.4 },
};

/** What a call costs; null for a model whose price is not known. A dated name ("gpt-4o-2024-08-06") is its model. */
export function dollarsFor(model: string, inputTokens: number, outputTokens: number): number | null {
  const name = model.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  if (!Object.hasOwn(knownModels, name)) return null;
  const { input, output } = knownModels[name]!;
  return (inputTokens * input + outputTokens * output) / 1e6;
}

/** Whether the model thinks before it answers, which counts as output. */
export function isReasoning(model: string): boolean {
  return /^(o\d|gpt-5)/.test(model);
}
