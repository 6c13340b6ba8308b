import { backfillHint } from "../../answers/backfill-hint.ts";
import { changeMemory } from "../../answers/changing.ts";
import { resolveCheckpoint } from "../../answers/named-commit.ts";
import type { RunContext } from "../../answers/operation.ts";
import { type Backfilled, backfill } from "../../attribution/checkpoints/backfill.ts";
import { formatDiffSummary } from "../../attribution/checkpoints/commit-facts.ts";
import { listHistoryTips } from "../../attribution/checkpoints/history-tips.ts";
import { openCommitFates } from "../../attribution/commit-fates.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { findHistoryProblem, isShallow } from "../../git/history/history.ts";
import { retitleByCommits } from "../../sessions/summaries/retitle.ts";
import { readTurnPrompts } from "../../sessions/turn-prompts.ts";
import { countLinesByAuthor, listAttributions } from "../../store/memory/commits/attributions.ts";
import {
  countCheckpoints,
  findCheckpoint,
  findCheckpointByUid,
  listCheckpoints,
  listCheckpointsAfter,
} from "../../store/memory/commits/checkpoints.ts";
import { listFilesOfCommit, listRewrites } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CheckpointRecord } from "../../store/memory/memory-records.ts";
import { findSession, findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listBoundSessions } from "../../store/memory/sessions/sessions-here.ts";
import type {
  CheckpointAnswer,
  CheckpointSession,
  CheckpointSummary,
  CheckpointsAnswer,
  CheckpointsRequest,
  FileOfCheckpoint,
  LinesByAuthor,
} from "./operation.ts";

/** Default number of entries in a list. */
const defaultLimit = 20;

/**
 * Checkpoints, the latest commit first.
 * @param root of the working tree, for `surviving`
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session
 */
export async function listStoredCheckpoints(
  memory: Memory,
  request: CheckpointsRequest,
  root = "",
): Promise<CheckpointsAnswer> {
  const { session, since, until, limit = defaultLimit, surviving = false, ...others } = request;
  const filter = {
    ...others,
    session: session === undefined ? null : resolveSessionUid(memory, session),
    ...(await parsePeriod({ since, until })),
  };
  const fates = surviving ? openCommitFates(root, memory) : null;
  return memory.readInSnapshot(() => ({
    checkpoints: listCheckpoints(memory, { ...filter, limit }).map((found) => {
      const summary = toCheckpointSummary(memory, found);
      if (fates === null) return summary;
      const survival = fates.measureSurvival(found.commit);
      return { ...summary, surviving: survival && { added: survival.added, left: survival.surviving } };
    }),
    total: countCheckpoints(memory, filter),
  }));
}

/** A session stored here, or one that only checkpoints name: another machine's. */
function resolveSessionUid(memory: Memory, beginning: string): string {
  try {
    return findSession(memory, beginning).uid;
  } catch (error) {
    const [only, ...others] = beginning === "" ? [] : listBoundSessions(memory, beginning);
    if (only !== undefined && others.length === 0) return only;
    throw error;
  }
}

function toCheckpointSummary(memory: Memory, checkpoint: CheckpointRecord): CheckpointSummary {
  const { commit } = checkpoint;
  return {
    id: checkpoint.id,
    commit: commit.hash,
    tree: commit.tree,
    branch: commit.branch,
    parent_id: findParentId(memory, checkpoint),
    author: commit.author,
    subject: commit.subject,
    committed_at: formatIsoTime(commit.committedAt)!,
    insertions: commit.insertions,
    deletions: commit.deletions,
    lines: countLinesByAuthor(memory, commit.id),
    sessions: listCheckpointSessions(memory, checkpoint),
    rewritten_as: listRewrites(memory, commit.hash),
  };
}

function findParentId(memory: Memory, { parentUid }: CheckpointRecord): string | null {
  return parentUid === null ? null : (findCheckpointByUid(memory, parentUid)?.id ?? null);
}

function listCheckpointSessions(
  memory: Memory,
  { sessions, agentState }: CheckpointRecord,
): CheckpointSession[] {
  return sessions.map(({ sessionUid, turns, lines, how, confidence }) => {
    const session = findSessionByUid(memory, sessionUid);
    return {
      session_id: sessionUid,
      title: session?.title ?? readTitle(agentState[sessionUid]),
      agent: session?.agent ?? null,
      turns,
      lines,
      how,
      confidence,
    };
  });
}

function readTitle(state: unknown): string | null {
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
  return memory.readInSnapshot(() => {
    const checkpoint = findCheckpoint(memory, uid);
    const { commit } = checkpoint;
    const { sessions, ...summary } = toCheckpointSummary(memory, checkpoint);
    const files = listFilesOfCommit(memory, commit.id);
    const byFile = countLinesByFile(memory, commit.id);
    return {
      ...summary,
      parents: commit.parents,
      diff_summary:
        // Data synced from another machine does not include what the commit changed.
        commit.attributed === 0 && files.length === 0
          ? `not analysed yet: ${backfillHint(memory, commit.authoredAt)}`
          : formatDiffSummary(files),
      files: files.map(
        ({ path, oldPath, status, insertions, deletions }): FileOfCheckpoint => ({
          path,
          old_path: oldPath,
          status,
          insertions,
          deletions,
          lines: byFile.get(path) ?? makeNoLines(),
        }),
      ),
      sessions: sessions.map((session) => ({
        ...session,
        turns: readTurnPrompts(memory, session.session_id, session.turns),
      })),
      agent_state: checkpoint.agentState,
      next_ids: listCheckpointsAfter(memory, checkpoint.uid),
    };
  });
}

const makeNoLines = (): LinesByAuthor => ({ agent: 0, human: 0, unknown: 0 });

function countLinesByFile(memory: Memory, commitId: number): Map<string, LinesByAuthor> {
  const files = new Map<string, LinesByAuthor>();
  for (const { path, author, firstLine, lastLine } of listAttributions(memory, commitId)) {
    const lines = files.get(path) ?? makeNoLines();
    lines[author] += lastLine - firstLine + 1;
    files.set(path, lines);
  }
  return files;
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
  { signal, onProgress, onNote = () => {} }: RunContext = {},
): Promise<Backfilled & { isShallow: boolean }> {
  const { parseWhen } = await import("../../base/text/dates.ts");
  const from = since === undefined ? null : await parseWhen(since, "since");
  await requireHistory(project);
  const log = { ...silentLog, warn: onNote, error: onNote };
  const report = await changeMemory(project, async ({ memory, scrubber, root, worktrees }) => {
    const work = { memory, scrubber, project, roots: [root, ...worktrees], log };
    const done = await backfill(work, { ...options, since: from, signal, ...(onProgress && { onProgress }) });
    if (done.lookedAt > 0) retitleByCommits(memory);
    return done;
  });
  return { ...report, isShallow: await isShallow(project.root).catch(() => false) };
}

/** @throws GitFailure if no branch has commits, or git cannot read them */
async function requireHistory(project: Project): Promise<void> {
  const problem = await findHistoryProblem(project.root);
  if (problem === null) return;
  const isElsewhere = problem.reason === "no_commits" && (await listHistoryTips(project)).length > 0;
  if (!isElsewhere) throw problem;
}
