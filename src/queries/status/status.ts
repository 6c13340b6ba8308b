import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { codeOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { IndexAge, StatusResponse } from "../../protocol/routes.ts";
import type { CodeSearch } from "../../search/code/engine.ts";
import { type CodeIndex, reconciledAt } from "../../store/index/code-index.ts";
import { explain } from "../../store/sqlite/database.ts";

type Part<K extends keyof StatusResponse> = StatusResponse[K];

interface IndexDescription {
  index: Part<"index">;
  health: Part<"health">;
  storage: Part<"storage">;
  /** Why the index could not be read; undefined when it could. */
  error?: unknown;
}

/**
 * What is in an index, how it is and what it takes. Never fails: an index that cannot be read is a status too.
 * @param pending changes not indexed yet, null when nobody watches
 */
export async function describeIndex(
  project: Project,
  { index, search }: { index: CodeIndex; search: CodeSearch },
  pending: number | null,
  embeddingModel: string,
): Promise<IndexDescription> {
  try {
    const counts = index.counts();
    return {
      index: {
        total_files: counts.files,
        total_chunks: counts.chunks,
        last_indexed: isoTime(index.lastIndexedAt()),
        pending_changes: pending,
        languages: counts.languages,
        skipped: { total: counts.skipped, by_reason: counts.skippedByReason },
      },
      health: {
        status: counts.chunks > 0 ? "healthy" : "empty",
        embedding_model: embeddingModel,
        database: "connected",
        query_ms: await timeOfQuery(search),
      },
      storage: storageOf(project, index.storage().terms),
    };
  } catch (error) {
    return describeUnreadable(project, error, embeddingModel);
  }
}

/** The description of an index that is not there or that fails. */
export function describeUnreadable(
  project: Project,
  error: unknown,
  embeddingModel: string,
): IndexDescription {
  const code = codeOf(explain(error, project.indexDb));
  const isMissing = code === "not_indexed" || code === "schema_outdated";
  const database = isMissing ? "missing" : code === "index_corrupt" ? "corrupt" : "unreadable";
  return {
    index: {
      total_files: 0,
      total_chunks: 0,
      last_indexed: null,
      pending_changes: null,
      languages: {},
      skipped: { total: 0, by_reason: {} },
    },
    health: {
      status: database === "missing" ? "empty" : "failing",
      embedding_model: embeddingModel,
      database,
      query_ms: null,
    },
    storage: storageOf(project, 0),
    error,
  };
}

/** How far `index` may be behind the files. `pending` as in `describeIndex`. */
export function ageOf(index: CodeIndex, pending: number | null): IndexAge {
  const reconciled = index.meta(reconciledAt);
  const last = Math.max(Number(reconciled), index.lastIndexedAt() ?? 0);
  return {
    pending,
    is_complete: reconciled !== null,
    as_of: isoTime(pending === 0 ? Date.now() : last > 0 ? last : null),
  };
}

/** How long the engine takes for a question asked now. Milliseconds. */
async function timeOfQuery(search: CodeSearch): Promise<number> {
  const last = lastQueries.get(search);
  if (last !== undefined && Date.now() - last.at < queryAgeMs) return last.ms;
  const start = performance.now();
  await search.search({ query: "main test", limit: 1, levels: [], paths: [], languages: [], explain: false });
  const ms = Math.round((performance.now() - start) * 100) / 100;
  lastQueries.set(search, { at: Date.now(), ms });
  return ms;
}

/** A status every two seconds is no reason to search every two seconds. */
const lastQueries = new WeakMap<CodeSearch, { at: number; ms: number }>();
const queryAgeMs = 30_000;

/** What the project's state takes on disk. Bytes. */
function storageOf(project: Project, ftsBytes: number): Part<"storage"> {
  const indexBytes = ["", "-wal", "-shm"].reduce((sum, end) => sum + sizeOf(project.indexDb + end), 0);
  const logBytes = namesIn(project.logDir).reduce((sum, name) => sum + sizeOf(join(project.logDir, name)), 0);
  return {
    index_bytes: indexBytes,
    fts_bytes: ftsBytes,
    log_bytes: logBytes,
    total_bytes: indexBytes + logBytes,
  };
}

/** Milliseconds since the epoch as ISO 8601. */
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
