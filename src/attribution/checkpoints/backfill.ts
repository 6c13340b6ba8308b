import * as z from "zod/mini";
import { dayMs } from "../../base/text/day.ts";
import { computePatchIds } from "../../git/diff/changes.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure, readGitBytes } from "../../git/git.ts";
import { Lineage } from "../../git/history/ancestry.ts";
import { readCommits, readReflog } from "../../git/history/commits.ts";
import { withObjects } from "../../git/objects.ts";
import { splitLines } from "../../git/output-lines.ts";
import { readAttributedVersions } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readMetaValue } from "../../store/memory/meta-value.ts";
import {
  findHistoryStart,
  findLastTurnRow,
  findSpanOfTurnsSince,
} from "../../store/memory/sessions/sessions-here.ts";
import { RecordedCommits } from "../evidence/recorded-commits.ts";
import { TurnActivity } from "../evidence/turn-activity.ts";
import { createBareMaker } from "../lines/file-lines.ts";
import { attributionVersion } from "../lines/verdict.ts";
import { TurnStates } from "./agent-state.ts";
import { type CollectedChanges, collectEach } from "./collect-changes.ts";
import { listHistoryTips } from "./history-tips.ts";
import { linkCheckpoints } from "./link.ts";
import { analysed, areOlderAnalysed } from "./older-commits.ts";
import {
  type ForMany,
  listCheckoutRoots,
  type RecordedCommit,
  readChangesIfAny,
  recordInfo,
} from "./record-commit.ts";
import type { GitWork } from "./work.ts";

export interface BackfillOptions {
  /** Only commits from then on. Milliseconds since the epoch; default: a day before the first session. */
  since?: number | null;
  /** At most this many, the latest. */
  limit?: number | undefined;
  /** All of history. */
  all?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Commits done, and in all. */
  onProgress?: (done: number, total: number) => void;
}

export interface Backfilled {
  /** In the part of history that was gone over. */
  commits: number;
  /** Those analysed now; the others were done before. */
  lookedAt: number;
  /** Checkpoints of the commits analysed now. */
  checkpoints: number;
  /** It was stopped: finished work stays, and the next call continues. */
  isInterrupted: boolean;
}

/** An agent's lines may be committed long after they were written; new sessions may lead to commits this much later. */
const afterTurns = 30 * dayMs;

/** Commits whose text is read at once. */
const commitsPerBatch = 200;

/** Larger files are compared by their added lines alone. */
const maxFileBytes = 32 * 1024 * 1024;

/** Of `meta`: the last row of turns when a whole backfill began that came to its end. */
const turnsSeen = "checkpoints.turns";

/** Of `meta`: how far a whole backfill came that is not at its end. */
const reachedSoFar = "checkpoints.backfill";

/** `hash` and the commits before it in history's order were analysed when there were turns up to this row. */
const reachedShape = z.object({ turns: z.number(), hash: z.string() });

type Reached = z.infer<typeof reachedShape>;

/** A backfill that is killed loses at most the work on so many commits. */
const noteEach = 20;

/**
 * Walks history, parents before children, and records the commits that are not analysed yet, and those that newly
 * imported sessions may have led to. When stopped, it keeps what it has done.
 * @throws GitFailure without a repository, or without git
 */
export async function backfill(
  work: GitWork,
  { since, limit, all = false, signal, onProgress }: BackfillOptions = {},
): Promise<Backfilled> {
  const { memory } = work;
  const report: Backfilled = { commits: 0, lookedAt: 0, checkpoints: 0, isInterrupted: false };
  const start = findHistoryStart(memory);
  const from = since ?? (all ? null : start);
  // No stored session could have led to a commit.
  if (start === null && !all && since == null) return report;
  const turnsNow = findLastTurnRow(memory);
  const news = findSpanOfTurnsSince(memory, Number(memory.readMeta(turnsSeen) ?? 0));
  const isWhole = limit === undefined && since == null;
  const reached = readReachedBefore(memory);
  const newsSince = reached === null ? news : findSpanOfTurnsSince(memory, reached.turns);
  const found = await listHashesSince(work, from, limit, signal);
  report.commits = found.length;
  const versions = readAttributedVersions(
    memory,
    found.map(({ hash }) => hash),
  );
  const last = found.findIndex(({ hash }) => hash === reached?.hash);
  const outOfOrder = readOutOfOrderHashes(memory);
  const isDone = ({ hash, at }: BackfillCommit, i: number) => {
    if (outOfOrder.has(hash)) return false;
    const late = i <= last ? newsSince : news;
    const hasNews = late !== null && at >= late.from - 1000 && at <= late.to + afterTurns;
    return versions.get(hash) === attributionVersion && !hasNews;
  };
  const todo = found.filter((commit, i) => !isDone(commit, i)).map(({ hash }) => hash);
  const early = new Set(found.slice(0, last + 1).map(({ hash }) => hash));
  let noted: string | null = null;
  const note = () => {
    if (isWhole && noted !== null && !early.has(noted))
      memory.setMeta(reachedSoFar, JSON.stringify({ turns: turnsNow, hash: noted } satisfies Reached));
  };
  try {
    await recordAll(work, todo, signal, ({ commit, checkpoint }) => {
      report.lookedAt++;
      noted = commit.hash;
      if (report.lookedAt % noteEach === 0) note();
      if (checkpoint !== null) report.checkpoints++;
      onProgress?.(report.lookedAt, todo.length);
    });
    if (isWhole) {
      memory.setMeta(turnsSeen, String(turnsNow));
      memory.setMeta(reachedSoFar, null);
      forgetOrder(memory, outOfOrder);
    }
  } catch (error) {
    note();
    if (!signal?.aborted) throw error;
    report.isInterrupted = true;
  }
  if (report.checkpoints > 0) await linkCheckpoints(work);
  return report;
}

