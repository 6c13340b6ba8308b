import { readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isBlankObject } from "../../agents/setup/json-entry.ts";
import { openCommitFates } from "../../attribution/commit-fates.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { GitFailure, plain, readGitBuffer } from "../../git/git.ts";
import { Ancestry } from "../../git/history/ancestry.ts";
import { findHistoryProblem, isShallow } from "../../git/history/history.ts";
import { installGitHooks, removeGitHooks } from "../../git/hooks/install.ts";
import { findHooksPlace } from "../../git/hooks/place.ts";
import { withoutBlock } from "../../git/hooks/script.ts";
import { listUncommitted } from "../../git/rewind/obstacles.ts";
import type { WorkingTree } from "../../git/rewind/repository.ts";
import type { Restored } from "../../git/rewind/restore.ts";
import {
  addWorktree,
  findCommitHash,
  findWorkingTree,
  listDifferences,
  measureDistanceToHead,
  patchSince,
  readCommitFacts,
  restoreTo,
  type TreeDifference,
} from "../../git/rewind.ts";
import { readAgentState } from "../../protocol/agent-state.ts";
import { gitHookNames } from "../../protocol/hooks.ts";
import { type AgentPart, listPartsToRemove, readWithoutParts } from "../../setup/agent-part.ts";
import { disableSetups, makeProjectPlace, putBack } from "../../setup/record.ts";
import { findCheckpoint, findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Binding, CheckpointRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn } from "../../store/memory/sessions/turns.ts";
import type { RewindAnswer, RewindRequest, RewindSession } from "./operation.ts";

/**
 * Does something to the working tree that wants it clean: what Pommel added to files that git tracks is taken out
 * before, if it is all that differs in them, and put back after. A process that is killed in between leaves what
 * `pm disable` would; `pm enable` puts it back.
 * @returns also whether there was such a file
 */
async function runWithoutOwnEdits<T>(
  project: Project,
  { top, isBare, head }: WorkingTree,
  commit: string,
  work: () => Promise<T>,
): Promise<{ result: T; wasAside: boolean }> {
  if (isBare || head === null) {
    return { result: await work(), wasAside: false };
  }
  const place = makeProjectPlace(project);
  const dirty = await listUncommitted(top);
  const changed = new Set(dirty.filter(({ isStaged }) => !isStaged).map(({ path }) => path));
  const staged = new Set(dirty.filter(({ isStaged }) => isStaged).map(({ path }) => path));
  const nameInGit = (path: string) => relative(top, path).split(sep).join("/");
  const aside: { part: AgentPart; path: string }[] = [];
  for (const part of listPartsToRemove(place)) {
    const { file } = part.look();
    const path = file === null ? null : join(place.dir, file);
    if (path === null || staged.has(nameInGit(path))) continue;
    const isOurs = await isOnlyOurs(top, nameInGit(path), changed, commit, () =>
      readWithoutParts(place, path),
    );
    if (isOurs) aside.push({ part, path });
  }
  const hooks = await hasOwnHooks(project, top, changed);
  if (aside.length === 0 && !hooks) return { result: await work(), wasAside: false };
  if (aside.length > 0)
    disableSetups(
      place,
      aside.map(({ part }) => part.key),
    );
  try {
    for (const { part } of aside) part.take();
    if (hooks) await removeGitHooks(project);
    return { result: await work(), wasAside: true };
  } finally {
    for (const { part, path } of aside.toReversed()) part.narrowToFile(path).put();
    if (aside.length > 0) putBack(place);
    if (hooks) await installGitHooks(project);
  }
}

/** Whether a file, without ours, is as it was committed; or is not in git, and would be overwritten. */
async function isOnlyOurs(
  top: string,
  name: string,
  changed: ReadonlySet<string>,
  commit: string,
  bare: () => string | null,
): Promise<boolean> {
  try {
    const committed = await readCommitFile(top, "HEAD", name);
    if (committed !== null) return changed.has(name) && bare() === committed;
    return (await readCommitFile(top, commit, name)) !== null && isBlankObject(bare() ?? "not there");
  } catch (error) {
    // Then it is an obstacle like any other.
    if (error instanceof PommelError) return false;
    throw error;
  }
}

