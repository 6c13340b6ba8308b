import type { LlmRequest } from "./llm.ts";

/**
 * Tokens of a text, estimated: three ASCII characters to one, and one and a half to any other character. English and
 * code make 3 to 4, so this is a little too much; a prompt that outgrows its window loses its beginning unseen.
 */
export function estimatedTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / 3 + others * 1.5);
}

/** What the chat template of a model adds, and more. */
const templateTokens = 100;

export function estimatedInput({ system = "", prompt }: LlmRequest): number {
  return estimatedTokens(system) + estimatedTokens(prompt) + templateTokens;
}
