import { computePatchIds } from "../../git/diff/changes.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { listAttributions, saveAttributions } from "../../store/memory/commits/attributions.ts";
import {
  dropCheckpoint,
  findCheckpointOfCommit,
  saveCheckpoint,
} from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash, saveCommit, updateCommit } from "../../store/memory/commits/commits.ts";
import type {
  Binding,
  CheckpointRecord,
  CommitRecord,
  CommitSeen,
} from "../../store/memory/memory-records.ts";
import { findObservedSince } from "../../store/memory/observations.ts";
import { findSessionsWithoutTurns } from "../../store/memory/sessions/sessions-here.ts";
import { findBranchOfTurn } from "../../store/memory/sessions/turn-lookup.ts";
import { type AttributionSources, attributeChange } from "../lines/attribute.ts";
import { attributionVersion } from "../lines/verdict.ts";
import { isOfAnother } from "../links/bind.ts";
import { buildAgentState, type TurnStates } from "./agent-state.ts";
import { type CollectedChanges, collectChanges } from "./collect-changes.ts";
import {
  extractSubject,
  findPredecessors,
  findSessionsNamedByTools,
  isMadeHere,
  makeCheckpointUid,
  readCommitInfo,
  wasAmended,
} from "./commit-facts.ts";
import { keepKnown } from "./keep-known.ts";
import { linkCheckpoint } from "./link.ts";
import type { GitWork } from "./work.ts";

export type { GitWork } from "./work.ts";

/** How a commit was found, and further facts about it. */
export interface HowSeen {
  seen: CommitSeen;
  /** The branch it was made on, if known. */
  branch?: string | null;
  /** Hashes of commits that it took the place of, as git says. */
  rewrittenFrom?: readonly string[];
  /** Look for its authors again, though that was done. */
  again?: boolean;
}

export interface RecordedCommit {
  commit: CommitRecord;
  /** null: no session took part in it, as far as is known. */
  checkpoint: CheckpointRecord | null;
}

/** Replaced commits that are not analysed yet come first; at most this many. */
const maxPredecessors = 100;

/**
 * Records a commit: its changes, the authors of its lines, and, if sessions took part in it, its checkpoint; all in one
 * transaction. Done once per version of the attribution; repeated only on request, or when it turns out which commits
 * it replaced. Other new facts (its branch, how it was seen) are added.
 *
 * Verdicts about sessions that are not stored here (another machine's, or removed by age) could not be found again, so
 * a commit with such a session stays as it is.
 * @returns null if git has no such commit
 * @throws GitFailure `not_installed`; the signal's reason
 */
export async function recordCommit(
  work: GitWork,
  hash: string,
  how: HowSeen,
  signal?: AbortSignal,
): Promise<RecordedCommit | null> {
  const info = await readCommitInfo(work.project.root, hash, signal);
  if (info === null) return null;
  const known = findCommitByHash(work.memory, info.hash);
  if (known === null || !isDone(work, known, how)) {
    await recordPredecessors(work, info.hash, known, how, signal);
  }
  const taken = await recordInfo(work, info, how, { signal });
  if (taken.checkpoint === null) return taken;
  await linkCheckpoint(work, taken.checkpoint, signal);
  return { ...taken, checkpoint: findCheckpointOfCommit(work.memory, info.hash) };
}

async function recordPredecessors(
  work: GitWork,
  own: string,
  known: CommitRecord | null,
  { seen, rewrittenFrom = [] }: HowSeen,
  signal: AbortSignal | undefined,
): Promise<void> {
  const named = new Set([...rewrittenFrom, ...(known?.rewrittenFrom ?? [])]);
  named.delete(own);
  for (const hash of [...named].slice(0, maxPredecessors)) {
    if (findCommitByHash(work.memory, hash)?.attributed === attributionVersion) continue;
    const info = await readCommitInfo(work.project.root, hash, signal);
    if (info !== null) await recordInfo(work, info, { seen }, { signal });
  }
}

/** What many commits share. */
export type ForMany = Pick<
  AttributionSources,
  "activity" | "recorded" | "makeBare" | "readObjects" | "lineage"
> & { turnStates?: TurnStates };

