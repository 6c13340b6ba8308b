import type { IgnoreRules } from "../code/files/ignore.ts";
import { filesToEmbed } from "../code/index/embed-source.ts";
import { Indexer } from "../code/index/indexer.ts";
import { EmbedPass } from "../models/embed/embed-pass.ts";
import { type Embedders, modelsOf } from "../models/embed/embedders.ts";
import type { Config } from "../project/config/settings.ts";
import type { Logger } from "../project/log.ts";
import type { Project } from "../project/paths.ts";
import type { CodeIndex } from "../store/index/port.ts";

interface IndexOptions {
  project: Project;
  config: Config;
  rules: IgnoreRules;
  index: CodeIndex;
  embedders: Embedders;
  log: Logger;
  signal?: AbortSignal;
  /** Files indexed, then files embedded with the second model. */
  onProgress?: (stage: "indexing" | "embedding", done: number, total: number) => void;
}

/** Milliseconds. */
interface IndexTimes {
  /** Until everything was searchable, by the first model too. */
  indexing: number;
  /** What the second model took after that; null without one. */
  embedding: number | null;
}

const progressMs = 100;

/**
 * Brings an index up to date and waits for every model, which a daemon does in the background: what is measured then
 * does not depend on when.
 * @throws PommelError `embedder_unavailable` of the second model, `disk_full`, `unreadable`; the signal's reason
 */
export async function indexInFull(options: IndexOptions): Promise<IndexTimes> {
  const { project, config, rules, index, embedders, log, signal, onProgress = () => {} } = options;
  const withVectors = modelsOf(embedders).length > 0;
  const indexer = new Indexer({ project, config, rules, index, withVectors, log, whenDiskFull: "fail" });
  const onAbort = () => void indexer.close();
  signal?.addEventListener("abort", onAbort);
  try {
    const start = performance.now();
    await watched(
      () => indexer.reconcile(),
      () => onProgress("indexing", indexer.progress().done, indexer.progress().total),
    );
    signal?.throwIfAborted();
    const indexing = performance.now() - start;
    const embedding = await embedAll(indexer, options);
    return { indexing, embedding: embedders.second && embedding };
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await indexer.close();
  }
}

/** Makes the vectors that the indexer did not: those of a second model, or of a first one that is not the bundled one. */
async function embedAll(
  indexer: Indexer,
  { index, embedders, log, signal, onProgress = () => {} }: IndexOptions,
): Promise<number> {
  const start = performance.now();
  // The pass would wait for a model that is not there.
  await embedders.second?.prepare();
  const isFirstReady = await embedders.first?.prepare().then(
    () => true,
    () => false,
  );
  const models = modelsOf(embedders).filter((model) => isFirstReady || model !== embedders.first);
  const source = filesToEmbed(index, (path) => indexer.read(path));
  const pass = new EmbedPass({ source, models, log });
  const onAbort = () => void pass.close();
  signal?.addEventListener("abort", onAbort);
  const missing = async () => {
    const lists = await Promise.all(models.map((model) => source.missing(model)));
    return lists.reduce((sum, paths) => sum + paths.length, 0);
  };
  const total = await missing();
  try {
    await watched(
      () => pass.run(),
      async () => onProgress("embedding", total - (await missing()), total),
    );
    signal?.throwIfAborted();
    return performance.now() - start;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await pass.close();
  }
}

/** Looks now and then while something is under way. */
async function watched<T>(work: () => Promise<T>, look: () => void | Promise<void>): Promise<T> {
  const timer = setInterval(() => void look(), progressMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
