import { analyseFor } from "../../answers/analyse.ts";
import { backfillHint } from "../../answers/backfill-hint.ts";
import { changing } from "../../answers/changing.ts";
import type { Running } from "../../answers/operation.ts";
import { type Backfilled, backfill } from "../../attribution/checkpoints/backfill.ts";
import { diffSummary } from "../../attribution/checkpoints/commit-facts.ts";
import { historyTips } from "../../attribution/checkpoints/history-tips.ts";
import { commitFatesOf } from "../../attribution/commit-fates.ts";
import { PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { readCommits } from "../../git/history/commits.ts";
import { commitNamed, historyProblem, isShallow } from "../../git/history/history.ts";
import { retitleByCommits } from "../../sessions/summaries/retitle.ts";
import { attributionsOf, linesByAuthor } from "../../store/memory/commits/attributions.ts";
import {
  checkpointByUid,
  checkpointOfCommit,
  checkpointsAfter,
  countCheckpoints,
  findCheckpoint,
  listCheckpoints,
} from "../../store/memory/commits/checkpoints.ts";
import { filesOfCommit, knownCommits, rewrittenAs } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CheckpointRecord } from "../../store/memory/memory-records.ts";
import { findSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { boundSessions } from "../../store/memory/sessions/sessions-here.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import type {
  CheckpointAnswer,
  CheckpointSession,
  CheckpointSummary,
  CheckpointsAnswer,
  CheckpointsRequest,
  FileOfCheckpoint,
  LinesByAuthor,
  TurnOfCheckpoint,
} from "./operation.ts";

/** Default number of entries in a list. */
const listed = 20;

/**
 * Checkpoints, the latest commit first.
 * @param root of the working tree, for `surviving`
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session
 */
export async function listCheckpointsOf(
  memory: Memory,
  request: CheckpointsRequest,
  root = "",
): Promise<CheckpointsAnswer> {
  const { parseWhen } = await import("../../base/text/dates.ts");
  const { session, since, until, limit = listed, surviving = false, ...others } = request;
  const filter = {
    ...others,
    session: session === undefined ? null : sessionMeant(memory, session),
    since: since === undefined ? null : await parseWhen(since, "since"),
    until: until === undefined ? null : await parseWhen(until, "until"),
  };
  const fates = surviving ? commitFatesOf(root, memory) : null;
  return memory.inSnapshot(() => ({
    checkpoints: listCheckpoints(memory, { ...filter, limit }).map((found) => {
      const summary = summaryOf(memory, found);
      if (fates === null) return summary;
      const survival = fates.survivalOf(found.commit);
      return { ...summary, surviving: survival && { added: survival.added, left: survival.surviving } };
    }),
    total: countCheckpoints(memory, filter),
  }));
}

/** A session stored here, or one that only checkpoints name: another machine's. */
function sessionMeant(memory: Memory, beginning: string): string {
  try {
    return findSession(memory, beginning).uid;
  } catch (error) {
    const [only, ...others] = beginning === "" ? [] : boundSessions(memory, beginning);
    if (only !== undefined && others.length === 0) return only;
    throw error;
  }
}

function summaryOf(memory: Memory, checkpoint: CheckpointRecord): CheckpointSummary {
  const { commit } = checkpoint;
  return {
    id: checkpoint.id,
    commit: commit.hash,
    tree: commit.tree,
    branch: commit.branch,
    parent_id: parentOf(memory, checkpoint),
    author: commit.author,
    subject: commit.subject,
    committed_at: isoTime(commit.committedAt)!,
    insertions: commit.insertions,
    deletions: commit.deletions,
    lines: linesByAuthor(memory, commit.id),
    sessions: sessionsOf(memory, checkpoint),
    rewritten_as: rewrittenAs(memory, commit.hash),
  };
}

function parentOf(memory: Memory, { parentUid }: CheckpointRecord): string | null {
  return parentUid === null ? null : (checkpointByUid(memory, parentUid)?.id ?? null);
}

function sessionsOf(memory: Memory, { sessions, agentState }: CheckpointRecord): CheckpointSession[] {
  return sessions.map(({ sessionUid, turns, lines, how, confidence }) => {
    const session = sessionByUid(memory, sessionUid);
    return {
      session_id: sessionUid,
      title: session?.title ?? titleIn(agentState[sessionUid]),
      agent: session?.agent ?? null,
      turns,
      lines,
      how,
      confidence,
    };
  });
}

function titleIn(state: unknown): string | null {
  const isObject = typeof state === "object" && state !== null && "title" in state;
  return isObject && typeof state.title === "string" ? state.title : null;
}

/**
 * Shows everything about a checkpoint.
 * @param name as `resolveCheckpoint`
 * @throws PommelError as `resolveCheckpoint`
 */
