import { performance } from "node:perf_hooks";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import type { LookupScope } from "../../store/index/code-lookup.ts";
import { noEvidence } from "../vectors/vector-evidence.ts";
import type { VectorSearch } from "../vectors/vector-search.ts";
import { collectCandidates, mentionsOf, weighStems } from "./candidates.ts";
import { type AnalysedQuery, analyseQuery } from "./query.ts";
import { type Background, type Ranked, rank } from "./rank.ts";
import { reasonsFor } from "./reasons.ts";
import { filesIn } from "./scope.ts";
import { FileReader } from "./source.ts";
import type { CodeAnswer, CodeQuery, CodeResult } from "./types.ts";
import { weights as standardWeights, type Weights } from "./weights.ts";

interface CodeSearchOptions {
  project: Project;
  index: CodeIndex;
  /** Search by meaning; null: by words and structure alone. */
  vectors: VectorSearch | null;
  weights?: Weights;
}

/** Answers questions from one code index. Holds no state but prepared statements, vectors and caches. */
export class CodeSearch {
  private readonly project: Project;
  private readonly index: CodeIndex;
  private readonly vectors: VectorSearch | null;
  private readonly weights: Weights;

  constructor({ project, index, vectors, weights }: CodeSearchOptions) {
    this.project = project;
    this.index = index;
    this.vectors = vectors;
    this.weights = weights ?? standardWeights;
  }

  /**
   * The best chunks for a query, best first, with the lines as they are on disk now; chunks whose file has
   * gone are left out.
   * @throws PommelError `usage` when the query holds no word at all, `index_corrupt`
   */
  async search(request: CodeQuery): Promise<CodeAnswer> {
    const start = performance.now();
    const query = analyseQuery(request.query);
    if (query.tokens.length === 0) {
      throw new PommelError("usage", "The query has no searchable word.", 'Try `pm search "where is …"`.');
    }
    const embedded = this.vectors && (await this.vectors.embed(request.query));
    const { results, total } = this.index.inSnapshot(() => {
      const scope = this.scopeOf(request);
      const semantic =
        embedded && this.vectors ? this.vectors.evidence(embedded, scope, this.weights.nearest) : noEvidence;
      const candidates = collectCandidates(this.index, query, scope, this.weights, semantic);
      const background: Background = {
        stemWeights: weighStems(this.index, query),
        mentionsOf: (name) => mentionsOf(this.index, name),
        isMeantByTwo: semantic.second !== null,
      };
      const ranked = rank(candidates, query, background, this.weights);
      return { results: this.present(ranked, query, request), total: ranked.length };
    });
    return {
      query: request.query,
      results,
      total_results: total,
      searched_by: ["words", ...((embedded && this.vectors?.modelsOf(embedded)) ?? [])],
      notes: embedded?.notes ?? [],
      search_time_ms: Math.round((performance.now() - start) * 100) / 100,
    };
  }

  /** Gives back the memory of vectors and models; the next search loads them again. */
  async release(): Promise<void> {
    await this.vectors?.release();
  }

  /** Why a model could not be asked the last time; null when it could, or is not in use. */
  problemWith(model: string): string | null {
    return this.vectors?.problemWith(model) ?? null;
  }

  private present(ranked: readonly Ranked[], query: AnalysedQuery, request: CodeQuery): CodeResult[] {
    const files = new FileReader(this.project.root);
    const results: CodeResult[] = [];
    const best = ranked[0]?.score || 1;
    for (const entry of ranked) {
      if (results.length >= request.limit) break;
      const chunk = this.index.chunk(entry.candidate.chunk.rowid);
      const content = chunk && files.lines(chunk);
      if (!content) continue;
      results.push({
        id: chunk.id,
        file: chunk.path,
        start_line: chunk.startLine,
        end_line: chunk.endLine,
        level: chunk.level,
        language: chunk.language,
        name: chunk.name,
        score: round(entry.score / best),
        content: content.text,
        parent_id: chunk.parentId,
        parent_name: chunk.parentName,
        match_reasons: reasonsFor(entry, query, content.text),
        freshness: content.drifted ? "drifted" : "fresh",
        ...(request.explain && { signals: mapValues(entry.signals, round) }),
      });
    }
    return results;
  }

  private scopeOf({ paths, languages, levels }: CodeQuery): LookupScope {
    const restricted = paths.length > 0 || languages.length > 0;
    return {
      levels: levels.length > 0 ? levels : null,
      fileIds: restricted ? filesIn(this.index, { paths, languages }).map(({ id }) => id) : null,
    };
  }
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;

function mapValues(
  record: Record<string, number>,
  change: (value: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
