import type { Embedder } from "../../models/embed/embedder.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import type { LookupScope } from "../../store/index/code-lookup.ts";
import { Asker } from "./asker.ts";
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
