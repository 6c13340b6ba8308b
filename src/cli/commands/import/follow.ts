import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../../client/call.ts";
import { PommelError } from "../../../project/errors.ts";
import { daemonFiles } from "../../../project/home.ts";
import type { Project } from "../../../project/paths.ts";
import { daemonOwner } from "../../../protocol/daemon-record.ts";
import { withMemory } from "../../../queries/open.ts";
import type { TranscriptToImport } from "../../../sessions/ingest/import-preview.ts";
import { sessionChunkCount } from "../../../store/memory/chunks/chunks.ts";
import { listJobs } from "../../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../../store/memory/memory.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { lockHolder } from "../../../store/sqlite/lock.ts";
import { createProgress } from "../../terminal/progress.ts";

/** The result of an import. */
export interface ImportFollowed {
  /** Chunks that the sessions have now. */
  chunks: number;
  took_ms: number;
  /** Transcripts that failed, and why. */
  failed: { path: string; error: string }[];
}

const pollIntervalMs = 200;
/** A daemon that is missed so many times one after the other is gone; one that restarts is not. */
const maxMissed = 3;
/** How often to check that the daemon is there. Milliseconds. */
const checkMs = 1000;
/** Without progress for so long, the daemon is asked why. Milliseconds. */
const stallMs = 3000;

/**
 * Shows a progress bar until all requested transcripts are read. Reads the queue from the memory.
 * @returns null when `signal` is aborted
 * @throws PommelError `daemon_unreachable` when the daemon ends meanwhile
 */
export async function followImport(
  project: Project,
  files: readonly TranscriptToImport[],
  signal: AbortSignal,
): Promise<ImportFollowed | null> {
  const start = performance.now();
  const total = files.reduce((sum, { left }) => sum + left, 0);
  const unit = total < 10_000_000 ? { name: "kB", bytes: 1000 } : { name: "MB", bytes: 1_000_000 };
  const progress = createProgress({ label: "Importing", unit: unit.name });
  let missed = 0;
  let moved = { done: -1, at: performance.now() };
  let reason = "";
  let checked = performance.now();
  try {
    return await withMemory(project, async (memory) => {
      for (;;) {
        if (signal.aborted) return null;
        const { done, read, isOver, failed } = standOf(memory, files);
        if (isOver) {
          const sessions = [...new Set(files.map(({ session }) => session))];
          const tookMs = Math.round(performance.now() - start);
          return { chunks: sessionChunkCount(memory, sessions), took_ms: tookMs, failed };
        }
        if (done !== moved.done) moved = { done, at: performance.now() };
        const sessions = `${read}/${files.length} files`;
        const isStalled = performance.now() - moved.at > stallMs;
        const waitsFor = isStalled && reason !== "" ? reason : undefined;
        progress.update(Math.round(done / unit.bytes), Math.ceil(total / unit.bytes), sessions, waitsFor);
        if (isStalled && performance.now() - checked > checkMs) reason = await whatStopsIt(project);
        if (performance.now() - checked > checkMs) {
          // By its lock: a busy daemon may take long to answer.
          missed = lockHolder(daemonFiles().lock)?.owner === daemonOwner ? 0 : missed + 1;
          checked = performance.now();
        }
        if (missed >= maxMissed) throw ended();
        await sleep(pollIntervalMs, undefined, { signal }).catch(() => {});
      }
    });
  } finally {
    progress.finish();
  }
}

/** A full disk, say: the daemon goes on by itself when it is gone. "" where it does not know, or does not answer. */
async function whatStopsIt(project: Project): Promise<string> {
  const status = await call("status", {}, project, { without: "fail" }).catch(() => null);
  return status?.notes.join(" ") ?? "";
}

interface Stand {
  /** Bytes. */
  done: number;
  /** Files that are read. */
  read: number;
  isOver: boolean;
  failed: ImportFollowed["failed"];
}

/** A transcript without a job has been read. */
function standOf(memory: Memory, files: readonly TranscriptToImport[]): Stand {
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

function ended(): PommelError {
  return new PommelError(
    "daemon_unreachable",
    "The daemon exited before the import was complete.",
    "Run `pm import` again: it continues where it stopped. `pm logs` has the reason.",
  );
}
