import { attributionVersion } from "../attribution/lines/verdict.ts";
import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { readAttributedVersions } from "../store/memory/commits/commits.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findHistoryStart } from "../store/memory/sessions/sessions-here.ts";
import { openMemory } from "./open.ts";

/**
 * An answer waits so long for commits that it is about, in all; what is not analysed by then is for the next answer. One takes
 * some 33 ms on a quiet machine. Milliseconds.
 */
const waitMs = 700;
/** At most so many are analysed for one answer, the latest. */
const maxCommits = 60;

/** A commit that an answer is about. */
interface CommitAsked {
  hash: string;
  /** Milliseconds since the epoch. */
  authoredAt: number;
}

/** Has commits analysed now, as far as the time of the answer allows. What is left is said to be not analysed yet. */
export type AnalyseNow = (commits: Iterable<CommitAsked>) => Promise<void>;

/**
 * What is asked for goes first: the commits that an answer is about are analysed before the rest of history. A daemon does so
 * in a thread of its own; a process without one does it itself, where it may write to the memory.
 * @param memory null: there is none, and nothing to learn from it
 */
export function analyseFor(project: Project, memory: Memory | null, signal?: AbortSignal): AnalyseNow {
  const start = memory === null ? null : findHistoryStart(memory);
  // No session can have led to a commit.
  if (memory === null || start === null) return async () => {};
  const late = AbortSignal.timeout(waitMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const asked = new Set<string>();
  return async (commits) => {
    const here = [...commits].filter(({ hash, authoredAt }) => authoredAt >= start && !asked.has(hash));
    const known = readAttributedVersions(
      memory,
      here.map(({ hash }) => hash),
    );
    const unknown = here
      .filter(({ hash }) => known.get(hash) !== attributionVersion)
      .sort((a, b) => b.authoredAt - a.authoredAt)
      .slice(0, maxCommits - asked.size)
      .map(({ hash }) => hash);
    if (unknown.length === 0 || either.aborted) return;
    for (const hash of unknown) asked.add(hash);
    await analyse(project, unknown, either);
    signal?.throwIfAborted();
  };
}

async function analyse(project: Project, hashes: readonly string[], signal: AbortSignal): Promise<void> {
  const owner = openMemory(project);
  if (owner !== null) return owner.analyse(hashes, signal);
  try {
    const [{ recordAsked }, { changeMemory: changing }] = await Promise.all([
      import("../attribution/checkpoints/backfill.ts"),
      import("./changing.ts"),
    ]);
    await changing(project, (work) =>
      recordAsked(
        {
          project,
          memory: work.memory,
          roots: [work.root, ...work.worktrees],
          scrubber: work.scrubber,
          log: work.log,
        },
        hashes,
        signal,
      ),
    );
  } catch (error) {
    // A memory that cannot be written to, or that another process writes to, answers from what it has.
    if (!signal.aborted && !(error instanceof PommelError)) throw error;
  }
}
