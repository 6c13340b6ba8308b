import { performance } from "node:perf_hooks";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import type { CodeResult } from "../../protocol/results.ts";
import type {
  ChunkId,
  ChunkOutline,
  SearchableIndex,
  SearchScope,
  StoredChunk,
} from "../../store/index/port.ts";
import { CodeGraph } from "../graph/graph.ts";
import { findNeighbours } from "../graph/neighbours.ts";
import { findPackagesOfIndex, type PackageMap } from "../packages/packages.ts";
import { collectCandidates, countMentions, weighStems } from "./candidates.ts";
import {
  type AskedTerms,
  holdsNames,
  isLiteral,
  listLookupTerms,
  measureHeldShare,
  namesAsked,
  weighTerms,
} from "./confidence/asked-terms.ts";
import {
  type Judgement,
  judgedBy,
  judgeLog,
  judgeNamedResults,
  type ResultEvidence,
  judge as standardJudge,
} from "./confidence/judge.ts";
import { findDescribed, findTerms } from "./glossary/glossary.ts";
import { findFilesChangedLikewise } from "./likewise.ts";
import { type AnalysedQuery, analyseQuery, withTerms } from "./query.ts";
import { type Background, groupByFile, type RankedFile, rank, withoutCopies } from "./rank.ts";
import { listCodeReasons } from "./reasons.ts";
import { collectReportEvidence } from "./report/evidence.ts";
import { explainEvidence, rankReport } from "./report/rank-report.ts";
import { condenseReport, isReport, readReport } from "./report/read-report.ts";
import { describeReport } from "./report/words.ts";
import { findFilesInScope } from "./scope.ts";
import type { RankedChunk, Signals } from "./signals.ts";
import { readLinesOfChunks } from "./source.ts";
import type { CodePlace, CodeQuery, EngineAnswer } from "./types.ts";
import {
  type EmbeddedQuery,
  listQueryVectors,
  noMeaning,
  type QueryEmbedder,
} from "./vectors/query-embedder.ts";
import { findChunksAtPlace, findHolders, type Holders } from "./verbatim/holders.ts";
import { buildMatchers, canBeErrorMessage, isWhollyQuoted, type Matcher } from "./verbatim/matchers.ts";
import { findQuoted } from "./verbatim/quoted.ts";
import { weights as standardWeights, type Weights } from "./weights.ts";

interface CodeSearchOptions {
  project: Project;
  index: SearchableIndex;
  /** For search by meaning; null: by words and structure alone. */
  embedder: QueryEmbedder | null;
  weights?: Weights;
  /** Judges the answer. */
  judge?: typeof standardJudge;
}

/** An index that changes so often is answered from as it comes: a chunk may be missing, or have moved. */
const maxTries = 3;

const unheldNote = "Nothing contains the quoted text; these results come closest.";
const cutNote = "This is in too many files to look into all of them; name a path or a longer text.";
const incompleteNote =
  "Not all files were looked into, as that takes too long; name a path or a simpler pattern.";

/** Other places of a file that are named, and how many chunks they are chosen from. */
const maxPlaces = 3;
const lookedAt = 10;

interface PresentedChunk {
  ranked: RankedChunk;
  result: CodeResult;
}

/** What was found, in its order, and how it is to be told. */
interface Ranking {
  ranked: RankedChunk[];
  /** What it is ranked by, for places and reasons. */
  query: AnalysedQuery;
  /** Cosine of the nearest chunk, by the first model. */
  nearest: number | null;
  isPlaced: boolean;
  /** The query is a stack trace with little beside it. */
  isLog: boolean;
  /** The lines of chunks on which the quoted text or a match begins; null: none was looked for. */
  lines: Holders["chunks"] | null;
  /** The chunks that are the very thing asked for. */
  named: "everything" | ReadonlySet<ChunkId>;
  notes: string[];
}

type AnsweredQuery = Judgement & { results: CodeResult[]; total: number; notes: string[] };

