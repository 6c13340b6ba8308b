import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import type { Embedder, EmbedderUsage, TextKind } from "../embed/embedder.ts";
import { quantise } from "../embed/quantise.ts";
import { TextsRefused } from "./retry.ts";

/** A model behind HTTP: what differs from server to server. */
interface RemoteModel {
  id: string;
  /** As messages begin: "Ollama at http://127.0.0.1:11434". */
  server: string;
  model: string;
  /** 0 when only the server knows. */
  dimensions: number;
  /** What the model wants before a text. */
  prefixes: Readonly<Record<TextKind, string>>;
  /** Of one request, and of one text. Tokens are estimated. */
  limits: { texts: number; tokens: number; tokensPerText: number };
  /**
   * One request: the vectors of `texts`, in order. A question is answered soon or not at all; for passages it is
   * tried longer.
   * @throws TextsRefused; PommelError `embedder_unavailable`; the signal's reason when it is aborted
   */
  ask(
    texts: readonly string[],
    kind: TextKind,
    signal: AbortSignal | undefined,
  ): Promise<ArrayLike<number>[]>;
  usage?(): EmbedderUsage;
}

/** Shorter pieces of a text than this say nothing about it. UTF-16 units. */
const shortestPiece = 64;

/** An embedder that asks a server: cuts texts, makes batches, finds the one text that a server chokes on. */
export class RemoteEmbedder implements Embedder {
  readonly id: string;
  private length: number;
  private ready: Promise<void> | null = null;
  readonly usage?: () => EmbedderUsage;

  constructor(private readonly remote: RemoteModel) {
    this.id = remote.id;
    this.length = remote.dimensions;
    if (remote.usage) this.usage = remote.usage;
  }

  get dimensions(): number {
    return this.length;
  }

  prepare(): Promise<void> {
    this.ready ??= this.probe().catch((error: unknown) => {
      this.ready = null;
      throw error;
    });
    return this.ready;
  }

  async embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<(Int8Array | null)[]> {
    signal?.throwIfAborted();
    const vectors = new Array<Int8Array | null>(texts.length).fill(null);
    for (const batch of this.batchesOf(texts, kind)) {
      const found = await this.embedBatch(
        batch.map(({ text }) => text),
        kind,
        signal,
      );
      batch.forEach(({ at }, i) => {
        vectors[at] = found[i] ?? null;
      });
    }
    return vectors;
  }

  async close(): Promise<void> {
    this.ready = null;
  }

  /** Embeds a word: shows that the server is there and has the model, and how long its vectors are. */
  private async probe(signal?: AbortSignal): Promise<void> {
    const { ask, server, prefixes } = this.remote;
    try {
      this.check(await ask([`${prefixes.query}word`], "query", signal), 1);
    } catch (error) {
      if (!(error instanceof TextsRefused)) throw error;
      throw new PommelError(
        "embedder_unavailable",
        `${server} cannot embed text with ${this.remote.model}: it ${error.message}.`,
        "Check that it is a model for embeddings.",
        { cause: error },
      );
    }
  }

  private *batchesOf(texts: readonly string[], kind: TextKind): Generator<{ at: number; text: string }[]> {
    const { limits, prefixes } = this.remote;
    let batch: { at: number; text: string }[] = [];
    let tokens = 0;
    for (const [at, given] of texts.entries()) {
      if (given.trim() === "") continue;
      // Half characters are no UTF-8, and some servers fail on them.
      const text = cutToTokens(
        `${prefixes[kind]}${given.replace(/\p{Surrogate}/gu, "\ufffd")}`,
        limits.tokensPerText,
      );
      const its = estimateTokens(text);
      if (batch.length > 0 && (batch.length >= limits.texts || tokens + its > limits.tokens)) {
        yield batch;
        batch = [];
        tokens = 0;
      }
      batch.push({ at, text });
      tokens += its;
    }
    if (batch.length > 0) yield batch;
  }

