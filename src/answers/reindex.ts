import { indexCommits } from "../attribution/search/index-commits.ts";
import { loadConfig } from "../base/config/config.ts";
import { silentLog } from "../base/log.ts";
import type { Project } from "../base/paths.ts";
import { createIgnoreRules } from "../code/files/ignore.ts";
import { Indexer, type IndexReport } from "../code/index/indexer.ts";
import { indexDriver } from "../engines/drivers.ts";
import { acquireLock } from "../store/sqlite/lock.ts";
import type { RunContext } from "./operation.ts";

/**
 * Reindexes in this process. It is for when no daemon runs.
 * @param paths paths or globs; empty: everything
 * @param how.signal ends the work early; files that are indexed by then stay indexed
 * @throws PommelError `locked` when another process writes the index, `disk_full`, `unreadable`
 */
export async function reindexProject(
  project: Project,
  paths: readonly string[],
  { onProgress, onNote = () => {}, signal = new AbortController().signal }: RunContext,
): Promise<IndexReport> {
  const { config } = loadConfig(project);
  const log = { ...silentLog, warn: onNote, error: onNote };
  const lock = acquireLock(project.lockFile, "pm daemon reindex");
  try {
    const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, log);
    const withVectors = config["embed.code"] !== "none";
    const rules = createIgnoreRules(project.root, config);
    const indexer = new Indexer({ project, config, rules, index, withVectors, log, mode: "foreground" });
    const onAbort = () => void indexer.close();
    signal.addEventListener("abort", onAbort);
    const timer = setInterval(() => {
      const { done, total } = indexer.progress();
      onProgress?.(done, total);
    }, 100);
    try {
      const total: IndexReport = { indexed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
      for (const path of paths.length > 0 ? paths : [undefined]) {
        if (signal.aborted) break;
        const report = await indexer.reindex(path);
        for (const key of Object.keys(total) as (keyof IndexReport)[]) total[key] += report[key];
      }
      if (!signal.aborted) await indexCommits(project, config, index, { log, signal });
      return total;
    } finally {
      clearInterval(timer);
      signal.removeEventListener("abort", onAbort);
      await indexer.close();
      await index.close();
    }
  } finally {
    lock.release();
  }
}