/**
 * The words that a question is ranked by: those of a pattern are the ones that every match has, those of a report its most telling
 * ones.
 * @throws PommelError `usage` for an invalid pattern
 */
export function findSearchWords(
  request: CodeQuery,
  matchers: readonly Matcher[] = buildMatchers(request),
): string {
  if (request.match !== undefined) return matchers.map(({ text }) => text).join(" ");
  return isAskedAsReport(request) ? condenseReport(readReport(request.query)) : request.query;
}

/** Whether the parts of a query ask each in its own way. */
const isAskedAsReport = (request: CodeQuery): boolean =>
  request.match === undefined &&
  // Who asks for chunks asks for each by itself.
  request.by !== "chunk" &&
  request.place === undefined &&
  !isWhollyQuoted(request) &&
  isReport(request.query);

/** Answers questions from one code index. Holds no state of its own. */
export class CodeSearch {
  private readonly project: Project;
  private readonly index: SearchableIndex;
  private readonly embedder: QueryEmbedder | null;
  private readonly weights: Weights;
  private readonly judge: typeof standardJudge;

  constructor({ project, index, embedder, weights, judge }: CodeSearchOptions) {
    this.project = project;
    this.index = index;
    this.embedder = embedder;
    this.weights = weights ?? standardWeights;
    this.judge = judge ?? standardJudge;
  }

  /**
   * The best files for a query, or the best chunks, best first, with their lines as they are on disk now; deleted files are
   * left out.
   * @throws PommelError `usage` for a query without a word or an invalid pattern, `index_corrupt`
   */
  async search(request: CodeQuery): Promise<EngineAnswer> {
    const start = performance.now();
    const matchers = buildMatchers(request);
    const text = findSearchWords(request, matchers);
    const asked = analyseQuery(text);
    const hasWords = asked.tokens.length > 0;
    if (!hasWords && matchers.length === 0) {
      throw new PommelError("usage", "The query has no searchable word.", 'Try `pm search "where is …"`.');
    }
    const hasVectors = (model: string) => this.hasVectors(model);
    const understood = (hasWords && (await this.embedder?.embed(text, hasVectors))) || noMeaning;
    const query = await this.addTerms(asked, understood);
    const said = [text, ...query.terms.keys()].join(" ");
    const embedded =
      said === text ? understood : ((await this.embedder?.embed(said, hasVectors)) ?? noMeaning);
    const { total, notes, ...answer } = await this.readConsistently(async () => {
      const answer = await this.rankAndPresent(query, embedded, request, matchers);
      const graphed = request.graph ? answer.results.length : (request.graphOfFirst ?? 0);
      return graphed === 0
        ? answer
        : { ...answer, results: await this.withNeighbours(answer.results, graphed) };
    });
    return {
      query: request.query,
      ...answer,
      total_results: total,
      searched_by: ["words", ...listQueryVectors(embedded).map(({ model }) => model)],
      notes: [...embedded.notes, ...notes],
      search_time_ms: Math.round((performance.now() - start) * 100) / 100,
    };
  }

  /** Adds what this project's code calls what a question describes. */
  private async addTerms(query: AnalysedQuery, { first }: EmbeddedQuery): Promise<AnalysedQuery> {
    if (query.intent !== "language") return query;
    const described = findDescribed(query.stems);
    const vectors = (await this.embedder?.embedOnce(described.map(({ means }) => means))) ?? [];
    const terms = findTerms(described, first?.vector ?? null, vectors);
    if (terms.size === 0) return query;
    const { holding } = await this.index.countFrequencies([...terms.keys()]);
    return withTerms(query, new Map([...terms].filter(([term]) => holding.has(term))));
  }

  private async hasVectors(model: string): Promise<boolean> {
    return (await this.index.readVectorCounts()).some((counted) => counted.model === model);
  }

