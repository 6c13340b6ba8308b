import type { RequestFailed } from "./request.ts";

/** A server would not embed these texts, all or one of them; it may well embed others. */
export class TextsRefused extends Error {
  constructor(
    message: string,
    /** A shorter text might do. */
    readonly isTooLong: boolean,
    /** False where only trying other texts shows whether it was these texts or the server. */
    readonly isCertain: boolean,
  ) {
    super(message);
  }
}

/** As Ollama, OpenAI, vLLM, llama.cpp and Text Embeddings Inference put it. */
const tooLong =
  /context (length|window|size)|too (long|large)|maximum\b.*\btokens|less than \d+ tokens|exceeds/i;
/** Some models answer some texts with NaN, which the server then cannot write as JSON. */
const notANumber = /\bNaN\b/;

/** The refusal that a failed request amounts to, or null when it says nothing about the texts. */
export function refusalOf({ kind, status, reply, message }: RequestFailed): TextsRefused | null {
  // NaN again, by a server that writes it: that is no JSON.
  if (kind === "nonsense") return new TextsRefused(message, false, false);
  if (status === 413) return new TextsRefused(message, true, true);
  if (status !== 400 && status !== 422 && status !== 500) return null;
  if (tooLong.test(reply)) return new TextsRefused(message, true, true);
  return new TextsRefused(message, false, status !== 500 || notANumber.test(reply));
}