  private async embedBatch(
    texts: readonly string[],
    kind: TextKind,
    signal: AbortSignal | undefined,
  ): Promise<(Int8Array | null)[]> {
    try {
      return await this.askFor(texts, kind, signal);
    } catch (error) {
      if (!(error instanceof TextsRefused)) throw error;
      // Is it these texts, or would it refuse any?
      await this.probe(signal);
      return this.divide(texts, kind, signal, error);
    }
  }

  /** After `texts` were refused: halves them until those at fault are alone; these are shortened or left out. */
  private async divide(
    texts: readonly string[],
    kind: TextKind,
    signal: AbortSignal | undefined,
    refusal: TextsRefused,
  ): Promise<(Int8Array | null)[]> {
    if (texts.length === 1) return [await this.shorten(texts[0]!, kind, signal, refusal)];
    const middle = Math.ceil(texts.length / 2);
    const vectors: (Int8Array | null)[] = [];
    for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
      try {
        vectors.push(...(await this.askFor(half, kind, signal)));
      } catch (error) {
        if (!(error instanceof TextsRefused)) throw error;
        vectors.push(...(await this.divide(half, kind, signal, error)));
      }
    }
    return vectors;
  }

  private async shorten(
    text: string,
    kind: TextKind,
    signal: AbortSignal | undefined,
    refusal: TextsRefused,
  ): Promise<Int8Array | null> {
    let { isTooLong } = refusal;
    for (let length = text.length >> 1; isTooLong && length >= shortestPiece; length >>= 1) {
      try {
        return (await this.askFor([cutAt(text, length)], kind, signal))[0] ?? null;
      } catch (error) {
        if (!(error instanceof TextsRefused)) throw error;
        isTooLong = error.isTooLong;
      }
    }
    return null;
  }

  private async askFor(
    texts: readonly string[],
    kind: TextKind,
    signal: AbortSignal | undefined,
  ): Promise<(Int8Array | null)[]> {
    const vectors = await this.remote.ask(texts, kind, signal);
    this.check(vectors, texts.length);
    // It has answered as a probe would.
    this.ready ??= Promise.resolve();
    return vectors.map(quantise);
  }

  /** Learns the length of vectors from the first answer, and holds every later one to it. */
  private check(vectors: readonly ArrayLike<number>[], count: number): void {
    const { server, model } = this.remote;
    if (vectors.length !== count) {
      throw unusable(`${server} returned vectors for ${vectors.length} of ${count} texts.`);
    }
    const wanted = this.length || (vectors[0]?.length ?? 0);
    const other = vectors.find(({ length }) => length === 0 || length !== wanted);
    if (other) {
      throw unusable(
        `${server} returned a vector of ${other.length} numbers instead of ${wanted} for ${model}.`,
      );
    }
    this.length = wanted;
  }
}

function unusable(message: string): PommelError {
  return new PommelError(
    "embedder_unavailable",
    message,
    "Another model may answer under that name. The answer is discarded.",
  );
}

/**
 * Tokens of a text are estimated, on the safe side: two ASCII characters or less than one other to a token, where
 * tokenizers make 3 to 4 characters of English and code, and one of Chinese. Too long a text is not cut off here but
 * refused by the server, and then shortened.
 */
const perAscii = 0.5;
const perOther = 1.5;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += text.charCodeAt(i) < 128 ? perAscii : perOther;
  return tokens;
}

/** The beginning of `text` with at most `most` tokens, as estimated. */
export function cutToTokens(text: string, most: number): string {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    tokens += text.charCodeAt(i) < 128 ? perAscii : perOther;
    if (tokens > most) return cutAt(text, i);
  }
  return text;
}

/** The first `length` UTF-16 units of `text`, one less where that would halve a character. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** A vector as JSON. Checked in one pass: element by element, a schema would take longer than the request. */
export const numbers = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((element) => typeof element === "number"),
);