  /** An answer is put together of several: if the index changed between them, they are asked for again. */
  private async readConsistently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const revision = await this.index.revision();
      const answer = await read();
      if (tries === maxTries || (await this.index.revision()) === revision) return answer;
    }
  }

  private async rankAndPresent(
    query: AnalysedQuery,
    embedded: EmbeddedQuery,
    request: CodeQuery,
    matchers: readonly Matcher[],
  ): Promise<AnsweredQuery> {
    const scope = await this.resolveScope(request);
    const packages = request.near ? await findPackagesOfIndex(this.index, this.project.root) : null;
    const isNear = createNearCheck(packages, request);
    const ranking = await (isAskedAsReport(request)
      ? this.rankByReport(request, scope, isNear)
      : this.rankByQuery(query, embedded, { request, matchers, scope, isNear }));
    const { ranked, lines, named } = ranking;
    const all =
      request.by === "chunk" ? ranked.map((best) => ({ best, others: [], copies: [] })) : groupByFile(ranked);
    // Who asks for a text wants each place that has it.
    const found = named === "everything" ? all : withoutCopies(all);
    const limit = Math.max(request.limit, judgedBy);
    const presented = await this.presentFiles(
      found,
      ranking.query,
      { ...request, limit },
      { matchers, lines, packages },
    );
    const results = presented
      .slice(0, request.limit)
      .map(({ result }) =>
        ranking.isPlaced ? { ...result, match_reasons: ["the place you named"] } : result,
      );
    const first = presented[0]?.ranked.candidate.chunk.id;
    const isNamed = named === "everything" || (first !== undefined && named.has(first));
    const judgement = isNamed
      ? judgeNamedResults(presented)
      : await this.judgeResults(ranking.query, presented, ranking.nearest);
    return {
      ...(ranking.isLog ? judgeLog(judgement) : judgement),
      results,
      total: found.length,
      notes: ranking.notes,
    };
  }

  /** By one query: all of its words, in one way. */
  private async rankByQuery(
    query: AnalysedQuery,
    embedded: EmbeddedQuery,
    {
      request,
      matchers,
      scope,
      isNear,
    }: { request: CodeQuery; matchers: readonly Matcher[]; scope: SearchScope; isNear: Background["isNear"] },
  ): Promise<Ranking> {
    const placed = request.place ? await findChunksAtPlace(this.index, request.place, scope) : null;
    const isPlaced = placed !== null && placed.chunks.size > 0;
    // Quotes are all that is asked for, or only say more of it.
    const isFilter = !canBeErrorMessage(request);
    const { root } = this.project;
    const held = isPlaced
      ? placed
      : isFilter && matchers.length > 0
        ? await findHolders(this.index, root, matchers, scope, null)
        : null;
    const quoted =
      held === null && matchers.length > 0
        ? await findQuoted(this.index, root, { matchers, scope, message: request.query })
        : null;
    const { candidates, nearest } = await collectCandidates(
      this.index,
      query,
      embedded,
      scope,
      this.weights,
      held && [...held.chunks.keys()],
      quoted?.shares,
    );
    const stemWeights = await weighStems(this.index, query);
    const commits = held === null ? this.index.commits : undefined;
    const ranked = await rank(
      candidates,
      query,
      {
        stemWeights,
        mentionsOf: (names) => countMentions(this.index, names),
        isMeantByTwo: embedded.second !== null,
        isNear,
        changes: await findFilesChangedLikewise(commits, query, stemWeights),
      },
      this.weights,
    );
    return {
      query,
      ranked,
      nearest,
      isPlaced,
      isLog: false,
      lines: held?.chunks ?? quoted?.lines ?? null,
      named: held === null ? (quoted?.makers ?? new Set()) : "everything",
      notes: [
        ...(request.explain && query.terms.size > 0
          ? [`Also asked for what code may call it: ${[...query.terms.keys()].join(", ")}.`]
          : []),
        // The value that a program put between quotes is nowhere.
        ...(quoted?.isComplete && quoted.shares.size === 0 ? [unheldNote] : []),
        ...(held?.isCut ? [cutNote] : []),
        ...(held?.isIncomplete ? [incompleteNote] : []),
      ],
    };
  }

  /** By the parts of a report, each in its own way. */
  private async rankByReport(
    { query, explain }: CodeQuery,
    scope: SearchScope,
    isNear: Background["isNear"],
  ): Promise<Ranking> {
    const report = readReport(query);
    const hasVectors = (model: string) => this.hasVectors(model);
    let isMeantByTwo = false;
    const embed = async (text: string) => {
      const embedded = (await this.embedder?.embed(text, hasVectors)) ?? noMeaning;
      isMeantByTwo ||= embedded.second !== null;
      return embedded;
    };
    const { index, weights } = this;
    const evidence = await collectReportEvidence(index, report, {
      root: this.project.root,
      scope,
      weights,
      embed,
    });
    const background = {
      stemWeights: await weighStems(index, evidence.query),
      mentionsOf: (names: readonly string[]) => countMentions(index, names),
      isMeantByTwo,
      isNear,
    };
    return {
      query: evidence.query,
      ranked: await rankReport(evidence, background, weights),
      nearest: evidence.nearest,
      isPlaced: false,
      isLog: evidence.isLog > 0.5,
      lines: null,
      named: new Set(),
      notes: explain ? [describeReport(report, evidence)] : [],
    };
  }

  private async judgeResults(
    query: AnalysedQuery,
    presented: readonly PresentedChunk[],
    nearness: number | null,
  ): Promise<Judgement> {
    const terms = listLookupTerms(query);
    const asked = weighTerms(terms, await this.index.countFrequencies(terms));
    const evidence = presented.slice(0, judgedBy).map((one) => collectResultEvidence(one, query, asked));
    return this.judge("code", { known: asked.known, chunks: asked.chunks, nearness }, evidence);
  }

  /** @param count of the first results that get theirs */
  private async withNeighbours(results: readonly CodeResult[], count: number): Promise<CodeResult[]> {
    const graph = await CodeGraph.openForIndex(this.index, this.project.root);
    const found: CodeResult[] = [];
    for (const result of results.slice(0, count)) {
      const { file, name, start_line, end_line } = result;
      const target = await graph.definitions.findDefinitionOfSpan({
        file,
        name,
        first: start_line,
        last: end_line,
      });
      found.push({ ...result, graph: await findNeighbours(graph, target) });
    }
    return [...found, ...results.slice(count)];
  }

  /** Gives back the memory of vectors and models; the next search loads them again. */
  async release(): Promise<void> {
    await Promise.all([this.index.release(), this.embedder?.close()]);
  }

  /** Why a model could not be asked the last time; null when it could, or is not in use. */
  findModelProblem(model: string): string | null {
    return this.embedder?.problemWith(model) ?? null;
  }

  private async presentFiles(
    found: readonly RankedFile[],
    query: AnalysedQuery,
    { limit, explain }: CodeQuery,
    {
      matchers,
      lines,
      packages,
    }: { matchers: readonly Matcher[]; lines: Holders["chunks"] | null; packages: PackageMap | null },
  ): Promise<PresentedChunk[]> {
    const results: PresentedChunk[] = [];
    const top = found[0]?.best.score || 1;
    // Mostly the first batch is enough: files that are gone are few.
    for (let next = 0; next < found.length && results.length < limit; next += limit) {
      const batch = found.slice(next, next + limit);
      const places = batch.map(selectFurtherPlaces);
      const ids = batch.flatMap(({ best }, i) => [
        best.candidate.chunk.id,
        ...places[i]!.map(({ id }) => id),
      ]);
      const stored = new Map((await this.index.readChunks(ids)).map((chunk) => [chunk.id, chunk]));
      const chunks = batch.flatMap(({ best }) => stored.get(best.candidate.chunk.id) ?? []);
      const contents = new Map(
        readLinesOfChunks(this.project.root, chunks).map((text, i) => [chunks[i], text]),
      );
      for (const [i, { best: entry, copies }] of batch.entries()) {
        const chunk = stored.get(entry.candidate.chunk.id);
        const content = contents.get(chunk);
        if (!chunk || !content || results.length === limit) continue;
        const result: CodeResult = {
          id: chunk.uid,
          file: chunk.path,
          start_line: content.startLine,
          end_line: content.endLine,
          level: chunk.level,
          kind: chunk.kind,
          language: chunk.language,
          name: chunk.name,
          score: round(entry.score / top),
          content: content.text,
          parent_id: chunk.parentUid,
          parent_name: chunk.parentName,
          match_reasons: listCodeReasons(entry, query, content.text, matchers, packages),
          ...(lines && { match_lines: lines.get(chunk.id) ?? [] }),
          freshness: content.drifted ? "drifted" : "fresh",
          places: places[i]!.flatMap(({ id }) => stored.get(id) ?? []).map(toCodePlace),
          also_in: copies,
          ...(explain && {
            signals: roundSignals(entry.reported ? explainEvidence(entry.reported) : entry.signals),
          }),
        };
        results.push({ ranked: entry, result });
      }
    }
    return results;
  }

  private async resolveScope(query: CodeQuery): Promise<SearchScope> {
    const { paths, languages, levels } = query;
    const restricted = paths.length > 0 || languages.length > 0 || query.package !== undefined;
    return {
      levels: levels.length > 0 ? levels : null,
      files: restricted
        ? (await findFilesInScope(this.index, this.project.root, query)).map(({ id }) => id)
        : null,
    };
  }
}

