import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../../agents/agent.ts";
import { statTranscript } from "../../agents/registry.ts";
import { withMemory } from "../../answers/open.ts";
import type { RunContext } from "../../answers/operation.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import { daemonOwner } from "../../protocol/daemon-record.ts";
import {
  type ImportPreview,
  previewImport,
  type TranscriptToImport,
} from "../../sessions/ingest/import-preview.ts";
import { findPastProject } from "../../sessions/ingest/past-project.ts";
import { countSessionChunks } from "../../store/memory/chunks/chunks.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { listUnknownTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { lockHolder } from "../../store/sqlite/lock.ts";

export type { TranscriptToImport };

export interface PreviewRequest {
  agent: Agent;
  /** Directories, or files. */
  places: readonly string[];
  /** Only what has changed since. Milliseconds. */
  since: number | null;
  /** Also sessions of other projects. */
  allProjects: boolean;
}

/** What an import of an agent's transcripts would do. */
export async function previewTranscripts(
  project: Project,
  { agent, places, since, allProjects }: PreviewRequest,
  signal?: AbortSignal,
): Promise<ImportPreview> {
  const roots = allProjects ? null : await listProjectRoots(project.root);
  const wasOurs = async (path: string, cwd: string) =>
    (await findPastProject(agent, path, cwd))?.id === project.id;
  const asked = { agent, roots, wasOurs, places, since, signal };
  const withoutMemory = () => previewImport({ ...asked, memory: null });
  if (!existsSync(project.memoryDb)) return withoutMemory();
  try {
    return await withMemory(project, (memory) => previewImport({ ...asked, memory }));
  } catch (error) {
    // Another process is creating it.
    if (getErrorCode(error) === "no_memory") return withoutMemory();
    throw error;
  }
}

/** The result of an import. */
export interface ImportFollowed {
  /** Chunks that the sessions have now. */
  chunks: number;
  took_ms: number;
  /** Transcripts that were deleted before they could be read. */
  gone: number;
  /** Transcripts that failed, and why. */
  failed: { path: string; error: string }[];
}

const pollIntervalMs = 200;
/** A daemon that is missed so many times one after the other is gone; one that restarts is not. */
const maxMissed = 3;
/** How often to check that the daemon is there. Milliseconds. */
const checkMs = 1000;

/**
 * Waits until the daemon has read all requested transcripts. Counts their bytes; reads the queue from the memory.
 * @returns null when the signal is aborted: the daemon goes on
 * @throws PommelError `daemon_unreachable` when the daemon ends meanwhile
 */
export function followImport(
  project: Project,
  files: readonly TranscriptToImport[],
  { signal, onProgress }: RunContext,
): Promise<ImportFollowed | null> {
  const start = performance.now();
  const total = files.reduce((sum, { left }) => sum + left, 0);
  let missed = 0;
  let checked = start;
  return withMemory(project, async (memory) => {
    for (;;) {
      if (signal?.aborted) {
        if (!isDaemonAlive()) throw makeDaemonEndedError();
        return null;
      }
      const { done, read, isOver, failed } = readImportProgress(memory, files);
      if (isOver) {
        const sessions = [...new Set(files.map(({ session }) => session))];
        const tookMs = Math.round(performance.now() - start);
        const paths = files.map(({ path }) => path);
        const gone = listGone(memory, paths).length;
        return { chunks: countSessionChunks(memory, sessions), took_ms: tookMs, gone, failed };
      }
      onProgress?.(done, total, `${read}/${files.length} files`);
      if (performance.now() - checked > checkMs) {
        missed = isDaemonAlive() ? 0 : missed + 1;
        checked = performance.now();
      }
      if (missed >= maxMissed) throw makeDaemonEndedError();
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {});
    }
  });
}

/** Those that nobody has read, and that are neither at their place nor in the vault. */
const listGone = (memory: Memory, paths: readonly string[]): string[] =>
  listUnknownTranscripts(memory, paths).filter((path) => statTranscript(path) === null);

export const countGone = (project: Project, paths: readonly string[]): Promise<number> =>
  withMemory(project, (memory) => listGone(memory, paths).length);

/** By its lock: a busy daemon may take long to answer. */
const isDaemonAlive = (): boolean => lockHolder(locateDaemonFiles().lock)?.owner === daemonOwner;

interface Stand {
  /** Bytes. */
  done: number;
  /** Files that are read. */
  read: number;
  isOver: boolean;
  failed: ImportFollowed["failed"];
}

/** A transcript without a job has been read. */
function readImportProgress(memory: Memory, files: readonly TranscriptToImport[]): Stand {
  const jobs = new Map<string, JobRecord>();
  for (const job of listJobs(memory)) {
    const known = jobs.get(job.subject);
    // A pending job takes precedence over a failed one.
    if (job.kind === "transcript" && (known === undefined || known.state === "dead"))
      jobs.set(job.subject, job);
  }
  const stand: Stand = { done: 0, read: 0, isOver: true, failed: [] };
  for (const { path, left } of files) {
    const job = jobs.get(path);
    if (job?.state === "dead") stand.failed.push({ path, error: job.error ?? "unknown reason" });
    if (job === undefined || job.state === "dead") {
      stand.done += left;
      stand.read++;
      continue;
    }
    stand.isOver = false;
    if (job.state === "running") stand.done += Math.min(job.done, left);
  }
  return stand;
}

function makeDaemonEndedError(): PommelError {
  return new PommelError(
    "daemon_unreachable",
    "The daemon exited before the import was complete.",
    "Run `pm import` again: it continues where it stopped. `pm daemon logs` has the reason.",
  );
}
