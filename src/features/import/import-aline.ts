import { existsSync } from "node:fs";
import {
  type AlineDatabase,
  type AlineSession,
  knownSchema,
  locateAlineDatabase,
  readAline,
} from "../../agents/aline/aline-database.ts";
import { changeMemory } from "../../answers/changing.ts";
import type { RunContext } from "../../answers/operation.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import type { Project } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import { findCommitHash } from "../../git/history/history.ts";
import { isCwdInProject, listProjectRoots } from "../../git/projects/roots.ts";
import {
  findLaunchDirectory,
  importAlineEvents,
  importAlineSession,
} from "../../sessions/ingest/import-aline.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { openForeignDatabase, openToRead } from "../../store/sqlite/open-to-read.ts";

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
  { signal, onProgress }: RunContext = {},
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