/**
 * Whether a path lies in the package where one works. Of a search in the root's package, or in none, nothing is near: there
 * one asks about all of the project.
 */
function createNearCheck(
  packages: PackageMap | null,
  { near, package: asked }: CodeQuery,
): (path: string) => boolean {
  const here = near && asked === undefined ? packages?.findAround(near) : null;
  return here && here.dir !== "" ? (path) => packages?.findAround(path) === here : () => false;
}

/**
 * The further places of a result, best first: those with a name, but not what lies around the result or around one
 * of them, as it is the same place said less exactly.
 */
function selectFurtherPlaces({ best, others }: RankedFile): ChunkOutline[] {
  const chosen: ChunkOutline[] = [];
  for (const { candidate } of others.slice(0, lookedAt)) {
    const one = candidate.chunk;
    if (chosen.length === maxPlaces) break;
    const isAround = [best.candidate.chunk, ...chosen].some(
      ({ startLine, endLine }) => one.startLine <= startLine && one.endLine >= endLine,
    );
    if (one.name !== "" && one.level !== "file" && !isAround) chosen.push(one);
  }
  return chosen;
}

function toCodePlace({ uid, name, kind, level, startLine, endLine }: StoredChunk): CodePlace {
  return { id: uid, name, kind, level, start_line: startLine, end_line: endLine };
}

/** What a result says of the answer depends on its content, not on how it compares with the others. */
function collectResultEvidence(
  { ranked, result }: PresentedChunk,
  query: AnalysedQuery,
  asked: AskedTerms,
): ResultEvidence {
  const { defines, fileNearness } = ranked.candidate;
  const text = `${result.name} ${result.parent_name ?? ""} ${result.file}\n${result.content}`;
  return {
    held: measureHeldShare(asked, text),
    nearness: fileNearness,
    score: result.score,
    // Of a question in words neither says that it is answered: its subject is named, or the words stand elsewhere, too.
    defines: query.intent === "symbol" && defines.some(({ name }) => query.written.has(name)),
    literal: query.intent !== "language" && isLiteral(query.raw, text),
    // A report speaks of many names, of which no place has all.
    ...(ranked.reported === undefined && { namesHeld: holdsNames(namesAsked(query), text) }),
  };
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;

const roundSignals = (signals: Signals | Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(signals).map(([signal, value]) => [signal, round(value)]));