/**
 * Records commits that somebody asks about, before the rest of history. Those before them may not be recorded yet, whose
 * lines they may have moved, so the next whole backfill records them again. When stopped, it keeps what it has done.
 */
export async function recordAsked(
  work: GitWork,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { memory } = work;
  const known = readAttributedVersions(memory, hashes);
  const todo = hashes.filter((hash) => known.get(hash) !== attributionVersion);
  if (todo.length === 0) return;
  const infos = await readCommitInfos(work, todo, signal);
  const oldestFirst = infos.sort((a, b) => a.committedAt - b.committedAt).map(({ hash }) => hash);
  let hasCheckpoints = false;
  try {
    await recordAll(work, oldestFirst, signal, ({ commit, checkpoint }) => {
      memory.setMeta(outOfOrder, JSON.stringify([...readOutOfOrderHashes(memory), commit.hash]));
      if (checkpoint !== null) hasCheckpoints = true;
    });
  } finally {
    if (hasCheckpoints) await linkCheckpoints(work);
  }
}

/** Of `meta`: the commits that were recorded before those before them were. */
const outOfOrder = "checkpoints.out_of_order";

const readOutOfOrderHashes = (memory: Memory): ReadonlySet<string> =>
  new Set(readMetaValue(memory, outOfOrder, z.array(z.string())));

function forgetOrder(memory: Memory, recorded: ReadonlySet<string>): void {
  const others = [...readOutOfOrderHashes(memory)].filter((hash) => !recorded.has(hash));
  memory.setMeta(outOfOrder, others.length === 0 ? null : JSON.stringify(others));
}

/** Records commits, in this order, with what they share read once. */
async function recordAll(
  work: GitWork,
  hashes: readonly string[],
  signal: AbortSignal | undefined,
  onRecorded: (taken: RecordedCommit) => void,
): Promise<void> {
  const { memory } = work;
  const local = await listHashesMadeHere(work, signal);
  const activity = new TurnActivity(memory, listCheckoutRoots(work));
  const { root } = work.project;
  const lineage = hashes.length === 0 ? null : await Lineage.load(root, hashes, signal);
  await withObjects(root, { maxBytes: maxFileBytes, type: "blob", signal }, async (readObjects) => {
    const turnStates = new TurnStates(memory);
    const forMany = {
      activity,
      turnStates,
      readObjects,
      makeBare: createBareMaker(),
      ...(lineage && { lineage }),
    };
    for (let start = 0; start < hashes.length; start += commitsPerBatch) {
      // Whoever else writes to the memory is seen from here on.
      activity.refreshTurns();
      const recorded = new RecordedCommits(memory);
      const some = hashes.slice(start, start + commitsPerBatch);
      for await (const taken of recordBatch(work, some, { local, forMany: { ...forMany, recorded } }, signal))
        onRecorded(taken);
    }
  });
}

const readReachedBefore = (memory: Memory): Reached | null =>
  readMetaValue(memory, reachedSoFar, reachedShape);

interface BackfillCommit {
  hash: string;
  /** When it was committed; milliseconds since the epoch. */
  at: number;
}

