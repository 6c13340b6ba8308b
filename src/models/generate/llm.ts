/** What every text generator gives. */
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
  /** The answer shall be one JSON value. */
  json?: boolean;
}

export interface LlmAnswer {
  text: string;
  /** As the server counts them, estimated where it does not. */
  inputTokens: number;
  outputTokens: number;
  /** By the list price; 0 for a model on this machine, null where no price is known. */
  dollars: number | null;
}
