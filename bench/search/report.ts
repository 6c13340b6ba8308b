import { cpus } from "node:os";
import type { Quality } from "../../src/features/models/evaluate/measures.ts";
import type { EvaluatedMode } from "../../src/features/models/evaluate/modes.ts";
import { average, measureQuality } from "../measure.ts";
import type { Published } from "./data.ts";
import type { MeasuredRepository, Outcome, Variant } from "./run.ts";

/** All measurements; the keys are those of `--json`. */
export interface Report {
  machine: { node: string; cpu: string; cpus: number };
  model: string;
  repositories: {
    name: string;
    language: string;
    files: number;
    chunks: number;
    index_ms: number | null;
    published: Record<string, Published>;
  }[];
  runs: Run[];
  peers: Peer[];
  questions: Outcome[];
}

/** One mode and variant, over everything and by parts. */
export interface Run {
  mode: EvaluatedMode;
  variant: Variant;
  all: Quality;
  /** Mean of the repositories' NDCG@10, which is how the peers' figures are published. */
  mean_ndcg10: number;
  choose: Quality;
  confirm: Quality;
  languages: Record<string, Quality>;
  categories: Record<string, Quality>;
  repositories: Record<string, Quality>;
}

/** Another tool's published figures: means over the repositories of this run. */
interface Peer {
  name: string;
  mean_ndcg10: number;
  /** Of the repositories' p50, on its publisher's machine; null where not published. */
  p50_ms: number | null;
  index_ms: number | null;
}

export function reportOf(model: string, measured: readonly MeasuredRepository[]): Report {
  const questions = measured.flatMap(({ outcomes }) => outcomes);
  return {
    machine: { node: process.version, cpu: cpus()[0]?.model ?? "", cpus: cpus().length },
    model,
    repositories: measured.map(({ repository: { name, language, published }, files, chunks, indexMs }) => ({
      name,
      language,
      files,
      chunks,
      published,
      index_ms: indexMs && Math.round(indexMs),
    })),
    runs: [...groups(questions, (one) => `${one.mode} ${one.variant}`).values()].map(runOf),
    peers: peersOf(measured),
    questions,
  };
}

function runOf(outcomes: readonly Outcome[]): Run {
  const { mode, variant } = outcomes[0]!;
  const repositories = qualities(outcomes, "repository");
  const inHalf = (which: Outcome["half"]) => measureQuality(outcomes.filter(({ half }) => half === which));
  return {
    mode,
    variant,
    all: measureQuality(outcomes),
    mean_ndcg10: average(Object.values(repositories).map(({ ndcg10 }) => ndcg10)),
    choose: inHalf("choose"),
    confirm: inHalf("confirm"),
    languages: qualities(outcomes, "language"),
    categories: qualities(outcomes, "category"),
    repositories,
  };
}

function qualities(
  outcomes: readonly Outcome[],
  key: "repository" | "language" | "category",
): Record<string, Quality> {
  const parts = [...groups(outcomes, (outcome) => outcome[key])];
  if (key !== "repository") parts.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(parts.map(([name, part]) => [name, measureQuality(part)]));
}

/** Only those that have figures for every repository of this run: other means would not compare. */
function peersOf(measured: readonly MeasuredRepository[]): Peer[] {
  const published = measured.map(({ repository }) => repository.published);
  return Object.keys(published[0] ?? {})
    .map((name) => ({ name, figures: published.flatMap((peers) => peers[name] ?? []) }))
    .filter(({ figures }) => figures.length === measured.length)
    .map(({ name, figures }) => ({
      name,
      mean_ndcg10: average(figures.map(({ ndcg10 }) => ndcg10)),
      p50_ms: meanOf(figures.map(({ p50_ms }) => p50_ms)),
      index_ms: meanOf(figures.map(({ index_ms }) => index_ms)),
    }))
    .sort((a, b) => b.mean_ndcg10 - a.mean_ndcg10);
}

/** null when any is missing. */
function meanOf(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? null : average(known);
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return found;
}