/** As `recordCommit`, for a commit that was read; the caller links its checkpoint to others. */
export async function recordInfo(
  work: GitWork,
  info: CommitInfo,
  how: HowSeen,
  {
    signal,
    patchIds,
    changes,
    ...forMany
  }: {
    signal?: AbortSignal | undefined;
    /** Of many commits at once, by hash. */
    patchIds?: ReadonlyMap<string, string>;
    /** Its changes, if they were read; null: git lacks them. */
    changes?: CollectedChanges | null;
  } & ForMany = {},
): Promise<RecordedCommit> {
  const { memory } = work;
  const known = findCommitByHash(memory, info.hash);
  const branch = how.branch == null ? {} : { branch: scrubAlone(work.scrubber, how.branch) };
  const facts = mergeCommitFacts(info.hash, known, { ...how, ...branch });
  if (known !== null && isDone(work, known, how)) {
    updateCommit(memory, known.id, { ...facts, attributed: known.attributed });
    return { commit: { ...known, ...facts }, checkpoint: findCheckpointOfCommit(memory, info.hash) };
  }
  const changed = changes === undefined ? await readChangesIfAny(work, info.hash, signal) : changes;
  const patches = patchIds ?? (await patchIdsIfThere(work, info, signal));
  const commit: Omit<CommitRecord, "id"> = {
    hash: info.hash,
    tree: info.tree,
    parents: info.parents,
    author: scrubAlone(work.scrubber, info.author),
    authoredAt: info.authoredAt,
    committedAt: info.committedAt,
    subject: scrubAlone(work.scrubber, extractSubject(info.message)),
    patchId: patches.get(info.hash) ?? null,
    ...facts,
    insertions: changed?.insertions ?? 0,
    deletions: changed?.deletions ?? 0,
    // Git may have the missing objects later.
    attributed: changed === null ? 0 : attributionVersion,
  };
  const found = await (work.attribute ?? attributeChange)(
    { memory, ...listCheckoutRoots(work), ...forMany },
    {
      hash: info.hash,
      authoredAt: info.authoredAt,
      committedAt: info.committedAt,
      subject: commit.subject,
      branch: facts.branch,
      parent: info.parents[0] ?? null,
      predecessors: findPredecessors(memory, commit),
      isOwn: await isMadeHere(work, info, facts.seen),
      isAmended: await wasAmended(work, info),
      files: changed?.files ?? [],
    },
    signal,
  );
  const named = <T extends { path: string }>(all: readonly T[]): T[] =>
    all.map((one) => ({ ...one, path: scrubAlone(work.scrubber, one.path) }));
  const ranges = named(found.ranges);
  // That it changed the same files shortly before says nothing of a session of somebody else.
  const led = found.bindings.filter(
    ({ how, sessionUid }) => how !== "touched" || !isOfAnother(memory, sessionUid, commit.author),
  );
  const bindings = led.length > 0 ? led : await findSessionsNamedByTools(work, info, signal);
  signal?.throwIfAborted();
  return memory.runInTransaction(() => {
    const branch = facts.branch ?? findBranchOfSessions(work, bindings);
    const saved = saveCommit(memory, { ...commit, branch }, named(changed?.records ?? []));
    const wasSeen = findObservedSince(memory) <= info.authoredAt;
    const stored = listAttributions(memory, saved.id);
    const known = keepKnown(ranges, stored, { wasSeen });
    saveAttributions(memory, saved.id, [...known, ...named(changed?.leftOut ?? [])]);
    forMany.recorded?.invalidateCommit(
      saved.hash,
      [...stored, ...known].map(({ sessionUid }) => sessionUid),
    );
    if (bindings.length === 0) {
      dropCheckpoint(memory, saved.id);
      return { commit: saved, checkpoint: null };
    }
    saveCheckpoint(memory, {
      uid: makeCheckpointUid(info.hash),
      commitId: saved.id,
      parentUid: findCheckpointOfCommit(memory, info.hash)?.parentUid ?? null,
      agentState: buildAgentState(memory, bindings, info.committedAt, forMany.turnStates),
      createdAt: info.committedAt,
      sessions: bindings,
    });
    return { commit: saved, checkpoint: findCheckpointOfCommit(memory, info.hash) };
  });
}

/** The branch of the sessions that led to a commit; null if it is unknown, or if they differ. */
function findBranchOfSessions({ memory }: GitWork, bindings: readonly Binding[]): string | null {
  const branches = new Set<string>();
  for (const { sessionUid, turns } of bindings) {
    const last = turns.at(-1);
    const branch = last === undefined ? null : findBranchOfTurn(memory, sessionUid, last);
    // HEAD is the name if no branch is checked out.
    if (branch !== null && branch !== "HEAD") branches.add(branch);
  }
  const [only = null] = branches;
  return branches.size === 1 ? only : null;
}

/** Where the paths of turns are looked for. */
export function listCheckoutRoots({ project, roots }: GitWork): { root: string; worktrees: string[] } {
  return { root: project.root, worktrees: roots.filter((root) => root !== project.root) };
}

/** The changes of a commit; null if git lacks some objects. */
export async function readChangesIfAny(
  { project, log }: GitWork,
  hash: string,
  signal?: AbortSignal,
): Promise<CollectedChanges | null> {
  try {
    return await collectChanges(project.root, hash, signal);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
    log.warn(`Cannot read the changes of commit ${hash}: ${error.message}`);
    return null;
  }
}

async function patchIdsIfThere(
  { project }: GitWork,
  { hash, parents }: CommitInfo,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  if (parents.length > 1) return new Map();
  try {
    return await computePatchIds(project.root, [hash], signal);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
    return new Map();
  }
}

/** Whether there is nothing to find out of a commit that is stored. */
function isDone({ memory }: GitWork, known: CommitRecord, how: HowSeen): boolean {
  if (known.attributed === 0) return false;
  const isNews = how.rewrittenFrom?.some(
    (hash) => hash !== known.hash && !known.rewrittenFrom.includes(hash),
  );
  if (known.attributed === attributionVersion && !how.again && !isNews) return true;
  const sessions = [
    ...listAttributions(memory, known.id).flatMap(({ sessionUid, how }) =>
      how === "note" ? [] : [sessionUid],
    ),
    ...(findCheckpointOfCommit(memory, known.hash)?.sessions ?? []).map(({ sessionUid }) => sessionUid),
  ];
  return findSessionsWithoutTurns(memory, sessions).size > 0;
}

/** Strongest last. */
const seenOrder: readonly CommitSeen[] = ["sync", "history", "reflog", "hook"];

/** The facts about a commit that git does not keep: stored ones, and new ones. */
function mergeCommitFacts(
  hash: string,
  known: CommitRecord | null,
  { seen, branch = null, rewrittenFrom = [] }: HowSeen,
): Pick<CommitRecord, "seen" | "branch" | "rewrittenFrom"> {
  const before = new Set([...(known?.rewrittenFrom ?? []), ...rewrittenFrom]);
  before.delete(hash);
  const isStronger = known === null || seenOrder.indexOf(seen) > seenOrder.indexOf(known.seen);
  return {
    seen: isStronger ? seen : known.seen,
    branch: isStronger ? (branch ?? known?.branch ?? null) : (known.branch ?? branch),
    rewrittenFrom: [...before],
  };
}
