import type { Embedder } from "../embed/embedder.ts";
import { explanationOf } from "../project/errors.ts";
import type { CodeIndex } from "../store/code-index.ts";
import type { LookupScope } from "../store/code-lookup.ts";
import { evidenceOf, type SemanticEvidence, type VectorEvidence } from "./vector-evidence.ts";
import { VectorIndex } from "./vector-index.ts";

/** A query as the models understand it, and what to tell people of a model that could not. */
export interface EmbeddedQuery {
  first: Int8Array | null;
  second: Int8Array | null;
  notes: string[];
}

interface VectorSearchOptions {
  index: CodeIndex;
  /** Embeds every chunk while it is indexed. */
  first: Embedder;
  /** Embeds chunks in the background; null when there is none. */
  second?: Embedder | null;
  /** How long a search waits for the second model. Milliseconds. */
  deadlineMs?: number;
}

/** Search by meaning: embeds the query with each model and looks for the chunks nearest to it. */
export class VectorSearch {
  private readonly first: Asker;
  private readonly second: Asker | null;
  private readonly firstVectors: VectorIndex;
  private readonly secondVectors: VectorIndex | null;

  constructor({ index, first, second = null, deadlineMs = 400 }: VectorSearchOptions) {
    this.first = new Asker(first, Number.POSITIVE_INFINITY);
    this.firstVectors = new VectorIndex(index, first.id);
    this.second = second && new Asker(second, deadlineMs);
    this.secondVectors = second && new VectorIndex(index, second.id);
  }

  /** Never fails and never waits long: what a model cannot do in time is left out, and said. */
  async embed(query: string): Promise<EmbeddedQuery> {
    const isSecondOfUse = this.secondVectors !== null && this.secondVectors.size().chunks > 0;
    const [first, second] = await Promise.all([
      this.first.ask(query),
      isSecondOfUse ? this.second?.ask(query) : null,
    ]);
    return {
      first: first.vector,
      second: second?.vector ?? null,
      notes: [first.problem, second?.problem].filter((problem) => typeof problem === "string"),
    };
  }

  /** The `k` nearest chunks of the scope for each model. */
  evidence(query: EmbeddedQuery, scope: LookupScope, k: number): SemanticEvidence {
    return {
      first: evidenceIn(this.firstVectors, query.first, scope, k),
      second: evidenceIn(this.secondVectors, query.second, scope, k),
    };
  }

  /** Why a model could not be asked the last time; null when it could, or is not in use. */
  problemWith(model: string): string | null {
    const asker = [this.first, this.second].find((known) => known?.model === model);
    return asker?.problem ?? null;
  }

  /** Gives back the memory of vectors and models; the next search loads them again. */
  async release(): Promise<void> {
    this.firstVectors.release();
    this.secondVectors?.release();
    await Promise.all([this.first.close(), this.second?.close()]);
  }

  /** Names of the models whose vectors took part. */
  modelsOf(query: EmbeddedQuery): string[] {
    const first = query.first && this.firstVectors.model;
    const second = query.second && this.secondVectors?.model;
    return [first, second].filter((model) => typeof model === "string");
  }
}

function evidenceIn(
  vectors: VectorIndex | null,
  query: Int8Array | null,
  scope: LookupScope,
  k: number,
): VectorEvidence | null {
  return vectors && query && evidenceOf(vectors, query, scope, k);
}

interface Told {
  /** null: none, or not in time. */
  vector: Int8Array | null;
  /** Why there is none, for a person; null when nothing is wrong. */
  problem: string | null;
}

/** An answer that comes later than this is not waited for in the background either. Milliseconds. */
const longestAnswer = 30_000;
/** Queries whose vectors are remembered. */
const mostRemembered = 100;
const firstPause = 1000;
const longestPause = 60_000;

/**
 * Asks one model for vectors of queries. One that fails or is late is left alone for a while, longer each time, so
 * that a server which is down does not cost every search its deadline.
 */
class Asker {
  private failures = 0;
  private pausedUntil = 0;
  /** Why the last question was not answered, or not in time. */
  problem: string | null = null;
  /** Vectors of the last queries: the same one comes again for its next page, or to see why. */
  private readonly remembered = new Map<string, Int8Array | null>();
  /** A question whose deadline has passed and that may still be answered: a model is being loaded, say. */
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

  async ask(query: string): Promise<Told> {
    const known = this.remembered.get(query);
    if (known !== undefined) return { vector: known, problem: null };
    if (this.isWaiting || Date.now() < this.pausedUntil) return { vector: null, problem: this.problem };
    const answer = this.embedder.embed([query], "query", AbortSignal.timeout(longestAnswer)).then(
      ([vector = null]) => {
        this.failures = 0;
        this.problem = null;
        if (this.remembered.size >= mostRemembered) this.remembered.clear();
        this.remembered.set(query, vector);
        return { vector, problem: null };
      },
      (error: unknown) => this.fail(error),
    );
    if (this.deadlineMs === Number.POSITIVE_INFINITY) return answer;
    return this.inTime(answer);
  }

  private async inTime(answer: Promise<Told>): Promise<Told> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.deadlineMs);
    });
    const told = await Promise.race([answer, late]);
    clearTimeout(timer);
    if (told !== null) return told;
    this.isWaiting = true;
    void answer.finally(() => {
      this.isWaiting = false;
    });
    this.problem = `${this.embedder.id} did not answer within ${this.deadlineMs} ms; searched without it.`;
    return { vector: null, problem: this.problem };
  }

  private fail(error: unknown): Told {
    const pause = Math.min(firstPause * 2 ** this.failures++, longestPause);
    this.pausedUntil = Date.now() + pause;
    this.problem = explanationOf(error);
    return { vector: null, problem: this.problem };
  }
}
