import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import type { EmbeddedKind, Embedder, EmbedderUsage } from "../embed/embedder.ts";
import { quantise } from "../embed/quantise.ts";
import { TextsRefused } from "./retry.ts";
import { cutAt, cutToTokens, estimateTokens } from "./token-estimate.ts";

/** The server-specific parts of a remote model. */
interface RemoteModel {
  id: string;
  /** For messages: "Ollama at http://127.0.0.1:11434". */
  server: string;
  model: string;
  /** 0 when only the server knows. */
  dimensions: number;
  /** The model's prefixes. */
  prefixes: Readonly<Record<EmbeddedKind, string>>;
  /** Limits per request and per text, in estimated tokens. */
  limits: { texts: number; tokens: number; tokensPerText: number };
  /**
   * One request: the vectors of `texts`, in order. Queries fail fast; passages are retried longer.
   * @throws TextsRefused; PommelError `embedder_unavailable`; the signal's reason when it is aborted
   */
  ask(
    texts: readonly string[],
    kind: EmbeddedKind,
    signal: AbortSignal | undefined,
  ): Promise<ArrayLike<number>[]>;
  usage?(): EmbedderUsage;
}

/** Minimum length when shortening a text. UTF-16 units. */
const minPieceChars = 64;

/** An embedder on a server: cuts texts, builds batches, isolates texts that the server rejects. */
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

  async embed(
    texts: readonly string[],
    kind: EmbeddedKind,
    signal?: AbortSignal,
  ): Promise<(Int8Array | null)[]> {
    signal?.throwIfAborted();
    const vectors = new Array<Int8Array | null>(texts.length).fill(null);
    for (const batch of this.batchTexts(texts, kind)) {
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

  /** Embeds one word to check server and model, and to learn the dimensions. */
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

  private *batchTexts(
    texts: readonly string[],
    kind: EmbeddedKind,
  ): Generator<{ at: number; text: string }[]> {
    const { limits, prefixes } = this.remote;
    let batch: { at: number; text: string }[] = [];
    let tokens = 0;
    for (const [at, given] of texts.entries()) {
      if (given.trim() === "") continue;
      // Some servers fail on unpaired surrogates.
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
    kind: EmbeddedKind,
    signal: AbortSignal | undefined,
  ): Promise<(Int8Array | null)[]> {
    try {
      return await this.askFor(texts, kind, signal);
    } catch (error) {
      if (!(error instanceof TextsRefused)) throw error;
      // Check whether the server rejects every text.
      await this.probe(signal);
      return this.embedInHalves(texts, kind, signal, error);
    }
  }

  /** Bisects rejected texts; the failing ones are shortened or skipped. */
  private async embedInHalves(
    texts: readonly string[],
    kind: EmbeddedKind,
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
        vectors.push(...(await this.embedInHalves(half, kind, signal, error)));
      }
    }
    return vectors;
  }

  private async shorten(
    text: string,
    kind: EmbeddedKind,
    signal: AbortSignal | undefined,
    refusal: TextsRefused,
  ): Promise<Int8Array | null> {
    let { isTooLong } = refusal;
    for (let length = text.length >> 1; isTooLong && length >= minPieceChars; length >>= 1) {
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
    kind: EmbeddedKind,
    signal: AbortSignal | undefined,
  ): Promise<(Int8Array | null)[]> {
    const vectors = await this.remote.ask(texts, kind, signal);
    this.check(vectors, texts.length);
    // A successful answer replaces the probe.
    this.ready ??= Promise.resolve();
    return vectors.map(quantise);
  }

  /** Learns the dimensions from the first answer, and checks later ones. */
  private check(vectors: readonly ArrayLike<number>[], count: number): void {
    const { server, model } = this.remote;
    if (vectors.length !== count) {
      throw makeUnusableAnswerError(`${server} returned vectors for ${vectors.length} of ${count} texts.`);
    }
    const wanted = this.length || (vectors[0]?.length ?? 0);
    const other = vectors.find(({ length }) => length === 0 || length !== wanted);
    if (other) {
      throw makeUnusableAnswerError(
        `${server} returned a vector of ${other.length} numbers instead of ${wanted} for ${model}.`,
      );
    }
    this.length = wanted;
  }
}

function makeUnusableAnswerError(message: string): PommelError {
  return new PommelError(
    "embedder_unavailable",
    message,
    "Another model may have answered under that name. Pommel discarded the answer.",
  );
}

/** A JSON vector, checked in one pass: a schema per element would take longer than the request. */
export const numbers = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((element) => typeof element === "number"),
);
