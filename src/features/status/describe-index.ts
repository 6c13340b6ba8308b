import { statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Config } from "../../base/config/settings.ts";
import { getErrorCode } from "../../base/errors.ts";
import { listNamesIfAny } from "../../base/files/if-any.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { CodeSearch } from "../../code/search/engine.ts";
import { indexDriver } from "../../engines/drivers.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { StatusResponse } from "./operation.ts";

type StatusPart<K extends keyof StatusResponse> = StatusResponse[K];

export interface IndexDescription {
  index: StatusPart<"index">;
  health: StatusPart<"health">;
  storage: StatusPart<"storage">;
  /** Why the index could not be read; undefined when it could. */
  error?: unknown;
}

/**
 * What an index contains, its state and its size. Never fails: an unreadable index is a status too.
 * @param pending changes not indexed yet; null if nothing watches
 */
export async function describeIndex(
  project: Project,
  config: Config,
  { index, search }: { index: CodeIndex; search: CodeSearch },
  pending: number | null,
): Promise<IndexDescription> {
  try {
    const counts = await index.readIndexCounts();
    return {
      index: {
        total_files: counts.files,
        total_chunks: counts.chunks,
        last_indexed: formatIsoTime(await index.lastIndexedAt()),
        pending_changes: pending,
        languages: counts.languages,
        partly_parsed: counts.syntaxErrors,
        skipped: { total: counts.skipped, by_reason: counts.skippedByReason },
      },
      health: {
        status: counts.chunks > 0 ? "healthy" : "empty",
        embedding_model: config["embed.code"],
        database: "connected",
        query_ms: await timeOfQuery(search),
      },
      storage: await measureStorage(project, config, {
        terms: counts.termBytes,
        vectors: (await index.readVectorCounts()).reduce((sum, of) => sum + of.chunks * of.dimensions, 0),
      }),
    };
  } catch (error) {
    return describeUnreadable(project, config, error);
  }
}

/** The description of an index that is not there or that fails. */
export async function describeUnreadable(
  project: Project,
  config: Config,
  error: unknown,
): Promise<IndexDescription> {
  const code = getErrorCode(error);
  const isMissing = code === "not_indexed" || code === "schema_outdated";
  const database = isMissing ? "missing" : code === "index_corrupt" ? "corrupt" : "unreadable";
  return {
    index: {
      total_files: 0,
      total_chunks: 0,
      last_indexed: null,
      pending_changes: null,
      languages: {},
      partly_parsed: 0,
      skipped: { total: 0, by_reason: {} },
    },
    health: {
      status: database === "missing" ? "empty" : "failing",
      embedding_model: config["embed.code"],
      database,
      query_ms: null,
    },
    storage: await measureStorage(project, config, { terms: 0, vectors: 0 }),
    error,
  };
}

/**
 * How long the engine takes for a question. Milliseconds. A status every two seconds is no reason to search every two
 * seconds, nor to wait for another search: an old answer is good enough until it is replaced.
 */
async function timeOfQuery(search: CodeSearch): Promise<number> {
  const last = lastQueries.get(search);
  if (last === undefined) return measureQuery(search);
  if (Date.now() - last.at >= queryAgeMs) {
    lastQueries.set(search, { ...last, at: Date.now() });
    setImmediate(() => void measureQuery(search).catch(() => {}));
  }
  return last.ms;
}

async function measureQuery(search: CodeSearch): Promise<number> {
  const start = performance.now();
  await search.search({ query: "main test", limit: 1, levels: [], paths: [], languages: [], explain: false });
  const ms = Math.round((performance.now() - start) * 100) / 100;
  lastQueries.set(search, { at: Date.now(), ms });
  return ms;
}

const lastQueries = new WeakMap<CodeSearch, { at: number; ms: number }>();

const queryAgeMs = 30_000;

/** What the project's state takes on disk. Bytes. */
async function measureStorage(
  project: Project,
  config: Config,
  { terms, vectors }: { terms: number; vectors: number },
): Promise<StatusPart<"storage">> {
  const driver = await indexDriver(config);
  const indexBytes = await driver.countBytes(project.indexDb);
  const { logDir } = locateDaemonFiles();
  const logBytes = listNamesIfAny(logDir).reduce((sum, name) => sum + measureFile(join(logDir, name)), 0);
  return {
    index_bytes: indexBytes,
    fts_bytes: terms,
    vector_bytes: vectors,
    driver: config["index.driver"],
    place: driver.place,
    log_bytes: logBytes,
    total_bytes: indexBytes + logBytes,
  };
}

function measureFile(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
