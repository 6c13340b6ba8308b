import { LRUCache } from "lru-cache";
import { findFirstCommitTimes } from "../../store/memory/commits/attributions.ts";
import { findCommittedAt, listFilesOfCommit, listLatestCommits } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** Git abbreviates to no fewer digits. */
const digits = 7;

/** Commits whose lines are looked at, and those whose lines are kept. */
const maxCommits = 100;
const maxCommitsKept = 400;

interface CommitFiles {
  hash: string;
  files: readonly { path: string; keys: Uint32Array }[];
}

/** Stored commits as evidence of when something happened: looked up once for many commits. */
export class RecordedCommits {
  /** When the first commit was made that holds lines of a call, by session and call. */
  private readonly held = new Map<string, ReadonlyMap<string, number>>();
  /** By hash. */
  private readonly files = new LRUCache<string, CommitFiles["files"]>({ max: maxCommitsKept });
  /** By the beginnings of their hashes, grouped by the first digits. */
  private readonly times = new Map<string, Map<string, number | null>>();

  constructor(private readonly memory: Memory) {}

  /** When the first stored commit was made that holds lines of a call; null: there is none. Milliseconds since the epoch. */
  findFirstCommitTime(sessionUid: string, toolUse: string): number | null {
    let calls = this.held.get(sessionUid);
    if (calls === undefined) {
      calls = findFirstCommitTimes(this.memory, sessionUid);
      this.held.set(sessionUid, calls);
    }
    return calls.get(toolUse) ?? null;
  }

  /** When a commit was made, of which only the beginning of the hash is known; null: it is not stored. */
  findCommitTime(short: string): number | null {
    const group = short.slice(0, digits);
    const known = this.times.get(group) ?? new Map<string, number | null>();
    this.times.set(group, known);
    let at = known.get(short);
    if (at === undefined) {
      at = findCommittedAt(this.memory, short);
      known.set(short, at);
    }
    return at;
  }

  /** The lines that the latest stored commits added, file by file. Times are milliseconds since the epoch. */
  listFilesBetween({ since, until }: { since: number; until: number }): readonly CommitFiles[] {
    return listLatestCommits(this.memory, { since, until, limit: maxCommits }).map(({ id, hash }) => {
      let files = this.files.get(hash);
      if (files === undefined) {
        files = listFilesOfCommit(this.memory, id).map(({ path, added }) => ({
          path,
          keys: Uint32Array.from(added, ({ key }) => key),
        }));
        this.files.set(hash, files);
      }
      return { hash, files };
    });
  }

  /** A commit was stored, with lines of these sessions now or before. */
  invalidateCommit(hash: string, sessions: Iterable<string | null>): void {
    this.files.delete(hash);
    this.times.delete(hash.slice(0, digits));
    for (const uid of sessions) if (uid !== null) this.held.delete(uid);
  }
}
