import { performance } from "node:perf_hooks";
import { PommelError } from "../../base/errors.ts";
import { tokenStream } from "../../base/text/tokens.ts";
import { heldShare, holdsNames, isLiteral, namesAsked, termsOf, weighTerms } from "../../code/search/confidence/asked-terms.ts";
import {
  type Judgement,
  judgedBy,
  named,
  type ResultEvidence,
  judge as standardJudge,
} from "../../code/search/confidence/judge.ts";
import { type AnalysedQuery, analyseQuery } from "../../code/search/query.ts";
import { type Nearness, PassageNearness } from "../../code/search/vectors/nearness.ts";
import { noMeaning, type QueryEmbedder, vectorsOf } from "../../code/search/vectors/query-embedder.ts";
import { type Matcher, matchersOf } from "../../code/search/verbatim/matchers.ts";
import type { SessionResult } from "../../protocol/results.ts";
import { type ChunkFilter, scopeOf } from "../../store/memory/chunks/chunk-filter.ts";
import { chunkOutlines, chunksByIds, sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import { passageVectors } from "../../store/memory/chunks/vectors.ts";
import { commitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { withheldSessions } from "../../store/memory/privacy/secrets.ts";
import { chunkSummaries } from "../../store/memory/sessions/summaries.ts";
import { frequenciesIn } from "../../store/sqlite/full-text.ts";
import { collectEvidence } from "./evidence.ts";
import { describer, otherTurns } from "./facts.ts";
import { weighReverts } from "./fate/reverted.ts";
import { foldSiblings, groupHits, type HitPlace, type SessionGroup } from "./group.ts";
import { intentOf } from "./intent.ts";
import { namedIn } from "./named.ts";
import { ownEvidence, type RankedChunk, rankSessions, type SessionCandidate } from "./rank.ts";
import { reasonsFor } from "./reasons.ts";
import { filterOf } from "./scope.ts";
import { saysAsMuch, snippetAround } from "./snippet.ts";
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

interface Presented {
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
        : this.byTextAndMeaning(request));
    const results = request.withoutCommits ? answer.results : await this.withCommits(answer.results, request);
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
    const { loadCommits } = this.options;
    // Loaded on demand: many memories have no commits.
    if (led.size === 0 || loadCommits === undefined) return [];
    this.commits ??= await loadCommits();
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
      const quoted = matchersOf({ query: request.query });
      const phrases = [...ticketsIn(request.query), ...quoted.map(({ text }) => tokenStream(text))];
      const tokens = isByText ? [...query.tokens, ...phrases] : [];
      const all = this.rank(request.query, tokens, filter, nearness);
      const holders = quoted.length > 0 ? holdersOf(memory, all, quoted) : [];
      const ranked = holders.length > 0 ? holders : all;
      const meant = namedIn(memory, request.query, filter);
      const others = foldSiblings(
        memory,
        groupHits(ranked, placeOfRanked, { ...request, share: this.weights.matchingTurn }),
        ({ shown: { candidate } }) => candidate,
      );
      const groups = meant === null ? others : inFront(meant.ranked, others);
      const limit = Math.max(request.limit, judgedBy);
      const presented = this.present(groups.slice(0, limit), query, request);
      const saysWhy = meant === null ? quoted.map(({ reason }) => reason) : [meant.reason];
      const withReason = meant === null ? holders.length : meant.ranked.length;
      for (const { result } of presented.slice(0, withReason)) result.match_reasons = saysWhy;
      const first = nearness.find(({ model }) => model === embedded.first?.model) ?? null;
      const judged = this.judge(query, presented, first, scopeOf(memory, filter));
      const isNamed = meant !== null || holders.length > 0;
      return {
        ...(isNamed ? named(presented) : judged),
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
    presented: readonly Presented[],
    nearness: Nearness | null,
    scope: ReadonlySet<SessionChunkId> | null,
  ): Judgement {
    const { memory, judge = standardJudge } = this.options;
    const terms = termsOf(query);
    const holding = frequenciesIn(memory, "chunk_terms", terms);
    const asked = weighTerms(terms, { chunks: sessionChunkCount(memory), holding });
    const evidence = presented.map(({ id, result }): ResultEvidence => {
      const text = `${result.session_title ?? ""} ${result.branch ?? ""} ${result.files.join(" ")}\n${result.content}`;
      const held = heldShare(asked, text);
      const near = nearness?.best[nearness.placeOf.get(id) ?? -1] || 0;
      if (result.signals) Object.assign(result.signals, roundAll({ held, ...(nearness && { near }) }));
      const namesHeld = holdsNames(namesAsked(query), text);
      return { held, nearness: near, defines: false, literal: isLiteral(query.raw, text), namesHeld };
    });
    const { known, chunks } = asked;
    const nearest = nearness && highest(nearness, scope);
    return judge("sessions", { known, chunks, nearness: nearest }, evidence);
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
    const known: SessionCandidate[] = [];
    for (const id of candidates) {
      const outline = outlines.get(id);
      if (!outline) continue;
      const { sessionId, firstTurn: turn, type, kind, abandoned, startedAt } = outline;
      known.push({ id, sessionId, turn, type, kind, abandoned, startedAt });
    }
    const ranked = rankSessions(known, evidence, intentOf(question), this.weights, now());
    return ranked.filter(({ score }) => score > 0);
  }

  /** Signals in standard deviations, as they were before they were weighed. */
  private evidenceBehind({ passage, whole, session_asked }: RankedChunk["signals"]) {
    const { weights } = this;
    return {
      nearness: passage / weights.passage + whole / weights.whole,
      asked: session_asked / weights.sessionAsked,
    };
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
    const summaries = chunkSummaries(memory, [...chunks.keys()]);
    const scoreOf = ({ score }: RankedChunk) => round4(score / (score + this.weights.halfScore));
    return groups.flatMap(({ shown, first, others }): Presented[] => {
      const { candidate, signals } = shown;
      const chunk = chunks.get(candidate.id);
      if (!chunk) return [];
      const described = describe(chunk);
      const snippet = snippetAround(chunk.text, request.query);
      const summary = summaries.get(chunk.id);
      const result: SessionResult = {
        ...described,
        score: scoreOf(first),
        snippet,
        ...(summary !== undefined && saysAsMuch(summary, snippet, request.query) && { summary }),
        ...otherTurns(
          memory,
          others.map((other) => ({ id: other.candidate.id, score: scoreOf(other) })),
        ),
        match_reasons: reasonsFor(described, query.words, this.evidenceBehind(signals)),
        ...(request.explain && { signals: roundAll(signals) }),
      };
      return [{ id: candidate.id, result }];
    });
  }
}

/** Of the chunks that were asked for, by values that may be missing (NaN); null where all are. */
function highest({ best, chunkIds }: Nearness, scope: ReadonlySet<SessionChunkId> | null): number | null {
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
function ticketsIn(question: string): string[] {
  return (question.match(/\b\p{L}{2,10}-\d+\b/gu) ?? []).map(tokenStream);
}

/** Of these, the chunks that contain every text. */
function holdersOf(
  memory: Memory,
  ranked: readonly RankedChunk[],
  matchers: readonly Matcher[],
): RankedChunk[] {
  const chunks = chunksByIds(
    memory,
    ranked.map(({ candidate }) => candidate.id),
  );
  return ranked.filter(({ candidate }) => {
    const text = chunks.get(candidate.id)?.text ?? "";
    return matchers.every(({ matchesIn }) => !matchesIn(text)[Symbol.iterator]().next().done);
  });
}

/** What a query names, then the rest. */
function inFront(
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
    evidence: ownEvidence(signals) * signals.kind,
  };
}
