import { performance } from "node:perf_hooks";
import { certain } from "../../protocol/reading/evidence.ts";
import type { SessionResult } from "../../protocol/results.ts";
import type { CommitOfResult, FindsCommits } from "../../sessions/search/types.ts";
import type { LedTo } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { type CommitFates, type KnownFate, openCommitFates } from "../commit-fates.ts";

export interface CommitsOptions {
  /** The working tree that is asked. */
  root: string;
  memory: Memory;
  /** Default: 50 ms, and git goes on after that. */
  waitPolicy?: { ms: number; continueLater: boolean };
}

type ResultTurns = Pick<SessionResult, "session_id" | "turn" | "last_turn">;

const maxShownCommits = 3;
/** Commits of a result that are asked about: a summary is about all that its session led to. */
const considered = 12;
/** The limit for git in the background. Milliseconds. */
const maxMs = 30_000;

/** Finds the commits that results led to, and their fates. */
export class CommitsOfResults implements FindsCommits {
  private readonly fates: CommitFates;
  private readonly waitPolicy: { ms: number; continueLater: boolean };

  constructor({ root, memory, waitPolicy = { ms: 50, continueLater: true } }: CommitsOptions) {
    this.fates = openCommitFates(root, memory);
    this.waitPolicy = waitPolicy;
  }

  /**
   * For each result the commits that its turns led to: certain ones first, then in HEAD's history, then by number of turns,
   * then the latest.
   * @param bySession the commits that their sessions led to
   */
  async findCommitsOfResults(
    results: readonly ResultTurns[],
    bySession: ReadonlyMap<string, readonly LedTo[]>,
  ): Promise<CommitOfResult[][]> {
    const start = performance.now();
    const candidates = results.map((place) =>
      listCandidateCommits(place, bySession.get(place.session_id) ?? []),
    );
    const hashes = [...new Set(candidates.flat().map(({ commit }) => commit.hash))];
    const fates = hashes.length === 0 ? new Map<string, KnownFate>() : await this.readFatesInTime(hashes);
    // What git does not say in time is left out, and there for the next search.
    return candidates.map((of) =>
      chooseCommits(of, fates ?? new Map()).map(({ commit }) =>
        this.describe(commit, fates?.get(commit.hash), start),
      ),
    );
  }

  /** null: not in time. */
  private async readFatesInTime(hashes: readonly string[]): Promise<Map<string, KnownFate> | null> {
    const { ms, continueLater } = this.waitPolicy;
    const asked = this.fates
      .findFates(hashes, AbortSignal.timeout(continueLater ? maxMs : ms))
      .catch(() => null);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), ms);
    });
    const first = await Promise.race([asked, late]);
    clearTimeout(timer);
    return first;
  }

  private describe(commit: LedTo, fate: KnownFate | undefined, start: number): CommitOfResult {
    // Results are cached: the next search gets further.
    const isLate = performance.now() - start > this.waitPolicy.ms;
    const lines = isLate ? null : this.fates.measureSurvival({ ...commit, id: commit.commitId });
    return {
      commit: commit.hash,
      checkpoint: commit.hash.slice(0, 12),
      subject: commit.subject,
      confidence: commit.confidence,
      how: commit.how,
      reach: fate?.reach ?? null,
      successor: fate?.successor ?? null,
      reverted_by: fate?.revertedBy ?? null,
      branches: fate?.branches ?? [],
      lines_added: lines?.added ?? null,
      lines_surviving: lines?.surviving ?? null,
    };
  }
}

interface LinkedCommit {
  commit: LedTo;
  /** Turns of the result that led to it. */
  turns: number;
}

function listCandidateCommits({ turn, last_turn }: ResultTurns, commits: readonly LedTo[]): LinkedCommit[] {
  const found = commits.flatMap((commit): LinkedCommit[] => {
    const turns = commit.turns.filter((number) => number >= turn && number <= last_turn).length;
    return turns > 0 ? [{ commit, turns }] : [];
  });
  // A rewritten commit is shown as its successor.
  const replaced = new Set(found.flatMap(({ commit }) => commit.rewrittenFrom));
  return found
    .filter(({ commit }) => !replaced.has(commit.hash))
    .sort(compareTurnsAndTime)
    .slice(0, considered);
}

function chooseCommits(
  candidates: readonly LinkedCommit[],
  fates: ReadonlyMap<string, KnownFate>,
): LinkedCommit[] {
  const isInHead = ({ commit }: LinkedCommit) => fates.get(commit.hash)?.reach === "head";
  const isCertain = ({ commit }: LinkedCommit) => commit.confidence >= certain;
  const hashes = new Set(candidates.map(({ commit }) => commit.hash));
  return candidates
    .filter(({ commit }) => !hashes.has(fates.get(commit.hash)?.successor ?? ""))
    .sort(
      (a, b) =>
        Number(isCertain(b)) - Number(isCertain(a)) ||
        Number(isInHead(b)) - Number(isInHead(a)) ||
        compareTurnsAndTime(a, b),
    )
    .slice(0, maxShownCommits);
}

const compareTurnsAndTime = (a: LinkedCommit, b: LinkedCommit) =>
  b.turns - a.turns || b.commit.committedAt - a.commit.committedAt;
