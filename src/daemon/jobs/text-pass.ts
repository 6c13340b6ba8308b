import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { EmbedProgress } from "../../code/index/embed-pass.ts";
import { embedTexts } from "../../code/index/embed-texts.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { codeOf, explanationOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { embedChunks } from "../../sessions/chunks/embed-chunks.ts";
import { chunksWithoutVector } from "../../store/memory/chunks/chunks.ts";
import { storeSessionVectors } from "../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkTerms } from "../../store/memory/memory-records.ts";

interface TextPassOptions {
  memory: Memory;
  model: Embedder;
  log: Logger;
  /** The first wait while the model is unavailable; doubles up to `longestRetryMs`. Milliseconds. */
  retryMs?: number;
}

const longestRetryMs = 300_000;
/** Chunks that are embedded and stored together. */
const batchSize = 32;

/**
 * Makes the vectors of a model too slow to embed conversations while they are read, in the background. What is left to
 * do is what the memory lacks, so it can end at any moment and go on with the next start.
 */
export class TextPass {
  progress: EmbedProgress = { state: "resting", problem: null, chunksPerSecond: 0 };
  private running: Promise<void> | null = null;
  private isWanted = false;
  private failures = 0;
  private readonly stop = new AbortController();

  constructor(private readonly options: TextPassOptions) {}

  /**
   * Works until no chunk lacks a vector.
   * @throws what the store throws
   */
  run(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.work().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  isBusy(): boolean {
    return this.progress.state === "embedding";
  }

  /** Stops in the middle; what is stored by then stays. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.running?.catch(() => {});
  }

  private async work(): Promise<void> {
    while (this.isWanted && !this.stop.signal.aborted) {
      this.isWanted = false;
      try {
        await this.embedAll();
        this.progress = { state: "resting", problem: null, chunksPerSecond: 0 };
      } catch (error) {
        if (this.stop.signal.aborted) return;
        if (!["embedder_unavailable", "disk_full"].includes(codeOf(error))) throw error;
        this.isWanted = true;
        await this.pause(error);
      }
    }
  }

  private async embedAll(): Promise<void> {
    const { memory, model } = this.options;
    const started = Date.now();
    const careful = withoutPoison(model, this.stop.signal);
    for (let done = 0; !this.stop.signal.aborted; await nextTurn()) {
      const chunks = chunksWithoutVector(memory, model.id, batchSize);
      if (chunks.length === 0) return;
      // Lengths may be known to the server only. A model without work need not be loaded.
      if (model.dimensions === 0) await model.prepare();
      if (this.progress.problem === null) this.progress = { ...this.progress, state: "embedding" };
      const vectors = await embedChunks(
        careful,
        chunks.map(({ text }) => termsOfText(text)),
        this.stop.signal,
      );
      storeSessionVectors(memory, model.id, new Map(chunks.map(({ id }, i) => [id, vectors[i]!])));
      done += chunks.length;
      this.failures = 0;
      const chunksPerSecond = (done / Math.max(Date.now() - started, 1)) * 1000;
      this.progress = { state: "embedding", problem: null, chunksPerSecond };
    }
  }

  /** Says what is wrong and waits, longer each time. */
  private async pause(error: unknown): Promise<void> {
    const wait = Math.min((this.options.retryMs ?? 2000) * 2 ** this.failures++, longestRetryMs);
    const problem = explanationOf(error);
    if (problem !== this.progress.problem) {
      this.options.log.warn(`${this.options.model.id}: ${problem} Next try in ${wait / 1000} s.`);
    }
    this.progress = { state: "unavailable", problem, chunksPerSecond: 0 };
    await sleep(wait, undefined, { signal: this.stop.signal, ref: false }).catch(() => {});
  }
}

/** A text that a model fails on alone has no vector, and keeps no other from having one. */
function withoutPoison(model: Embedder, stop: AbortSignal): Embedder {
  return {
    id: model.id,
    dimensions: model.dimensions,
    prepare: () => model.prepare(),
    close: () => model.close(),
    embed: (texts) => embedTexts(model, texts, stop),
  };
}

const streams: Record<string, keyof ChunkTerms> = { USER: "prompt", NOTE: "prompt", ASSISTANT: "answer" };

/** What a stored chunk says, by who says it. What it was made of is not stored, and what it shows is enough here. */
export function termsOfText(text: string): ChunkTerms {
  const terms: Record<keyof ChunkTerms, string[]> = { prompt: [], answer: [], actions: [], errors: [] };
  for (const part of text.split(/\n\n(?=\[[A-Z_]+\] )/)) {
    const [label, speaker = "ASSISTANT"] = /^\[([A-Z_]+)\] /.exec(part) ?? [""];
    terms[streams[speaker] ?? "actions"].push(part.slice(label.length));
  }
  return {
    prompt: terms.prompt.join("\n"),
    answer: terms.answer.join("\n"),
    actions: terms.actions.join("\n"),
    errors: "",
  };
}
