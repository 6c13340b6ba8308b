import { performance } from "node:perf_hooks";
import { PommelError } from "../../base/errors.ts";
import { makeTokenStream } from "../../base/text/tokens.ts";
import {
  holdsNames,
  isLiteral,
  listLookupTerms,
  measureHeldShare,
  namesAsked,
  weighTerms,
} from "../../code/search/confidence/asked-terms.ts";
import {
  type Judgement,
  judgedBy,
  judgeNamedResults,
  type ResultEvidence,
  judge as standardJudge,
} from "../../code/search/confidence/judge.ts";
import { type AnalysedQuery, analyseQuery } from "../../code/search/query.ts";
import { type ChunkNearness, PassageNearness } from "../../code/search/vectors/nearness.ts";
import { listQueryVectors, noMeaning, type QueryEmbedder } from "../../code/search/vectors/query-embedder.ts";
import { buildMatchers, type Matcher } from "../../code/search/verbatim/matchers.ts";
import type { SessionResult } from "../../protocol/results.ts";
import { type ChunkFilter, findFilterScope } from "../../store/memory/chunks/chunk-filter.ts";
import { countSessionChunks, readChunkOutlines, readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import { createPassageSource } from "../../store/memory/chunks/vectors.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { listWithheldSessions } from "../../store/memory/privacy/secrets.ts";
import { readChunkSummaries } from "../../store/memory/sessions/summaries.ts";
import { countRowsByToken } from "../../store/sqlite/full-text.ts";
import { collectEvidence } from "./evidence.ts";
import { createChunkDescriber, listOtherTurns } from "./facts.ts";
import { weighReverts } from "./fate/reverted.ts";
import { foldSiblings, groupHits, type HitPlace, type SessionGroup } from "./group.ts";
import { detectSessionIntent } from "./intent.ts";
import { findNamedSessions } from "./named.ts";
import { type RankedChunk, rankSessions, type SessionCandidate, sumOwnEvidence } from "./rank.ts";
import { listSessionReasons } from "./reasons.ts";
import { buildChunkFilter } from "./scope.ts";
import { cutSnippetAroundQuery, hasAsManyWords } from "./snippet.ts";
import type { CommitOfResult, FindsCommits, SessionAnswer, SessionQuery } from "./types.ts";
import { type SessionWeights, sessionWeights } from "./weights.ts";

export interface SessionSearchOptions {
  /** Paths of touched files are relative to it. */
  root: string;
  memory: Memory;
  /** For search by meaning; null: by words alone. */
  embedder: QueryEmbedder | null;
  weights?: SessionWeights;
  /** Judges the answer. */
  judge?: typeof standardJudge;
  now?: () => number;
  /** Loads what finds the commits that results led to. Left out: none are found. */
  loadCommits?: () => Promise<FindsCommits>;
}

const unheldNote =
  "No turn contains the quoted text; these come closest. `--in content` searches everything that was said.";

interface PresentedSession {
  /** Of the chunk that is shown. */
  id: SessionChunkId;
  result: SessionResult;
}

/** Searches sessions. Holds no state but prepared statements, vectors and caches. */
export class SessionSearch {
  private readonly weights: SessionWeights;
  private readonly passages = new Map<string, PassageNearness>();
  private commits: FindsCommits | null = null;

  constructor(private readonly options: SessionSearchOptions) {
    this.weights = options.weights ?? sessionWeights;
  }

  /**
   * The best sessions or chunks for a question, best first; for a pattern, and in the content, the newest that match.
   * @throws PommelError `usage` when the question holds no word, or is no pattern; `not_found` for an unknown session
   */
  async search(request: SessionQuery, signal?: AbortSignal): Promise<SessionAnswer> {
    const start = performance.now();
    const { memory, root } = this.options;
    const answer = await (request.place === "content"
      ? (await import("./word-by-word.ts")).searchInContent(memory, root, request, signal)
      : request.mode === "regex"
        ? (await import("./word-by-word.ts")).searchByPattern(memory, root, request, this.weights)
        : this.searchByTextAndMeaning(request));
    const results = request.withoutCommits ? answer.results : await this.withCommits(answer.results, request);
    return {
      ...answer,
      results,
      notes: [...answer.notes, ...this.describeWithheld()],
      query: request.query,
      search_time_ms: round2(performance.now() - start),
    };
  }

  private describeWithheld(): string[] {
    const { length } = listWithheldSessions(this.options.memory);
    if (length === 0) return [];
    return [
      `${length === 1 ? "1 session waits" : `${length} sessions wait`} for the language model of scrub.llm, and cannot be searched yet.`,
    ];
  }

  /** By the result's place. */
  private async loadCommitsOfResults(results: readonly SessionResult[]): Promise<CommitOfResult[][]> {
    const led = readCommitsOfSessions(this.options.memory, [
      ...new Set(results.map(({ session_id }) => session_id)),
    ]);
    const { loadCommits } = this.options;
    // Loaded on demand: many memories have no commits.
    if (led.size === 0 || loadCommits === undefined) return [];
    this.commits ??= await loadCommits();
    return this.commits.findCommitsOfResults(results, led);
  }

  /** Adds the fates of the commits that results led to; reverted work ranks behind equal results. */
  private async withCommits(
    results: readonly SessionResult[],
    { mode, explain }: SessionQuery,
  ): Promise<SessionResult[]> {
    const commits = await this.loadCommitsOfResults(results);
    return weighReverts(results, commits, { mode, explain, weights: this.weights });
  }

  /** Gives back the memory of vectors and models; the next search loads them again. */
  async release(): Promise<void> {
    for (const passages of this.passages.values()) passages.release();
    await this.options.embedder?.close();
  }

  private openPassageNearness(model: string): PassageNearness {
    let passages = this.passages.get(model);
    if (passages === undefined) {
      passages = new PassageNearness(createPassageSource(this.options.memory), model);
      this.passages.set(model, passages);
    }
    return passages;
  }

  private async searchByTextAndMeaning(
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
    const hasVectors = (model: string) => this.openPassageNearness(model).countPassages() > 0;
    const embedded = (await embedder?.embed(request.query, hasVectors)) ?? noMeaning;
    const isByText = request.mode !== "semantic";
    return memory.readInSnapshot(() => {
      const filter = buildChunkFilter(memory, request);
      const nearness = listQueryVectors(embedded).flatMap(({ model, vector }) => {
        const near = this.openPassageNearness(model).to(vector);
        return near ? [{ ...near, model }] : [];
      });
      const quoted = buildMatchers({ query: request.query });
      const phrases = [
        ...findTicketPhrases(request.query),
        ...quoted.map(({ text }) => makeTokenStream(text)),
      ];
      const tokens = isByText ? [...query.tokens, ...phrases] : [];
      const all = this.rank(request.query, tokens, filter, nearness);
      const holders = quoted.length > 0 ? filterChunksHoldingAll(memory, all, quoted) : [];
      const ranked = holders.length > 0 ? holders : all;
      const meant = findNamedSessions(memory, request.query, filter);
      const others = foldSiblings(
        memory,
        groupHits(ranked, placeOfRanked, { ...request, share: this.weights.matchingTurn }),
        ({ shown: { candidate } }) => candidate,
      );
      const groups = meant === null ? others : putNamedFirst(meant.ranked, others);
      const limit = Math.max(request.limit, judgedBy);
      const presented = this.presentGroups(groups.slice(0, limit), query, request);
      const saysWhy = meant === null ? quoted.map(({ reason }) => reason) : [meant.reason];
      const withReason = meant === null ? holders.length : meant.ranked.length;
      for (const { result } of presented.slice(0, withReason)) result.match_reasons = saysWhy;
      const first = nearness.find(({ model }) => model === embedded.first?.model) ?? null;
      const judged = this.judge(query, presented, first, findFilterScope(memory, filter));
      const isNamed = meant !== null || holders.length > 0;
      return {
        ...(isNamed ? judgeNamedResults(presented) : judged),
        results: presented.slice(0, request.limit).map(({ result }) => result),
        total_results: groups.length,
        searched_by: [...(isByText ? ["words"] : []), ...nearness.map(({ model }) => model)],
        notes: [
          ...embedded.notes,
          ...(quoted.length > 0 && holders.length === 0 && presented.length > 0 ? [unheldNote] : []),
        ],
      };
    });
  }

  /** By one model alone, whose cosines always mean the same. */
  private judge(
    query: AnalysedQuery,
    presented: readonly PresentedSession[],
    nearness: ChunkNearness | null,
    scope: ReadonlySet<SessionChunkId> | null,
  ): Judgement {
    const { memory, judge = standardJudge } = this.options;
    const terms = listLookupTerms(query);
    const holding = countRowsByToken(memory, "chunk_terms", terms);
    const asked = weighTerms(terms, { chunks: countSessionChunks(memory), holding });
    const evidence = presented.map(({ id, result }): ResultEvidence => {
      const text = `${result.session_title ?? ""} ${result.branch ?? ""} ${result.files.join(" ")}\n${result.content}`;
      const held = measureHeldShare(asked, text);
      const near = nearness?.best[nearness.placeOf.get(id) ?? -1] || 0;
      if (result.signals) Object.assign(result.signals, roundAll({ held, ...(nearness && { near }) }));
      const namesHeld = holdsNames(namesAsked(query), text);
      return { held, nearness: near, defines: false, literal: isLiteral(query.raw, text), namesHeld };
    });
    const { known, chunks } = asked;
    const nearest = nearness && findHighestNearness(nearness, scope);
    return judge("sessions", { known, chunks, nearness: nearest }, evidence);
  }

  private rank(
    question: string,
    tokens: readonly string[],
    filter: ChunkFilter,
    nearness: readonly ChunkNearness[],
  ): RankedChunk[] {
    const { memory, now = Date.now } = this.options;
    const { evidence, candidates } = collectEvidence(memory, tokens, filter, nearness, this.weights);
    const outlines = readChunkOutlines(memory, candidates);
    const known: SessionCandidate[] = [];
    for (const id of candidates) {
      const outline = outlines.get(id);
      if (!outline) continue;
      const { sessionId, firstTurn: turn, type, kind, abandoned, startedAt } = outline;
      known.push({ id, sessionId, turn, type, kind, abandoned, startedAt });
    }
    const ranked = rankSessions(known, evidence, detectSessionIntent(question), this.weights, now());
    return ranked.filter(({ score }) => score > 0);
  }

  /** Signals in standard deviations, as they were before they were weighed. */
  private unweighEvidence({ passage, whole, session_asked }: RankedChunk["signals"]) {
    const { weights } = this;
    return {
      nearness: passage / weights.passage + whole / weights.whole,
      asked: session_asked / weights.sessionAsked,
    };
  }

  private presentGroups(
    groups: readonly SessionGroup<RankedChunk>[],
    query: AnalysedQuery,
    request: SessionQuery,
  ): PresentedSession[] {
    const { memory, root } = this.options;
    const chunks = readChunksByIds(
      memory,
      groups.map(({ shown }) => shown.candidate.id),
    );
    const describe = createChunkDescriber(memory, root, [...chunks.values()]);
    const summaries = readChunkSummaries(memory, [...chunks.keys()]);
    const roundScore = ({ score }: RankedChunk) => round4(score / (score + this.weights.halfScore));
    return groups.flatMap(({ shown, first, others }): PresentedSession[] => {
      const { candidate, signals } = shown;
      const chunk = chunks.get(candidate.id);
      if (!chunk) return [];
      const described = describe(chunk);
      const snippet = cutSnippetAroundQuery(chunk.text, request.query);
      const summary = summaries.get(chunk.id);
      const result: SessionResult = {
        ...described,
        score: roundScore(first),
        snippet,
        ...(summary !== undefined && hasAsManyWords(summary, snippet, request.query) && { summary }),
        ...listOtherTurns(
          memory,
          others.map((other) => ({ id: other.candidate.id, score: roundScore(other) })),
        ),
        match_reasons: listSessionReasons(described, query.words, this.unweighEvidence(signals)),
        ...(request.explain && { signals: roundAll(signals) }),
      };
      return [{ id: candidate.id, result }];
    });
  }
}

/** Of the chunks that were asked for, by values that may be missing (NaN); null where all are. */
function findHighestNearness(
  { best, chunkIds }: ChunkNearness,
  scope: ReadonlySet<SessionChunkId> | null,
): number | null {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < best.length; i++)
    if (best[i]! > most && (scope === null || scope.has(chunkIds[i]!))) most = best[i]!;
  return Number.isFinite(most) ? most : null;
}