export async function showCheckpoint(
  project: Project,
  memory: Memory,
  name: string,
): Promise<CheckpointAnswer> {
  const { uid } = await resolveCheckpoint(project, memory, name);
  return memory.inSnapshot(() => {
    const checkpoint = findCheckpoint(memory, uid);
    const { commit } = checkpoint;
    const { sessions, ...summary } = summaryOf(memory, checkpoint);
    const files = filesOfCommit(memory, commit.id);
    const byFile = linesByFile(memory, commit.id);
    return {
      ...summary,
      parents: commit.parents,
      diff_summary:
        // Data synced from another machine does not include what the commit changed.
        commit.attributed === 0 && files.length === 0
          ? `not analysed yet: ${backfillHint(memory, commit.authoredAt)}`
          : diffSummary(files),
      files: files.map(
        ({ path, oldPath, status, insertions, deletions }): FileOfCheckpoint => ({
          path,
          old_path: oldPath,
          status,
          insertions,
          deletions,
          lines: byFile.get(path) ?? noLines(),
        }),
      ),
      sessions: sessions.map((session) => ({
        ...session,
        turns: turnsNamed(memory, session.session_id, session.turns),
      })),
      agent_state: checkpoint.agentState,
      next_ids: checkpointsAfter(memory, checkpoint.uid),
    };
  });
}

const noLines = (): LinesByAuthor => ({ agent: 0, human: 0, unknown: 0 });

function linesByFile(memory: Memory, commitId: number): Map<string, LinesByAuthor> {
  const files = new Map<string, LinesByAuthor>();
  for (const { path, author, firstLine, lastLine } of attributionsOf(memory, commitId)) {
    const lines = files.get(path) ?? noLines();
    lines[author] += lastLine - firstLine + 1;
    files.set(path, lines);
  }
  return files;
}

/** Turns with their prompts, as far as they are stored. */
export function turnsNamed(memory: Memory, sessionUid: string, turns: readonly number[]): TurnOfCheckpoint[] {
  const session = sessionByUid(memory, sessionUid);
  return turns.map((number) => {
    const turn = session && turnOf(memory, session.id, number);
    return { turn: number, prompt: turn?.prompt ?? null, started_at: isoTime(turn?.startedAt ?? null) };
  });
}

/**
 * The checkpoint that a person means: its id, its commit's hash, a beginning of either that no other has, or what git
 * takes for a commit (`HEAD~2`, a branch, a tag).
 * @throws PommelError `not_found`; `usage` for a beginning that several have
 */
export async function resolveCheckpoint(
  project: Project,
  memory: Memory,
  name: string,
): Promise<CheckpointRecord> {
  const { commit, checkpoint } = await resolveCommit(project, memory, name);
  if (checkpoint !== null) return checkpoint;
  throw new PommelError(
    "not_found",
    `No recorded session led to commit ${commit.slice(0, 12)}.`,
    "`pm checkpoint backfill` analyses past commits; `pm checkpoint rewind` works with any commit.",
  );
}

/** As `resolveCheckpoint`, also of commits that have none. */
export async function resolveCommit(
  project: Project,
  memory: Memory,
  name: string,
): Promise<{ commit: string; checkpoint: CheckpointRecord | null }> {
  try {
    const checkpoint = findCheckpoint(memory, name);
    return { commit: checkpoint.commit.hash, checkpoint };
  } catch (error) {
    if (!(error instanceof PommelError) || error.code !== "not_found") throw error;
  }
  const commit = await commitNamed(project.root, name);
  if (commit !== null) {
    if (!knownCommits(memory, [commit]).get(commit)) {
      const analyse = analyseFor(project, memory);
      for await (const info of readCommits(project.root, [commit, "--no-walk"])) await analyse([info]);
    }
    return { commit, checkpoint: checkpointOfCommit(memory, commit) };
  }
  const problem = await historyProblem(project.root);
  if (problem?.isBroken) throw problem;
  throw new PommelError(
    "not_found",
    `No checkpoint or commit ${JSON.stringify(name)}.`,
    (await isShallow(project.root).catch(() => false))
      ? "This clone is shallow: `git fetch --unshallow` fetches the rest."
      : "`pm checkpoint list` and `git log --oneline` list them.",
  );
}

export interface BackfillRequest {
  /** ISO 8601 or in words. */
  since?: string | undefined;
  /** At most this many commits, the latest. */
  limit?: number | undefined;
  /** All of history. */
  all?: boolean | undefined;
}

/**
 * Goes over history. A daemon may be at it as well: what one of them has done the other finds done.
 * @returns also whether history ends here, as in a shallow clone
 * @throws PommelError `usage` without a repository, or for a time that makes no sense; as `changing`
 */
export async function backfillHere(
  project: Project,
  { since, ...options }: BackfillRequest,
  { signal, onProgress, onNote = () => {} }: Running = {},
): Promise<Backfilled & { isShallow: boolean }> {
  const { parseWhen } = await import("../../base/text/dates.ts");
  const from = since === undefined ? null : await parseWhen(since, "since");
  await wantHistory(project);
  const log = { ...silentLog, warn: onNote, error: onNote };
  const report = await changing(project, async ({ memory, scrubber, root, worktrees }) => {
    const work = { memory, scrubber, project, roots: [root, ...worktrees], log };
    const done = await backfill(work, { ...options, since: from, signal, ...(onProgress && { onProgress }) });
    if (done.lookedAt > 0) retitleByCommits(memory);
    return done;
  });
  return { ...report, isShallow: await isShallow(project.root).catch(() => false) };
}

/** @throws GitFailure if no branch has commits, or git cannot read them */
async function wantHistory(project: Project): Promise<void> {
  const problem = await historyProblem(project.root);
  if (problem === null) return;
  const isElsewhere = problem.reason === "no_commits" && (await historyTips(project)).length > 0;
  if (!isElsewhere) throw problem;
}
