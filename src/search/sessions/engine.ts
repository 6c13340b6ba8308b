import { performance } from "node:perf_hooks";
import { PommelError } from "../../project/errors.ts";
import { annotationsByIds } from "../../store/memory/chunks/annotations.ts";
import { type ChunkFilter, chunkTextsIn } from "../../store/memory/chunks/chunk-filter.ts";
import {
  chunkOutlines,
  chunksByIds,
  neighboursOf,
  type StoredSessionChunk,
  sessionChunkCount,
} from "../../store/memory/chunks/chunks.ts";
import { passageVectors } from "../../store/memory/chunks/vectors.ts";
import { commitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { chunkFrequencies } from "../../store/sqlite/term-frequencies.ts";
import type { Finder } from "../../text/pattern.ts";
import { type AnalysedQuery, analyseQuery } from "../code/query.ts";
import { heldShare, isLiteral, termsOf, weighTerms } from "../confidence/asked-terms.ts";
import {
  type Judged,
  type Judgement,
  judgedBy,
  type ResultEvidence,
  judge as standardJudge,
} from "../confidence/judge.ts";
import { type Nearness, PassageNearness } from "../vectors/nearness.ts";
import { noMeaning, type QueryEmbedder, vectorsOf } from "../vectors/query-embedder.ts";
import type { CommitsOfResults } from "./commits-of-results.ts";
import { collectEvidence } from "./evidence.ts";
import { FileAges } from "./freshness.ts";
import { intentOf } from "./intent.ts";
import { type RankedChunk, rankSessions, type SessionCandidate } from "./rank.ts";
import { reasonsFor } from "./reasons.ts";
import { weighReverts } from "./reverted.ts";
import { filterOf } from "./scope.ts";
import { snippetAround, snippetAt } from "./snippet.ts";
import type { CommitOfResult, SessionAnswer, SessionQuery, SessionResult } from "./types.ts";
import { type SessionWeights, sessionWeights } from "./weights.ts";

interface SessionSearchOptions {
  /** What paths of touched files are relative to. */
  root: string;
  memory: Memory;
  /** For search by meaning; null: by words alone. */
  embedder: QueryEmbedder | null;
  weights?: SessionWeights;
  /** What says how sure results are. */
  judge?: typeof standardJudge;
  now?: () => number;
  /** What asking git about the commits of results may take, and whether it goes on for the next search. */
  patience?: { ms: number; goesOn: boolean };
}

type FoundSession = Omit<SessionResult, keyof Judgement>;

interface Presented {
  /** Of `chunks`. */
  rowid: number;
  result: FoundSession;
}

/** What a pattern matches is no matter of probability. */
const sure: Judgement = { confidence: "high", probability: 1 };

/** Answers questions about what was said and done. Holds no state but prepared statements, vectors and caches. */
export class SessionSearch {
  private readonly weights: SessionWeights;
  private readonly passages = new Map<string, PassageNearness>();
  private commits: CommitsOfResults | null = null;

  constructor(private readonly options: SessionSearchOptions) {
    this.weights = options.weights ?? sessionWeights;
  }

  /**
   * The best chunks for a question, best first; for a pattern, the newest that match.
   * @throws PommelError `usage` when the question holds no word, or is no pattern; `not_found` for an unknown session
   */
  async search(request: SessionQuery): Promise<SessionAnswer> {
    const start = performance.now();
    const answer = await (request.mode === "regex"
      ? this.byPattern(request)
      : this.byTextAndMeaning(request));
    // What is only near is no answer, and nobody asks what became of it.
    const { results, notes } = await this.withCommits(answer.results, request);
    return {
      ...answer,
      results,
      notes: [...answer.notes, ...notes],
      query: request.query,
      search_time_ms: round2(performance.now() - start),
    };
  }

  /** By the result's place; the notes say what could not be found out. */
  private async commitsOf(
    results: readonly SessionResult[],
  ): Promise<{ commits: CommitOfResult[][]; notes: string[] }> {
    const led = commitsOfSessions(this.options.memory, [
      ...new Set(results.map(({ session_id }) => session_id)),
    ]);
    if (led.size === 0) return { commits: [], notes: [] };
    // Loaded when it is needed: many a memory knows of no commits.
    const { CommitsOfResults } = await import("./commits-of-results.ts");
    this.commits ??= new CommitsOfResults(this.options);
    return this.commits.of(results, led);
  }

  /** Says what became of the commits that results led to; what was taken back goes behind what is as good. */
  private async withCommits(
    results: readonly SessionResult[],
    { mode, explain }: SessionQuery,
  ): Promise<{ results: SessionResult[]; notes: string[] }> {
    const { commits, notes } = await this.commitsOf(results);
    return { results: weighReverts(results, commits, { mode, explain, weights: this.weights }), notes };
  }

  /** Gives back the memory of vectors and models; the next search loads them again. */
  async release(): Promise<void> {
    for (const passages of this.passages.values()) passages.release();
    await this.options.embedder?.close();
  }

  private passagesOf(model: string): PassageNearness {
    let passages = this.passages.get(model);
    if (passages === undefined) {
      passages = new PassageNearness(passageVectors(this.options.memory), model);
      this.passages.set(model, passages);
    }
    return passages;
  }

  private async byTextAndMeaning(
    request: SessionQuery,
  ): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
    const { memory } = this.options;
    const query = analyseQuery(request.query);
    if (query.tokens.length === 0) {
      throw new PommelError(
        "usage",
        "The query has no searchable word.",
        'Try `pm search sessions "how did we fix …"`.',
      );
    }
    const embedder = request.mode === "fts" ? null : this.options.embedder;
    const hasVectors = (model: string) => this.passagesOf(model).size() > 0;
    const embedded = (await embedder?.embed(request.query, hasVectors)) ?? noMeaning;
    const isByText = request.mode !== "semantic";
    return memory.inSnapshot(() => {
      const filter = filterOf(memory, request);
      const nearness = vectorsOf(embedded).flatMap(({ model, vector }) => {
        const near = this.passagesOf(model).to(vector);
        return near ? [{ ...near, model }] : [];
      });
      const tokens = isByText ? query.tokens : [];
      const ranked = this.rank(request.query, tokens, filter, nearness);
      const limit = Math.max(request.limit, judgedBy);
      const presented = this.present(ranked.slice(0, limit), query, request);
      const first = nearness.find(({ model }) => model === embedded.first?.model) ?? null;
      const judged = this.judge(query, presented, first);
      return {
        results: judged.results.slice(0, request.limit),
        nearest: judged.nearest.slice(0, request.limit),
        total_results: judged.results.length === 0 ? 0 : ranked.length,
        searched_by: [...(isByText ? ["words"] : []), ...nearness.map(({ model }) => model)],
        notes: embedded.notes,
      };
    });
  }

  /** How sure each result is; by one model alone, whose cosines always mean the same. */
  private judge(
    query: AnalysedQuery,
    presented: readonly Presented[],
    nearness: Nearness | null,
  ): Judged<FoundSession> {
    const { memory, judge = standardJudge } = this.options;
    const terms = termsOf(query);
    const holding = chunkFrequencies(memory, terms);
    const asked = weighTerms(terms, { chunks: sessionChunkCount(memory), holding });
    const found = presented.map(({ rowid, result }) => {
      const text = `${result.session_title ?? ""} ${result.files.join(" ")}\n${result.content}`;
      const evidence: ResultEvidence = {
        held: heldShare(asked, text),
        nearness: nearness?.best[nearness.placeOf.get(rowid) ?? -1] || 0,
        defines: false,
        literal: isLiteral(query.raw, text),
      };
      return { result, evidence };
    });
    const { known, chunks } = asked;
    return judge("sessions", { known, chunks, nearness: nearness && highest(nearness.best) }, found);
  }

  private rank(
    question: string,
    tokens: readonly string[],
    filter: ChunkFilter,
    nearness: readonly Nearness[],
  ): RankedChunk[] {
    const { memory, now = Date.now } = this.options;
    const { evidence, candidates } = collectEvidence(memory, tokens, filter, nearness, this.weights);
    const outlines = chunkOutlines(memory, candidates);
    const around = neighboursOf(memory, candidates);
    const known: SessionCandidate[] = [];
    for (const rowid of candidates) {
      const outline = outlines.get(rowid);
      if (!outline) continue;
      const { sessionId, type, kind, abandoned, startedAt } = outline;
      const { before = null, after = null } = around.get(rowid) ?? {};
      const neighbours = [before, after].filter((id) => id !== null);
      known.push({ rowid, sessionId, type, kind, abandoned, startedAt, neighbours });
    }
    const ranked = rankSessions(known, evidence, intentOf(question), this.weights, now());
    return ranked.filter(({ score }) => score > 0);
  }

  private async byPattern(request: SessionQuery): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
    const { memory } = this.options;
    // Loaded when it is needed: that takes longer than most searches.
    const { compilePattern } = await import("../../text/pattern.ts");
    const pattern = compilePattern(request.query);
    return memory.inSnapshot(() => {
      const filter = filterOf(memory, request);
      const { found, total } = chunksMatching(memory, pattern, filter, request.limit);
      const chunks = chunksByIds(
        memory,
        found.map(({ rowid }) => rowid),
      );
      const describe = this.describer([...chunks.values()]);
      return {
        results: found.flatMap(({ rowid, start }): SessionResult[] => {
          const chunk = chunks.get(rowid);
          if (!chunk) return [];
          const snippet = snippetAt(chunk.text, start);
          const reasons = { match_reasons: ["matches the pattern"] };
          return [{ ...describe(chunk), ...sure, score: 1, snippet, ...reasons }];
        }),
        nearest: [],
        total_results: total,
        searched_by: ["pattern"],
        notes: [],
      };
    });
  }

  private present(ranked: readonly RankedChunk[], query: AnalysedQuery, request: SessionQuery): Presented[] {
    const { memory } = this.options;
    const chunks = chunksByIds(
      memory,
      ranked.map(({ candidate }) => candidate.rowid),
    );
    const describe = this.describer([...chunks.values()]);
    return ranked.flatMap(({ candidate, score, signals }): Presented[] => {
      const chunk = chunks.get(candidate.rowid);
      if (!chunk) return [];
      const described = describe(chunk);
      const result: FoundSession = {
        ...described,
        score: round4(score / (score + this.weights.halfScore)),
        snippet: snippetAround(chunk.text, request.query),
        match_reasons: reasonsFor(described, query.words, signals),
        ...(request.explain && { signals: roundAll(signals) }),
      };
      return [{ rowid: candidate.rowid, result }];
    });
  }

  /** What can be said of chunks without knowing the question. */
  private describer(chunks: readonly StoredSessionChunk[]) {
    const { memory, root } = this.options;
    const sessions = sessionsByIds(memory, [...new Set(chunks.map(({ sessionId }) => sessionId))]);
    const notes = annotationsByIds(
      memory,
      chunks.flatMap(({ annotationId }) => annotationId ?? []),
    );
    const ages = new FileAges(root);
    return (chunk: StoredSessionChunk): Omit<FoundSession, "score" | "snippet" | "match_reasons"> => {
      const session: SessionRecord | undefined = sessions.get(chunk.sessionId);
      return {
        id: chunk.uid,
        source: "transcript",
        session_id: session?.uid ?? "",
        session_title: session?.title ?? null,
        agent: session?.agent ?? "",
        branch: chunk.branch,
        turn: chunk.firstTurn,
        last_turn: chunk.lastTurn,
        chunk_type: chunk.type,
        kind: chunk.kind,
        event_type: chunk.eventType,
        timestamp: chunk.startedAt === null ? null : new Date(chunk.startedAt).toISOString(),
        annotation: chunk.annotationId === null ? null : (notes.get(chunk.annotationId)?.note ?? null),
        content: chunk.text,
        files: chunk.files,
        freshness: ages.freshnessOf(chunk.files, chunk.endedAt),
        abandoned: chunk.abandoned,
        commits: [],
      };
    };
  }
}

/** Of values that may be missing (NaN); null where all are. */
function highest(values: Float64Array): number | null {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return Number.isFinite(most) ? most : null;
}

const round2 = (value: number) => Math.round(value * 100) / 100;
const round4 = (value: number) => Math.round(value * 1e4) / 1e4;

function roundAll(record: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, round4(value)]));
}

/** Chunks whose text a pattern matches, newest first, and where; at most `limit`, and how many there are. */
function chunksMatching(
  memory: Memory,
  find: Finder,
  filter: ChunkFilter,
  limit: number,
): { found: { rowid: number; start: number }[]; total: number } {
  const found: { rowid: number; start: number }[] = [];
  let total = 0;
  for (const { id, text } of chunkTextsIn(memory, filter)) {
    const start = find(text);
    if (start < 0) continue;
    total++;
    if (found.length < limit) found.push({ rowid: id, start });
  }
  return { found, total };
}
