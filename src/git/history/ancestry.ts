import { GitFailure, gitBuffer, gitFields } from "../git.ts";
import { readObjects } from "../objects.ts";
import { headStamp } from "./head-stamp.ts";
import { type Revert, revertOf, revertsSince } from "./reverts.ts";

/** What became of a commit. */
export interface CommitFate {
  /** head: HEAD, or in its history; elsewhere: here, but not in that; gone: git does not know it (any more). */
  reach: "head" | "elsewhere" | "gone";
  /** Up to three branches that hold it, of one elsewhere; the local ones first. */
  branches: string[];
  /** The commit in HEAD's history that took it back, and was not taken back itself. */
  revertedBy: string | null;
}

/** A branch may come, go or be fetched without HEAD being any the wiser. Milliseconds. */
const keptMs = 60_000;
const branchesNamed = 3;
/** Each of them is a process of git. */
const maxOtherBranch = 20;
/** Times of commits come from clocks that differ. Milliseconds. */
const clockSlack = 86_400_000;

/** Asks git what became of commits, and remembers it for as long as HEAD stays where it is. */
export class Ancestry {
  private readonly known = new Map<string, { fate: CommitFate; at: number }>();
  private stamp: string | null = null;
  /** Reverts since then. */
  private reverts: { since: number; all: Revert[] } | null = null;
  /** One question after the other: the next one finds what the one before has learnt. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dir: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param hashes whole ones
   * @returns by hash; empty where git gives no answer
   * @throws the signal's reason
   */
  async statesOf(hashes: readonly string[], signal?: AbortSignal): Promise<Map<string, CommitFate>> {
    const wanted = [...new Set(hashes)];
    if (this.missing(wanted).length > 0 && this.stamp !== null) {
      const asked = this.last.then(() => this.askFor(this.missing(wanted), signal));
      this.last = asked.catch(() => {});
      await (signal ? Promise.race([asked, aborted(signal)]) : asked);
    }
    return new Map(
      wanted.flatMap((hash) => {
        const fate = this.known.get(hash)?.fate;
        return fate ? [[hash, fate]] : [];
      }),
    );
  }

  /** Those that are not known, as far as HEAD is where it was. */
  private missing(hashes: readonly string[]): string[] {
    const stamp = headStamp(this.dir);
    if (stamp !== this.stamp) {
      this.known.clear();
      this.reverts = null;
      this.stamp = stamp;
    }
    return hashes.filter((hash) => {
      const known = this.known.get(hash);
      return !known || (known.fate.reach !== "head" && this.now() - known.at > keptMs);
    });
  }

  private async askFor(hashes: readonly string[], signal?: AbortSignal): Promise<void> {
    if (hashes.length === 0) return;
    const { stamp } = this;
    try {
      const valid = hashes.filter((hash) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash));
      const [dates, apart] = await Promise.all([
        datesOf(this.dir, valid, signal),
        unreachable(this.dir, valid, signal),
      ]);
      const reverts = dates.size === 0 ? [] : await this.revertsSince(Math.min(...dates.values()), signal);
      const branches = new Map<string, string[]>();
      for (const hash of [...apart].slice(0, maxOtherBranch)) {
        branches.set(hash, await branchesWith(this.dir, hash, signal));
      }
      // HEAD went elsewhere meanwhile: what was learnt may be of neither place.
      if (headStamp(this.dir) !== stamp) return;
      for (const hash of hashes) {
        const reach = !dates.has(hash) ? "gone" : apart.has(hash) ? "elsewhere" : "head";
        const fate = {
          reach,
          branches: branches.get(hash) ?? [],
          revertedBy: revertOf(hash, reverts),
        } satisfies CommitFate;
        this.known.set(hash, { fate, at: this.now() });
      }
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
  }

  private async revertsSince(oldest: number, signal?: AbortSignal): Promise<Revert[]> {
    const since = oldest - clockSlack;
    if (this.reverts && this.reverts.since <= since) return this.reverts.all;
    const all = await revertsSince(this.dir, since, signal).catch((error: unknown) => {
      // Nothing is checked out yet, so that nothing was taken back.
      if (error instanceof GitFailure) return [];
      throw error;
    });
    this.reverts = { since, all };
    return all;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}

/** When the commits that git knows were made, in milliseconds since the epoch. */
async function datesOf(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const dates = new Map<string, number>();
  const commits = await readObjects(dir, hashes, { maxBytes: Infinity, type: "commit", signal });
  for (const [hash, bytes] of commits) {
    const text = bytes.toString("latin1");
    const header = text.slice(0, text.indexOf("\n\n") + 1 || undefined);
    const [, seconds] = /^committer .* (\d+) [+-]\d+$/m.exec(header) ?? [];
    dates.set(hash, Number(seconds ?? 0) * 1000);
  }
  return dates;
}

/** The commits that are not in HEAD's history, of those that git knows. */
async function unreachable(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const wanted = new Set(hashes);
  const apart = new Set<string>();
  const stdin = [...hashes.map((hash) => `${hash}\n`), "^HEAD\n"];
  try {
    const output = await gitBuffer(dir, ["rev-list", "--ignore-missing", "--stdin"], { signal, stdin });
    for (const hash of output.toString().split("\n")) if (wanted.has(hash)) apart.add(hash);
    return apart;
  } catch (error) {
    // On a branch without a commit, everything is elsewhere.
    if (error instanceof GitFailure && error.reason === "no_repository") return wanted;
    throw error;
  }
}

async function branchesWith(dir: string, hash: string, signal?: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const fields = gitFields(
    dir,
    // One more than named, as a remote's HEAD is no branch.
    [
      "for-each-ref",
      `--count=${branchesNamed + 1}`,
      `--contains=${hash}`,
      "--format=%(refname)%00",
      "refs/heads",
      "refs/remotes",
    ],
    signal,
  );
  for await (const field of fields) {
    const name = field.trim().replace(/^refs\/(heads|remotes)\//, "");
    if (name !== "" && !/^[^/]+\/HEAD$/.test(name)) names.push(name);
  }
  return names.slice(0, branchesNamed);
}
