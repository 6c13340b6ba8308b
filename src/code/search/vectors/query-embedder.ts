import { LRUCache } from "lru-cache";
import { explainError } from "../../../base/errors.ts";
import type { Embedder } from "../../../models/embed/embedder.ts";
import type { Embedders } from "../../../models/embed/embedders.ts";
import type { QueryVector } from "../../../store/index/port.ts";

/** A query as the models understand it, and notes for the user about a model that failed. */
export interface EmbeddedQuery {
  /** By the model that has a vector of every chunk from the start; null: it has none of this query. */
  first: QueryVector | null;
  /** By the larger model of the configuration, once its vectors are made. */
  second: QueryVector | null;
  notes: string[];
}

/** A query without vectors: search uses words alone. */
export const noMeaning: EmbeddedQuery = { first: null, second: null, notes: [] };

/** The vectors of a query, the first model's first. */
export function listQueryVectors({ first, second }: EmbeddedQuery): QueryVector[] {
  return [first, second].filter((vector) => vector !== null);
}

/** How long a search waits for the second model by default. Milliseconds. */
const usualDeadlineMs = 400;

/** Asks the models of a search for vectors of its queries. */
export class QueryEmbedder {
  private readonly first: ModelQueryEmbedder | null;
  private readonly second: ModelQueryEmbedder | null;

  constructor({ first, second, deadlineMs = usualDeadlineMs }: Partial<Embedders>) {
    this.first = first ? new ModelQueryEmbedder(first, Number.POSITIVE_INFINITY) : null;
    this.second = second ? new ModelQueryEmbedder(second, deadlineMs) : null;
  }

  /**
   * Never fails and never waits long: a model that is too late is left out, with a note.
   * @param hasVectors whether there are vectors of the second model to compare with: if not, it is not used
   */
  async embed(
    query: string,
    hasVectors: (model: string) => boolean | Promise<boolean>,
  ): Promise<EmbeddedQuery> {
    const isSecondOfUse = this.second !== null && (await hasVectors(this.second.model));
    const [first, second] = await Promise.all([
      this.first?.ask(query),
      isSecondOfUse ? this.second?.ask(query) : null,
    ]);
    return {
      first: first?.vector ?? null,
      second: second?.vector ?? null,
      notes: [first?.problem, second?.problem].filter((problem) => typeof problem === "string"),
    };
  }

  /** Vectors by the first model of texts that are few and come again: they are kept. None without a model. Never fails. */
  async embedOnce(texts: readonly string[]): Promise<readonly (Int8Array | null)[]> {
    return (await this.first?.askOnce(texts)) ?? [];
  }

  /** Why a model could not be asked the last time; null when it could, or is not in use. */
  problemWith(model: string): string | null {
    return [this.first, this.second].find((queryEmbedder) => queryEmbedder?.model === model)?.problem ?? null;
  }

  /** Frees the models' memory; the next query loads them again. */
  async close(): Promise<void> {
    await Promise.all([this.first?.close(), this.second?.close()]);
  }
}

interface EmbeddingAttempt {
  /** null: none, or not in time. */
  vector: QueryVector | null;
  /** Why there is none, as a message for the user; null if nothing is wrong. */
  problem: string | null;
}

/** An answer that comes later than this is not waited for in the background either. Milliseconds. */
const maxAnswerMs = 30_000;
/** Queries whose vectors are cached. */
const maxAnswers = 100;
const firstPauseMs = 1000;
const maxPauseMs = 60_000;

/**
 * Asks one model. One that fails or is late is left alone for a while, longer each time, so that a server which is down
 * does not cost every search its deadline.
 */
class ModelQueryEmbedder {
  private failures = 0;
  private pausedUntil = 0;
  /** Why the last question was not answered, or not in time. */
  problem: string | null = null;
  /** Vectors of the last queries: the same one comes again for its next page, or to see why. */
  private readonly answers = new LRUCache<string, EmbeddingAttempt>({ max: maxAnswers });
  /** Vectors of texts that come again. */
  private readonly kept = new Map<string, Int8Array | null>();
  /** A query whose deadline has passed is still running: a model is being loaded, say. */
  private isWaiting = false;

  constructor(
    private readonly embedder: Embedder,
    private readonly deadlineMs: number,
  ) {}

  get model(): string {
    return this.embedder.id;
  }

  close(): Promise<void> {
    return this.embedder.close();
  }

  async ask(query: string): Promise<EmbeddingAttempt> {
    const known = this.answers.get(query);
    if (known !== undefined) return known;
    if (this.isWaiting || Date.now() < this.pausedUntil) return { vector: null, problem: this.problem };
    const answer = this.embedder.embed([query], "query", AbortSignal.timeout(maxAnswerMs)).then(
      ([vector]) => {
        this.failures = 0;
        this.problem = null;
        const answered = { vector: vector ? { model: this.model, vector } : null, problem: null };
        this.answers.set(query, answered);
        return answered;
      },
      (error: unknown) => this.fail(error),
    );
    if (this.deadlineMs === Number.POSITIVE_INFINITY) return answer;
    return this.awaitUntilDeadline(answer);
  }

  async askOnce(texts: readonly string[]): Promise<readonly (Int8Array | null)[]> {
    const missing = texts.filter((text) => !this.kept.has(text));
    if (missing.length > 0) {
      const vectors = await this.embedder.embed(missing, "passage").catch(() => []);
      for (const [i, vector] of vectors.entries()) this.kept.set(missing[i]!, vector);
    }
    return texts.map((text) => this.kept.get(text) ?? null);
  }

  private async awaitUntilDeadline(answer: Promise<EmbeddingAttempt>): Promise<EmbeddingAttempt> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.deadlineMs);
    });
    const first = await Promise.race([answer, late]);
    clearTimeout(timer);
    if (first !== null) return first;
    this.isWaiting = true;
    void answer.finally(() => {
      this.isWaiting = false;
    });
    this.problem = `${this.embedder.id} did not answer within ${this.deadlineMs} ms; searched without vectors.`;
    return { vector: null, problem: this.problem };
  }

  private fail(error: unknown): EmbeddingAttempt {
    const pause = Math.min(firstPauseMs * 2 ** this.failures++, maxPauseMs);
    this.pausedUntil = Date.now() + pause;
    this.problem = explainError(error);
    return { vector: null, problem: this.problem };
  }
}
