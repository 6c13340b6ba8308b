import type { Config } from "../../../base/config/settings.ts";
import type { Logger } from "../../../base/log.ts";
import type { Project } from "../../../base/paths.ts";
import type { IgnoreRules } from "../../../code/files/ignore.ts";
import { createFileEmbedSource } from "../../../code/index/embed-source.ts";
import { Indexer } from "../../../code/index/indexer.ts";
import { EmbedPass } from "../../../models/embed/embed-pass.ts";
import { type Embedders, listEmbedders } from "../../../models/embed/embedders.ts";
import type { CodeIndex } from "../../../store/index/port.ts";

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
export interface IndexTimes {
  /** Time until everything is searchable with the first model. */
  indexing: number;
  /** Additional time of the second model; null without one. */
  embedding: number | null;
}

const progressMs = 100;

/**
 * Updates an index and waits for every model, so that measurements do not depend on timing.
 * @throws PommelError `embedder_unavailable` of the second model, `disk_full`, `unreadable`; the signal's reason
 */
export async function indexInFull(options: IndexOptions): Promise<IndexTimes> {
  const { project, config, rules, index, embedders, log, signal, onProgress = () => {} } = options;
  const withVectors = listEmbedders(embedders).length > 0;
  const indexer = new Indexer({ project, config, rules, index, withVectors, log, mode: "foreground" });
  const onAbort = () => void indexer.close();
  signal?.addEventListener("abort", onAbort);
  try {
    const start = performance.now();
    await runWatched(
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

/** Embeds for models other than the bundled one. */
async function embedAll(
  indexer: Indexer,
  { index, embedders, log, signal, onProgress = () => {} }: IndexOptions,
): Promise<number> {
  const start = performance.now();
  // The pass would wait for an unavailable model.
  await embedders.second?.prepare();
  const isFirstReady = await embedders.first?.prepare().then(
    () => true,
    () => false,
  );
  const models = listEmbedders(embedders).filter((model) => isFirstReady || model !== embedders.first);
  const source = createFileEmbedSource(index, (path) => indexer.read(path));
  const pass = new EmbedPass({ source, models, log });
  const onAbort = () => void pass.close();
  signal?.addEventListener("abort", onAbort);
  const missing = async () => {
    const lists = await Promise.all(models.map((model) => source.missing(model)));
    return lists.reduce((sum, paths) => sum + paths.length, 0);
  };
  const total = await missing();
  try {
    await runWatched(
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

/** Calls `look` periodically during `work`. */
async function runWatched<T>(work: () => Promise<T>, look: () => void | Promise<void>): Promise<T> {
  const timer = setInterval(() => void look(), progressMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