/** Commits since a time: parents first, and of branches side by side the older ones first. */
async function listHashesSince(
  { project }: GitWork,
  since: number | null,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<BackfillCommit[]> {
  const tips = await listHistoryTips(project, signal);
  // Without revisions git says how it is used.
  if (tips.length === 0) return [];
  const args = [
    "rev-list",
    "--date-order",
    "--reverse",
    "--timestamp",
    ...(since === null ? [] : [`--since=${new Date(since).toISOString()}`]),
    ...(limit === undefined ? [] : [`--max-count=${limit}`]),
    "--stdin",
  ];
  const stdin = tips.map((hash) => `${hash}\n`);
  const found: BackfillCommit[] = [];
  for await (const lines of splitLines(readGitBytes(project.root, args, { signal, stdin }))) {
    for (const line of lines) {
      const [seconds, hash] = line.split(" ");
      if (hash) found.push({ hash, at: Number(seconds) * 1000 });
    }
  }
  return found;
}

/** Commits that were made, or at least checked out, in this repository, according to git's reflogs. */
async function listHashesMadeHere({ roots }: GitWork, signal: AbortSignal | undefined): Promise<Set<string>> {
  const hashes = new Set<string>();
  for (const root of roots) {
    try {
      for await (const { hash, action } of readReflog(root, signal)) {
        if (/^(commit|rebase|cherry-pick|revert|am)\b/.test(action)) hashes.add(hash);
      }
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
  }
  return hashes;
}

async function* recordBatch(
  work: GitWork,
  hashes: readonly string[],
  { local, forMany }: { local: ReadonlySet<string>; forMany: ForMany },
  signal: AbortSignal | undefined,
): AsyncGenerator<RecordedCommit, void, undefined> {
  const infos = await readCommitInfos(work, hashes, signal);
  const patchIds = await readPatchIds(work, infos, signal);
  let i = 0;
  for await (const changes of collectChangesOfBatch(work, infos, signal)) {
    signal?.throwIfAborted();
    const info = infos[i++]!;
    const seen = local.has(info.hash) ? "reflog" : "history";
    yield await recordInfo(work, info, { seen, again: true }, { signal, patchIds, changes, ...forMany });
  }
}

/** In the order of the commits; null where git lacks objects. */
async function* collectChangesOfBatch(
  work: GitWork,
  infos: readonly CommitInfo[],
  signal: AbortSignal | undefined,
): AsyncGenerator<CollectedChanges | null, void, undefined> {
  const hashes = infos.map(({ hash }) => hash);
  let read = 0;
  try {
    for await (const changes of collectEach(work.project.root, hashes, signal)) {
      read++;
      yield changes;
    }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
  }
  // In a partial clone git ends at the first commit with missing objects.
  for (const hash of hashes.slice(read)) yield await readChangesIfAny(work, hash, signal);
}

/** In the order of the hashes; those that git lost meanwhile are missing. */
async function readCommitInfos(
  { project }: GitWork,
  hashes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<CommitInfo[]> {
  const infos = new Map<string, CommitInfo>();
  for await (const info of readCommits(project.root, ["--no-walk", ...hashes], { signal })) {
    infos.set(info.hash, info);
  }
  return hashes.flatMap((hash) => infos.get(hash) ?? []);
}

async function readPatchIds(
  { project }: GitWork,
  infos: readonly CommitInfo[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const hashes = infos.filter(({ parents }) => parents.length < 2).map(({ hash }) => hash);
  try {
    return await computePatchIds(project.root, hashes, signal);
  } catch (error) {
    // In a partial clone, a commit with missing objects has no patch id.
    if (error instanceof GitFailure && error.reason !== "not_installed") return new Map();
    throw error;
  }
}

/**
 * Commits from before the first session: no session led to them, but shares of all lines count them. The latest of them are
 * analysed without being asked for.
 */

/** Older ones are left to `pm checkpoint backfill --all`: a long history takes minutes, and fills the memory. */
const maxBackfilledCommits = 2000;

/** Parents come before children, so the latest ones come first in steps: this many, and each time twice as many. */
const firstStep = 125;

/** Analyses them, once. */
export async function analyseOlder(
  work: GitWork,
  { signal, onProgress }: Pick<BackfillOptions, "signal" | "onProgress">,
  run: typeof backfill = backfill,
): Promise<void> {
  if (areOlderAnalysed(work.memory)) return;
  for (let limit = firstStep; ; limit = Math.min(2 * limit, maxBackfilledCommits)) {
    const { commits } = await run(work, { all: true, limit, signal, ...(onProgress && { onProgress }) });
    signal?.throwIfAborted();
    if (commits < limit || limit === maxBackfilledCommits) break;
  }
  work.memory.setMeta(analysed, "1");
}
