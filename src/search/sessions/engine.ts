import { performance } from "node:perf_hooks";
import { PommelError } from "../../project/errors.ts";
import { chunkAround } from "../../store/memory/chunks/chunk-around.ts";
import { type ChunkFilter, chunkTextsIn } from "../../store/memory/chunks/chunk-filter.ts";
import {
  chunkOutlines,
  chunksByIds,
  neighboursOf,
  sessionChunkCount,
} from "../../store/memory/chunks/chunks.ts";
import { passageVectors } from "../../store/memory/chunks/vectors.ts";
import { commitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { withheldSessions } from "../../store/memory/privacy/withheld.ts";
import { frequenciesIn } from "../../store/sqlite/full-text-scores.ts";
import type { Finder } from "../../text/pattern.ts";
import { tokenStream } from "../../text/tokens.ts";
import { type AnalysedQuery, analyseQuery } from "../code/query.ts";
import { heldShare, isLiteral, termsOf, weighTerms } from "../confidence/asked-terms.ts";
import {
  type Judgement,
  judgedBy,
  type ResultEvidence,
  judge as standardJudge,
  verbatim,
} from "../confidence/judge.ts";
import { type Nearness, PassageNearness } from "../vectors/nearness.ts";
import { noMeaning, type QueryEmbedder, vectorsOf } from "../vectors/query-embedder.ts";
import type { CommitsOfResults } from "./commits-of-results.ts";
import { collectEvidence } from "./evidence.ts";
import { describer, isoOrNull, maxOtherTurns, otherTurns } from "./facts.ts";
import { foldSiblings, groupBySession, type HitPlace, type SessionGroup } from "./group.ts";
import { intentOf } from "./intent.ts";
import { ownEvidence, type RankedChunk, rankSessions, type SessionCandidate } from "./rank.ts";
import { reasonsFor } from "./reasons.ts";
import { weighReverts } from "./reverted.ts";
import { filterOf } from "./scope.ts";
import { partAt, snippetAround, snippetAt } from "./snippet.ts";
import type { CommitOfResult, OtherTurn, SessionAnswer, SessionQuery, SessionResult } from "./types.ts";
import { type SessionWeights, sessionWeights } from "./weights.ts";

interface SessionSearchOptions {
  /** Paths of touched files are relative to it. */
  root: string;
  memory: Memory;
  /** For search by meaning; null: by words alone. */
  embedder: QueryEmbedder | null;
  weights?: SessionWeights;
  /** Judges the answer. */
  judge?: typeof standardJudge;
  now?: () => number;
  /** The time limit for asking git about the commits of results, and whether it continues for the next search. */
  waitPolicy?: { ms: number; continueLater: boolean };
}

/** What is shown of a text in the content that matches. Characters. */
const contentShown = 2000;

interface Presented {
  /** Of the chunk that is shown. */
  id: SessionChunkId;
  result: SessionResult;
}

/** Searches sessions. Holds no state but prepared statements, vectors and caches. */
export class SessionSearch {
  private readonly weights: SessionWeights;
  private readonly passages = new Map<string, PassageNearness>();
  private commits: CommitsOfResults | null = null;

  constructor(private readonly options: SessionSearchOptions) {
    this.weights = options.weights ?? sessionWeights;
  }

  /**
   * The best sessions or chunks for a question, best first; for a pattern, and in the content, the newest that match.
   * @throws PommelError `usage` when the question holds no word, or is no pattern; `not_found` for an unknown session
   */
  async search(request: SessionQuery, signal?: AbortSignal): Promise<SessionAnswer> {
    const start = performance.now();
    const answer = await (request.place === "content"
      ? this.inContent(request, signal)
      : request.mode === "regex"
        ? this.byPattern(request)
        : this.byTextAndMeaning(request));
    const results = await this.withCommits(answer.results, request);
    return {
      ...answer,
      results,
      notes: [...answer.notes, ...this.withheldNotes()],
      query: request.query,
      search_time_ms: round2(performance.now() - start),
    };
  }

  private withheldNotes(): string[] {
    const { length } = withheldSessions(this.options.memory);
    if (length === 0) return [];
    return [
      `${length === 1 ? "1 session waits" : `${length} sessions wait`} for the language model of scrub.llm, and cannot be searched yet.`,
    ];
  }

  /** By the result's place. */
  private async commitsOf(results: readonly SessionResult[]): Promise<CommitOfResult[][]> {
    const led = commitsOfSessions(this.options.memory, [
      ...new Set(results.map(({ session_id }) => session_id)),
    ]);
    if (led.size === 0) return [];
    // Loaded on demand: many memories have no commits.
    const { CommitsOfResults } = await import("./commits-of-results.ts");
    this.commits ??= new CommitsOfResults(this.options);
    return this.commits.of(results, led);
  }

  /** Adds the fates of the commits that results led to; reverted work ranks behind equal results. */
  private async withCommits(
    results: readonly SessionResult[],
    { mode, explain }: SessionQuery,
  ): Promise<SessionResult[]> {
    const commits = await this.commitsOf(results);
    return weighReverts(results, commits, { mode, explain, weights: this.weights });
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
      const tokens = isByText ? [...query.tokens, ...ticketsIn(request.query)] : [];
      const ranked = this.rank(request.query, tokens, filter, nearness);
      const groups = foldSiblings(
        memory,
        this.group(ranked, placeOfRanked, request),
        ({ shown: { candidate } }) => candidate,
      );
      const limit = Math.max(request.limit, judgedBy);
      const presented = this.present(groups.slice(0, limit), query, request);
      const first = nearness.find(({ model }) => model === embedded.first?.model) ?? null;
      return {
        ...this.judge(query, presented, first),
        results: presented.slice(0, request.limit).map(({ result }) => result),
        total_results: groups.length,
        searched_by: [...(isByText ? ["words"] : []), ...nearness.map(({ model }) => model)],
        notes: embedded.notes,
      };
    });
  }

  /** By one model alone, whose cosines always mean the same. */
  private judge(query: AnalysedQuery, presented: readonly Presented[], nearness: Nearness | null): Judgement {
    const { memory, judge = standardJudge } = this.options;
    const terms = termsOf(query);
    const holding = frequenciesIn(memory, "chunk_terms", terms);
    const asked = weighTerms(terms, { chunks: sessionChunkCount(memory), holding });
    const evidence = presented.map(({ id, result }): ResultEvidence => {
      const text = `${result.session_title ?? ""} ${result.branch ?? ""} ${result.files.join(" ")}\n${result.content}`;
      return {
        held: heldShare(asked, text),
        nearness: nearness?.best[nearness.placeOf.get(id) ?? -1] || 0,
        defines: false,
        literal: isLiteral(query.raw, text),
      };
    });
    const { known, chunks } = asked;
    return judge("sessions", { known, chunks, nearness: nearness && highest(nearness.best) }, evidence);
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
    for (const id of candidates) {
      const outline = outlines.get(id);
      if (!outline) continue;
      const { sessionId, firstTurn: turn, type, kind, abandoned, startedAt } = outline;
      const { before = null, after = null } = around.get(id) ?? {};
      const neighbours = [before, after].filter((id) => id !== null);
      known.push({ id, sessionId, turn, type, kind, abandoned, startedAt, neighbours });
    }
    const ranked = rankSessions(known, evidence, intentOf(question), this.weights, now());
    return ranked.filter(({ score }) => score > 0);
  }

  private async byPattern(request: SessionQuery): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
    const { memory, root } = this.options;
    // Loaded when it is needed: that takes longer than most searches.
    const { compilePattern } = await import("../../text/pattern.ts");
    const pattern = compilePattern(request.query);
    return memory.inSnapshot(() => {
      const filter = filterOf(memory, request);
      const groups = this.group(chunksMatching(memory, pattern, filter), (hit) => hit, request);
      const shown = groups.slice(0, request.limit);
      const chunks = chunksByIds(
        memory,
        shown.map(({ shown: { id } }) => id),
      );
      const describe = describer(memory, root, [...chunks.values()]);
      return {
        ...verbatim(shown),
        results: shown.flatMap(({ shown: { id, start }, others }): SessionResult[] => {
          const chunk = chunks.get(id);
          if (!chunk) return [];
          const snippet = snippetAt(chunk.text, start);
          const turns = otherTurns(
            memory,
            others.map((other) => ({ id: other.id, score: 1 })),
          );
          const reasons = { match_reasons: ["matches the pattern"] };
          return [{ ...describe(chunk), score: 1, snippet, ...turns, ...reasons }];
        }),
        total_results: groups.length,
        searched_by: ["pattern"],
        notes: [],
      };
    });
  }

  private async inContent(
    request: SessionQuery,
    signal?: AbortSignal,
  ): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
    const { memory, root } = this.options;
    const { searchContent } = await import("./content.ts");
    const { groups, reason, notes } = await searchContent(memory, request, { signal });
    const shown = groups.slice(0, request.limit);
    const chunks = shown.map(({ shown }) => chunkAround(memory, shown));
    const describe = describer(memory, root, chunks);
    const results = shown.map(({ shown: hit, others }, i): SessionResult => {
      const turns = others.slice(0, maxOtherTurns).map((other): OtherTurn => {
        const { uid: id, type: chunk_type, kind } = chunkAround(memory, other);
        const { number: turn, at } = other;
        return { id, turn, last_turn: turn, chunk_type, kind, timestamp: isoOrNull(at), score: 1 };
      });
      return {
        ...describe(chunks[i]!),
        score: 1,
        turn: hit.number,
        last_turn: hit.number,
        timestamp: isoOrNull(hit.at),
        snippet: snippetAt(hit.text, hit.start),
        content: partAt(hit.text, hit.start, contentShown),
        more_turns: others.length,
        other_turns: turns,
        match_reasons: [reason],
        found_in: { role: hit.role, tool: hit.tool },
      };
    });
    const isMore = groups.length > shown.length;
    const more = isMore ? [`There are more than ${shown.length}, in older sessions: raise the limit.`] : [];
    return {
      ...verbatim(results),
      results,
      total_results: groups.length,
      searched_by: ["content"],
      notes: [...notes, ...more],
    };
  }

  /** Each hit alone, or those of a session together. */
  private group<T>(
    hits: readonly T[],
    placeOf: (hit: T) => HitPlace,
    { by, query }: SessionQuery,
  ): SessionGroup<T>[] {
    if (by === "turn") return hits.map((shown) => ({ shown, first: shown, others: [] }));
    const showsSummaries = intentOf(query).isHighLevel;
    return groupBySession(hits, placeOf, { share: this.weights.matchingTurn, showsSummaries });
  }

  private present(
    groups: readonly SessionGroup<RankedChunk>[],
    query: AnalysedQuery,
    request: SessionQuery,
  ): Presented[] {
    const { memory, root } = this.options;
    const chunks = chunksByIds(
      memory,
      groups.map(({ shown }) => shown.candidate.id),
    );
    const describe = describer(memory, root, [...chunks.values()]);
    const scoreOf = ({ score }: RankedChunk) => round4(score / (score + this.weights.halfScore));
    return groups.flatMap(({ shown, first, others }): Presented[] => {
      const { candidate, signals } = shown;
      const chunk = chunks.get(candidate.id);
      if (!chunk) return [];
      const described = describe(chunk);
      const result: SessionResult = {
        ...described,
        score: scoreOf(first),
        snippet: snippetAround(chunk.text, request.query),
        ...otherTurns(
          memory,
          others.map((other) => ({ id: other.candidate.id, score: scoreOf(other) })),
        ),
        match_reasons: reasonsFor(described, query.words, signals),
        ...(request.explain && { signals: roundAll(signals) }),
      };
      return [{ id: candidate.id, result }];
    });
  }
}