const round2 = (value: number) => Math.round(value * 100) / 100;
const round4 = (value: number) => Math.round(value * 1e4) / 1e4;

function roundAll(record: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, round4(value)]));
}

/** Ids of issues, "ENT-232", as phrases of tokens: a text with both parts apart is about something else. */
function findTicketPhrases(question: string): string[] {
  return (question.match(/\b\p{L}{2,10}-\d+\b/gu) ?? []).map(makeTokenStream);
}

/** Of these, the chunks that contain every text. */
function filterChunksHoldingAll(
  memory: Memory,
  ranked: readonly RankedChunk[],
  matchers: readonly Matcher[],
): RankedChunk[] {
  const chunks = readChunksByIds(
    memory,
    ranked.map(({ candidate }) => candidate.id),
  );
  return ranked.filter(({ candidate }) => {
    const text = chunks.get(candidate.id)?.text ?? "";
    return matchers.every(({ matchesIn }) => !matchesIn(text)[Symbol.iterator]().next().done);
  });
}

/** What a query names, then the rest. */
function putNamedFirst(
  first: readonly RankedChunk[],
  others: readonly SessionGroup<RankedChunk>[],
): SessionGroup<RankedChunk>[] {
  const sessions = new Set(first.map(({ candidate }) => candidate.sessionId));
  return [
    ...first.map((shown) => ({ shown, first: shown, others: [] })),
    ...others.filter(({ shown }) => !sessions.has(shown.candidate.sessionId)),
  ];
}

function placeOfRanked({ candidate: { sessionId, turn, type }, signals }: RankedChunk): HitPlace {
  const isLoneNote = type === "annotated" && turn === 0;
  return {
    sessionId,
    turn,
    isLoneNote,
    isSummary: type === "summary",
    evidence: sumOwnEvidence(signals) * signals.kind,
  };
}
