import { setImmediate as nextTurn } from "node:timers/promises";
import type { Project } from "../../../base/paths.ts";
import { CodeSearch } from "../../../code/search/engine.ts";
import type { QueryEmbedder } from "../../../code/search/vectors/query-embedder.ts";
import type { CodeResult } from "../../../protocol/results.ts";
import type { SearchableIndex } from "../../../store/index/port.ts";
import { type MeasuredAnswer, measureQuality, type Quality } from "./measures.ts";
import { chooseWeights, type EvaluatedMode } from "./modes.ts";
import { type PairTarget, type QuestionPair, rankTargets } from "./pairs.ts";

/** A question that was answered badly; the keys are those of JSON. */
export interface Miss {
  query: string;
  expected: { file: string; start_line?: number; end_line?: number }[];
  /** Rank of the first correct result; null when not in the top ten. */
  rank: number | null;
  /** The top results. */
  found: { file: string; start_line: number; end_line: number; name: string }[];
}

export interface AskedModes {
  /** By measured mode. */
  modes: Partial<Record<EvaluatedMode, Quality>>;
  /** The worst answers of the last mode. */
  misses: Miss[];
}

interface AskOptions {
  project: Project;
  index: SearchableIndex;
  /** null: only "lexical" can be measured. */
  embedder: QueryEmbedder | null;
  modes: readonly EvaluatedMode[];
  pairs: readonly QuestionPair[];
  onAsked: (done: number, total: number) => void;
  signal: AbortSignal;
}

const resultLimit = 10;
const missesKept = 5;
const shownOnTop = 3;
/** The first searches load vectors, statements and index pages, and are not timed. */
const warmUp = 10;

/** Asks every question in every mode. */
export async function ask(options: AskOptions): Promise<AskedModes> {
  const { pairs, modes, onAsked } = options;
  const answers: AskedModes = { modes: {}, misses: [] };
  for (const [turn, mode] of modes.entries()) {
    const asked = await askIn(mode, options, (done) =>
      onAsked(turn * pairs.length + done, modes.length * pairs.length),
    );
    answers.modes[mode] = measureQuality(asked);
    answers.misses = listWorstMisses(asked);
  }
  return answers;
}

interface AskedPair extends MeasuredAnswer {
  pair: QuestionPair;
  results: CodeResult[];
}

async function askIn(
  mode: EvaluatedMode,
  { project, index, embedder, pairs, signal }: AskOptions,
  onAsked: (done: number) => void,
): Promise<AskedPair[]> {
  const search = new CodeSearch({
    project,
    index,
    embedder: mode === "lexical" ? null : embedder,
    weights: chooseWeights(mode),
  });
  // A function is one of several answers in a file.
  const chooseSearchLevel = ({ targets }: QuestionPair) =>
    targets.some(({ lines }) => lines) ? "chunk" : "file";
  const find = (pair: QuestionPair) => {
    const request = { query: pair.query, by: chooseSearchLevel(pair), limit: resultLimit } as const;
    return search.search({ ...request, levels: [], paths: [], languages: [], explain: false });
  };
  for (const pair of pairs.slice(0, warmUp)) await find(pair);
  const asked: AskedPair[] = [];
  for (const pair of pairs) {
    signal.throwIfAborted();
    const start = performance.now();
    const { results } = await find(pair);
    const milliseconds = performance.now() - start;
    asked.push({
      pair,
      results,
      milliseconds,
      ranks: rankTargets(pair, results),
      targets: pair.targets.length,
    });
    onAsked(asked.length);
    // Allows Ctrl-C to interrupt.
    await nextTurn();
  }
  return asked;
}

/** Not found first, then by worst rank; stable. */
function listWorstMisses(asked: readonly AskedPair[]): Miss[] {
  const getBestRank = ({ ranks }: AskedPair) =>
    ranks.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...ranks);
  return asked
    .filter((one) => getBestRank(one) > 1)
    .sort((a, b) => (getBestRank(a) === getBestRank(b) ? 0 : getBestRank(b) - getBestRank(a)))
    .slice(0, missesKept)
    .map((one) => ({
      query: one.pair.query,
      expected: one.pair.targets.map(toExpectedPlace),
      rank: Number.isFinite(getBestRank(one)) ? getBestRank(one) : null,
      found: one.results
        .slice(0, shownOnTop)
        .map(({ file, start_line, end_line, name }) => ({ file, start_line, end_line, name })),
    }));
}

function toExpectedPlace({ file, lines }: PairTarget): Miss["expected"][number] {
  return lines ? { file, start_line: lines[0], end_line: lines[1] } : { file };
}