/** Of values that may be missing (NaN); null where all are. */
function highest(values: Float64Array): number | null {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return Number.isFinite(most) ? most : null;
}

const round2 = (value: number) => Math.round(value * 100) / 100;
const round4 = (value: number) => Math.round(value * 1e4) / 1e4;

function roundAll(record: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, round4(value)]));
}

/** Ids of issues, "ENT-232", as phrases of tokens: a text with both parts apart is about something else. */
function ticketsIn(question: string): string[] {
  return (question.match(/\b\p{L}{2,10}-\d+\b/gu) ?? []).map(tokenStream);
}

function placeOfRanked({ candidate: { sessionId, turn, type }, signals }: RankedChunk): HitPlace {
  const isLoneNote = type === "annotated" && turn === 0;
  return {
    sessionId,
    turn,
    isLoneNote,
    isSummary: type === "summary",
    evidence: ownEvidence(signals) * signals.kind,
  };
}

interface PatternHit extends HitPlace {
  id: SessionChunkId;
  /** Where in its text. */
  start: number;
}

/** Chunks whose text a pattern matches, newest first. */
function chunksMatching(memory: Memory, find: Finder, filter: ChunkFilter): PatternHit[] {
  const found: PatternHit[] = [];
  for (const { id, sessionId, firstTurn, type, text } of chunkTextsIn(memory, filter)) {
    const start = find(text);
    if (start < 0) continue;
    const isLoneNote = type === "annotated" && firstTurn === 0;
    const isSummary = type === "summary";
    found.push({ id, start, sessionId, turn: firstTurn, isLoneNote, isSummary, evidence: 1 });
  }
  return found;
}
