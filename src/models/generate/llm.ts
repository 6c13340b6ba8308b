/** A text generator. */
export interface Llm {
  /** "ollama/llama3.1:8b". */
  readonly id: string;
  /**
   * Completes a prompt.
   * @throws PommelError `llm_unavailable`; the signal's reason when it is aborted
   */
  generate(request: LlmRequest, signal?: AbortSignal): Promise<LlmAnswer>;
}

export interface LlmRequest {
  system?: string;
  prompt: string;
  /** The answer is cut here. Tokens. */
  maxTokens: number;
  temperature: number;
  /** Request one JSON value. */
  json?: boolean;
}

export interface LlmAnswer {
  text: string;
  /** As the server counts them, estimated where it does not. */
  inputTokens: number;
  outputTokens: number;
  /** By the list price; 0 for a model on this machine, null if there is none. */
  dollars: number | null;
}

/**
 * Tokens of a text, estimated: three ASCII characters to one, and one and a half to any other character. English and
 * code make 3 to 4, so this is a little too much; a prompt over the context window silently loses its beginning.
 */
export function estimatedTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / 3 + others * 1.5);
}

/** Generous allowance for a model's chat template. */
const templateTokens = 100;

export function estimatedInput({ system = "", prompt }: LlmRequest): number {
  return estimatedTokens(system) + estimatedTokens(prompt) + templateTokens;
}
