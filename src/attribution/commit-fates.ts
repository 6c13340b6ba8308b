import { LRUCache } from "lru-cache";
import { Ancestry, type CommitFate } from "../git/history/ancestry.ts";
import { type LinesOfAgents, listFilesOfCommit, readLinesOfAgents } from "../store/memory/commits/commits.ts";
import { findRenamedPath, findSuccessors } from "../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../store/memory/memory.ts";
import { FilesNow, listDistinctiveKeys, measureKeySurvival, type Survival } from "./survival.ts";

/** The fate of a commit, or of the one that replaced it. */
export interface KnownFate extends CommitFate {
  /** The commit in HEAD's history that replaced it, after a rebase, an amend or a cherry-pick. */
  successor: string | null;
}

/** A commit that is stored. */
export interface StoredCommit {
  /** Row of `commits`. */
  id: number;
  hash: string;
  committedAt: number;
}

/** Commits with more files or lines are left alone: looking at them would take longer than the answer is worth. */
const maxFiles = 200;
const maxLines = 20_000;
/** Commits whose lines are cached; most have a few dozen, at four bytes each. */
const maxCommits = 2000;

interface CommitLines {
  files: { path: string; keys: Uint32Array }[];
  /** When each file had last changed at the time of the check. */
  stamp: string;
  survival: Survival;
}

const shared = new WeakMap<Memory, Map<string, CommitFates>>();

/** Those of a working tree, which every question shares for as long as the memory is open. */
export function openCommitFates(root: string, memory: Memory): CommitFates {
  const byRoot = shared.get(memory) ?? new Map<string, CommitFates>();
  shared.set(memory, byRoot);
  const fates = byRoot.get(root) ?? new CommitFates(root, memory);
  byRoot.set(root, fates);
  return fates;
}

/** The fates of commits and of their lines, cached until git or the working tree changes. */
export class CommitFates {
  private readonly ancestry: Ancestry;
  private readonly files: FilesNow;
  /** By hash. */
  private readonly known = new LRUCache<string, CommitLines | "too large">({ max: maxCommits });

  constructor(
    root: string,
    private readonly memory: Memory,
  ) {
    this.ancestry = new Ancestry(root);
    this.files = new FilesNow(root);
  }

  /**
   * @returns by hash; empty where git gives no answer
   * @throws the signal's reason
   */
  async findFates(hashes: readonly string[], signal?: AbortSignal): Promise<Map<string, KnownFate>> {
    const fates = await this.ancestry.findFates(hashes, signal);
    const apart = [...fates].flatMap(([hash, { reach }]) => (reach === "head" ? [] : [hash]));
    const later = apart.length === 0 ? new Map<string, string[]>() : findSuccessors(this.memory, apart);
    const ofLater =
      later.size === 0 ? null : await this.ancestry.findFates([...later.values()].flat(), signal);
    return new Map(
      [...fates].map(([hash, fate]) => {
        const successor = later.get(hash)?.find((one) => ofLater?.get(one)?.reach === "head") ?? null;
        const ofSuccessor = successor === null ? undefined : ofLater?.get(successor);
        const revertedBy = fate.revertedBy ?? ofSuccessor?.revertedBy ?? null;
        const known: KnownFate = ofSuccessor
          ? { reach: "head", branches: [], revertedBy, successor }
          : { ...fate, successor: null };
        return [hash, known];
      }),
    );
  }

  /** What reverted a commit, or one that replaced it; takes far less than all of its fate. */
  findRevert({ hash, committedAt }: Pick<StoredCommit, "hash" | "committedAt">): Promise<string | null> {
    const later = findSuccessors(this.memory, [hash]).get(hash) ?? [];
    return this.ancestry.findRevert([hash, ...later], committedAt);
  }

  /** How many of a commit's lines are left in the working tree; null for one that is too large to look at. */
  measureSurvival(commit: StoredCommit): Survival | null {
    const known = this.known.get(commit.hash) ?? this.findLines(commit);
    this.known.set(commit.hash, known);
    if (known === "too large") return null;
    const pathNow = (path: string) => findRenamedPath(this.memory, path, commit.committedAt);
    const readCurrentStamp = (path: string) =>
      this.files.readFileStamp(path) ?? this.files.readFileStamp(pathNow(path));
    const stamp = known.files.map(({ path }) => readCurrentStamp(path)).join();
    if (stamp !== known.stamp) {
      known.stamp = stamp;
      known.survival = measureKeySurvival(this.files, known.files, pathNow);
    }
    return known.survival;
  }

  /**
   * How many of the lines that agents wrote are left, by the file's path of today.
   * @param files those in the working tree
   * @param counts whether a commit counts
   */
  countAgentLinesLeft(
    files: ReadonlySet<string>,
    counts: (commit: LinesOfAgents) => boolean,
  ): Map<string, Survival> {
    const written = new Map<string, number[]>();
    for (const commit of readLinesOfAgents(this.memory)) {
      if (!counts(commit)) continue;
      const { path, committedAt } = commit;
      const now = files.has(path) ? path : findRenamedPath(this.memory, path, committedAt);
      if (now === null || !files.has(now)) continue;
      const keys = written.get(now) ?? [];
      written.set(now, keys);
      for (const key of listDistinctiveKeys(commit)) keys.push(key);
    }
    return new Map(
      [...written].map(([path, keys]) => {
        const file = { path, keys: Uint32Array.from(keys).sort() };
        return [path, measureKeySurvival(this.files, [file], () => null)];
      }),
    );
  }

  private findLines({ id }: StoredCommit): CommitLines | "too large" {
    const changed = listFilesOfCommit(this.memory, id);
    const lines = changed.reduce((sum, { added }) => sum + added.length, 0);
    if (changed.length > maxFiles || lines > maxLines) return "too large";
    const files = changed.flatMap((file) => {
      const keys = listDistinctiveKeys(file);
      return keys.length === 0 ? [] : [{ path: file.path, keys }];
    });
    return { files, stamp: "never", survival: { added: 0, surviving: 0 } };
  }
}