/** A file of a commit as a checkout writes it; null if the commit lacks it. */
async function readCommitFile(top: string, revision: string, name: string): Promise<string | null> {
  try {
    const args = [...plain, "cat-file", "--filters", `--path=${name}`, `${revision}:${name}`];
    return (await readGitBuffer(top, args)).toString();
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** Whether git hooks inside the working tree (husky's, say) differ only by our lines. */
async function hasOwnHooks(project: Project, top: string, changed: ReadonlySet<string>): Promise<boolean> {
  const place = await findHooksPlace(project.root);
  if (place.state !== "found") return false;
  const paths = gitHookNames.map((hook) => join(place.dir, hook));
  const named = paths.map((path) => ({ path, name: relative(top, path).split(sep).join("/") }));
  const dirty = named.filter(({ name }) => changed.has(name));
  for (const { path, name } of dirty) {
    const text = readFileSync(path, "latin1");
    const committed = await readCommitFile(top, "HEAD", name);
    const bare = Buffer.from(withoutBlock(text, place.within, path), "latin1").toString();
    if (committed === null || bare !== committed) return false;
  }
  return dirty.length > 0;
}

const filesGiven = 200;
const turnsGiven = 20;
/** What looking for the commit's place in history may take. Milliseconds. */
const timeoutMs = 5000;

/**
 * Shows a commit as a target for a rewind, and goes there if requested.
 * @param memory null: there is no memory, so only git is asked
 * @throws PommelError `not_found` if no checkpoint or commit has the name, or it is not in this repository; `usage`
 *   for an ambiguous name; as `restoreTo` and `addWorktree`
 */
export async function rewindTo(
  project: Project,
  memory: Memory | null,
  request: RewindRequest,
): Promise<RewindAnswer> {
  const tree = await findWorkingTree(project.root);
  const { commit, checkpoint } = await resolveRewindTarget(tree, memory, request.target);
  const facts = await readCommitFacts(tree.top, commit);
  const [fate, distance] = await Promise.all([
    findCommitFate(project.root, memory, commit),
    measureDistanceToHead(tree, commit),
  ]);
  // The facts above describe the state before the restore.
  const restored = request.restore ? await restore(project, tree, commit) : null;
  if (request.worktree !== undefined) await addWorktree(tree, commit, resolve(request.worktree));
  const { changed, notes } = await readChangedSince(tree, commit);
  return {
    checkpoint: checkpoint?.id ?? null,
    commit,
    tree: facts.tree,
    subject: facts.subject,
    author: facts.author,
    committed_at: formatIsoTime(facts.committedAt)!,
    branch: checkpoint?.commit.branch ?? null,
    reach: fate?.reach ?? null,
    branches: fate?.branches ?? [],
    reverted_by: fate?.revertedBy ?? null,
    head_branch: tree.branch,
    head: tree.head,
    ahead: distance?.ahead ?? null,
    behind: distance?.behind ?? null,
    sessions: checkpoint && memory ? listRewindSessions(memory, checkpoint) : [],
    changed_since: changed && limitFiles(changed),
    ...(request.patch && { patch: await patchSince(tree, commit) }),
    restored: restored && toRestoredAnswer(restored),
    worktree: request.worktree === undefined ? null : resolve(request.worktree),
    notes,
  };
}

/** What Pommel itself changed in the working tree is neither in the way nor lost. */
async function restore(project: Project, tree: WorkingTree, commit: string): Promise<Restored> {
  const { result, wasAside } = await runWithoutOwnEdits(project, tree, commit, () => restoreTo(tree, commit));
  const comeBack = result.comeBack !== null && wasAside ? `${result.comeBack} && pm enable` : result.comeBack;
  return { ...result, comeBack };
}

/** Checkpoints are tried first: their ids look like hashes. */
async function resolveRewindTarget(
  tree: WorkingTree,
  memory: Memory | null,
  target: string,
): Promise<{ commit: string; checkpoint: CheckpointRecord | null }> {
  const known = memory === null ? null : findCheckpointOrNull(memory, target);
  const commit = await findCommitHash(tree.top, known?.commit.hash ?? target);
  if (commit !== null)
    return { commit, checkpoint: known ?? (memory && findCheckpointOfCommit(memory, commit)) };
  const what = known
    ? `The commit of checkpoint ${known.uid}, ${shortenHash(known.commit.hash)}, is not in this repository.`
    : `No checkpoint or commit ${JSON.stringify(target)}.`;
  const isCut = await isShallow(tree.top).catch(() => false);
  const hint = isCut
    ? "This clone is shallow: `git fetch --unshallow` fetches the rest."
    : known
      ? "It may be on another machine or garbage-collected: try `git fetch`."
      : "`pm checkpoint list` and `git log` list them.";
  throw (await findHistoryProblem(tree.top)) ?? new PommelError("not_found", what, hint);
}

function findCheckpointOrNull(memory: Memory, name: string): CheckpointRecord | null {
  try {
    return findCheckpoint(memory, name);
  } catch (error) {
    if (error instanceof PommelError && error.code === "not_found") return null;
    throw error;
  }
}

async function findCommitFate(root: string, memory: Memory | null, commit: string) {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const fates = memory
      ? openCommitFates(root, memory).findFates([commit], signal)
      : new Ancestry(root).findFates([commit], signal);
    return (await fates).get(commit) ?? null;
  } catch {
    // Too long a history: the rest is worth telling.
    return null;
  }
}

async function readChangedSince(
  tree: WorkingTree,
  commit: string,
): Promise<{ changed: TreeDifference[] | null; notes: string[] }> {
  if (tree.isBare && tree.head === null) return { changed: null, notes: [] };
  try {
    return { changed: await listDifferences(tree, commit), notes: [] };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { changed: null, notes: [`git cannot compare with the current state: ${error.message}.`] };
  }
}

function limitFiles(files: readonly TreeDifference[]): RewindAnswer["changed_since"] {
  const sum = (count: (file: TreeDifference) => number | null) =>
    files.reduce((total, file) => total + (count(file) ?? 0), 0);
  return {
    files_total: files.length,
    insertions: sum(({ insertions }) => insertions),
    deletions: sum(({ deletions }) => deletions),
    files: files.slice(0, filesGiven).map(({ path, oldPath, insertions, deletions }) => ({
      path,
      old_path: oldPath,
      insertions,
      deletions,
    })),
  };
}

function listRewindSessions(memory: Memory, { sessions, agentState }: CheckpointRecord): RewindSession[] {
  const states = readAgentState(agentState);
  return sessions.map(({ sessionUid, turns, lines }: Binding): RewindSession => {
    const session = findSessionByUid(memory, sessionUid);
    const state = states[sessionUid] ?? null;
    const last = turns.slice(-turnsGiven);
    return {
      session_id: sessionUid,
      // Forgotten by age, or another machine's: then the checkpoint still knows something of it.
      title: session?.title ?? state?.title ?? null,
      agent: session?.agent ?? null,
      lines,
      turns_total: turns.length,
      turns: last.flatMap((number) => {
        const turn = session && findTurn(memory, session.id, number);
        return turn ? [{ turn: number, prompt: turn.prompt, timestamp: formatIsoTime(turn.startedAt) }] : [];
      }),
      state,
    };
  });
}

function toRestoredAnswer({ changed, files, comeBack, submodules }: Restored): RewindAnswer["restored"] {
  return { changed, files, come_back: comeBack, submodules };
}
