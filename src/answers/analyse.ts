import { attributionVersion } from "../attribution/lines/verdict.ts";
import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { readAttributedVersions } from "../store/memory/commits/commits.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findHistoryStart } from "../store/memory/sessions/sessions-here.ts";
import { openMemory } from "./open.ts";

/**
 * How long an answer waits, in all, for the analysis of its commits. The next answer analyses the rest. One commit takes some
 * 33 ms on a quiet machine. Milliseconds.
 */
const waitMs = 700;
/** One answer analyses at most this many commits, the latest. */
const maxCommits = 60;

/** A commit that an answer is about. */
interface CommitAsked {
  hash: string;
  /** Milliseconds since the epoch. */
  authoredAt: number;
}

/** Analyses commits now, as far as the answer's time allows. */
export type AnalyseNow = (commits: Iterable<CommitAsked>) => Promise<void>;

/**
 * Analyses the commits that an answer is about before the rest of history. A daemon does so in a thread of its own. Without a
 * daemon, this process does it, if it may write to the memory.
 * @param memory null: there is no memory, so nothing is analysed
 */
export function analyseFor(project: Project, memory: Memory | null, signal?: AbortSignal): AnalyseNow {
  const start = memory === null ? null : findHistoryStart(memory);
  // Without sessions, none can have led to a commit.
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
    // If the memory cannot be written now, answer from what it has.
    if (!signal.aborted && !(error instanceof PommelError)) throw error;
  }
}
