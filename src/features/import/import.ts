import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../../agents/agent.ts";
import {
  type AlineDatabase,
  type AlineSession,
  knownSchema,
  locateAlineDatabase,
  readAline,
} from "../../agents/aline/aline-database.ts";
import { statTranscript } from "../../agents/registry.ts";
import { changeMemory } from "../../answers/changing.ts";
import { withMemory } from "../../answers/open.ts";
import type { Running } from "../../answers/operation.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import { findCommitHash } from "../../git/history/history.ts";
import { isCwdInProject, listProjectRoots } from "../../git/projects/roots.ts";
import { daemonOwner } from "../../protocol/daemon-record.ts";
import {
  findLaunchDirectory,
  importAlineEvents,
  importAlineSession,
} from "../../sessions/ingest/import-aline.ts";
import {
  type ImportPreview,
  previewImport,
  type TranscriptToImport,
} from "../../sessions/ingest/import-preview.ts";
import { findPastProject } from "../../sessions/ingest/past-project.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { countSessionChunks } from "../../store/memory/chunks/chunks.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { listUnknownTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { lockHolder } from "../../store/sqlite/lock.ts";
import { openForeignDatabase, openToRead } from "../../store/sqlite/open-to-read.ts";

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
  { signal, onProgress }: Running,
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

/** What can be imported from another tool's memory. */
export interface AlinePlan {
  file: string;
  schema: number | null;
  /** A newer schema than the supported one: read as far as it looks the same. */
  isNewer: boolean;
  /** Sessions whose transcripts still exist: they are read as `pm import claude` reads them. */
  transcripts: string[];
  /** Sessions whose transcripts are gone, or belong to agents that Pommel does not read. */
  sessions: { session: AlineSession; cwd: string }[];
  /** Sessions left out: of other projects; of unknown projects; older than the requested time. */
  elsewhere: number;
  nowhere: number;
  older: number;
}

export interface AlineImport {
  /** New, known already, forgotten by the user, without anything that can be read. */
  sessions: { new: number; known: number; forgotten: number; empty: number };
  chunks: number;
  events: number;
  /** Named by turns, and how many of those are in this repository. */
  commits: { named: number; taken_in: number };
  /** Sessions that could not be imported, and why. */
  failed: { session: string; error: string }[];
}

export interface AlineAsked {
  /** Left out: where Aline keeps it. */
  path?: string | undefined;
  /** Only sessions with anything since. Milliseconds since the epoch. */
  since: number | null;
  allProjects: boolean;
}

/**
 * Looks through Aline's database, which is never written.
 * @throws PommelError `not_found`, `unreadable`
 */
export async function planAline(
  project: Project,
  { path = locateAlineDatabase(), since, allProjects }: AlineAsked,
): Promise<AlinePlan> {
  const roots = allProjects ? null : await listProjectRoots(project.root);
  return withAline(path, (db) => {
    const plan: AlinePlan = {
      file: path,
      schema: db.schema,
      isNewer: db.schema !== null && db.schema > knownSchema,
      transcripts: [],
      sessions: [],
      elsewhere: 0,
      nowhere: 0,
      older: 0,
    };
    for (const session of db.sessions()) {
      const last = session.lastAt ?? session.startedAt;
      if (since !== null && last !== null && last < since) {
        plan.older++;
        continue;
      }
      const cwd = findLaunchDirectory(db, session);
      if (cwd === null && roots !== null) plan.nowhere++;
      else if (cwd !== null && roots !== null && !isCwdInProject(roots, cwd)) plan.elsewhere++;
      else if (session.agent === "claude" && session.file.endsWith(".jsonl") && existsSync(session.file)) {
        plan.transcripts.push(session.file);
      } else plan.sessions.push({ session, cwd: cwd ?? "" });
    }
    return plan;
  });
}

function withAline<T>(path: string, use: (db: AlineDatabase) => T | Promise<T>): Promise<T> {
  return openToRead(path, openForeignDatabase, (db) => use(readAline(db, path)));
}

/** Imports what was planned, except transcripts that exist as files. Errors as `planAline`. */
export function importAline(
  project: Project,
  plan: AlinePlan,
  { signal, onProgress }: Running = {},
): Promise<AlineImport> {
  return withAline(plan.file, (db) =>
    changeMemory(
      project,
      async (work) => {
        const taken: AlineImport = {
          sessions: { new: 0, known: 0, forgotten: 0, empty: 0 },
          chunks: 0,
          events: 0,
          commits: { named: 0, taken_in: 0 },
          failed: [],
        };
        const uids = new Map<string, string>();
        let done = 0;
        for (const { session, cwd } of plan.sessions) {
          signal?.throwIfAborted();
          try {
            const { state, chunks, uid } = await importAlineSession(work, db, session, cwd, signal);
            taken.sessions[state]++;
            taken.chunks += chunks;
            if (uid !== null) uids.set(session.id, uid);
          } catch (error) {
            if (signal?.aborted) throw error;
            taken.failed.push({ session: session.id, error: String(error) });
          }
          onProgress?.(++done, plan.sessions.length);
        }
        const events = db.events();
        const ours = new Set([
          ...plan.sessions.map(({ session }) => session.id),
          ...db.sessions().flatMap(({ id, file }) => (plan.transcripts.includes(file) ? [id] : [])),
        ]);
        const named = new Set(events.flatMap(({ commits }) => commits));
        for (const id of ours) for (const { commit } of db.turns(id)) if (commit !== null) named.add(commit);
        const checkpoints = await importCommits(project, work, named, signal);
        taken.commits = { named: named.size, taken_in: checkpoints.taken };
        taken.events = importAlineEvents(work, events, uids, checkpoints.byHash);
        return taken;
      },
      { create: true },
    ),
  );
}

/** Imports the commits that are in this repository. Aline also made commits of its own, elsewhere. */
async function importCommits(
  project: Project,
  work: ScrubbingWork,
  named: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<{ taken: number; byHash: Map<string, string> }> {
  const byHash = new Map<string, string>();
  let taken = 0;
  const git = { ...work, project, roots: [work.root, ...work.worktrees] };
  for (const name of named) {
    const hash = await findCommitHash(project.root, name);
    if (hash === null) continue;
    try {
      if ((await recordCommit(git, hash, { seen: "history" }, signal)) !== null) taken++;
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
    const checkpoint = findCheckpointOfCommit(work.memory, hash);
    if (checkpoint) byHash.set(name, checkpoint.uid);
  }
  return { taken, byHash };
}
