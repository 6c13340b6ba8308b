import pLimit from "p-limit";
import { dayMs } from "../../base/text/day.ts";
import { isValidAs } from "../../protocol/outside.ts";
import { GitFailure, readGitBuffer, readGitBytes, readGitFields } from "../git.ts";
import { readObjects } from "../objects.ts";
import { splitLines } from "../output-lines.ts";
import { readHeadStamp } from "./head.ts";

/** A commit's current state. */
export interface CommitFate {
  /** head: in HEAD's history; elsewhere: in the repository, but not there; gone: unknown to git. */
  reach: "head" | "elsewhere" | "gone";
  /** For `elsewhere`, up to three branches that contain it, local ones first. */
  branches: string[];
  /** The effective revert in HEAD's history, one that was not reverted itself. */
  revertedBy: string | null;
}

/** Branches change without HEAD changing. Milliseconds. */
const maxAgeMs = 60_000;
const maxBranches = 3;
/** Each starts a git process. */
const maxOtherBranch = 20;
/** Commit times come from different clocks. Milliseconds. */
const clockSlack = dayMs;

/** Looks up the state of commits, cached while HEAD stays the same. */
export class Ancestry {
  private readonly known = new Map<string, { fate: CommitFate; at: number }>();
  private stamp: string | null = null;
  /** Reverts since then. */
  private reverts: { since: number; all: Revert[] } | null = null;
  /** Serialises lookups, so that each uses the results of the one before. */
  private readonly oneByOne = pLimit(1);

  constructor(
    private readonly dir: string,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param hashes full hashes
   * @returns by hash; empty where git does not answer
   * @throws the signal's reason
   */
  async findFates(hashes: readonly string[], signal?: AbortSignal): Promise<Map<string, CommitFate>> {
    const wanted = [...new Set(hashes)];
    if (this.listMissing(wanted).length > 0 && this.stamp !== null) {
      const lookup = this.oneByOne(() => this.askFor(this.listMissing(wanted), signal));
      await (signal ? Promise.race([lookup, rejectOnAbort(signal)]) : lookup);
    }
    return new Map(
      wanted.flatMap((hash) => {
        const fate = this.known.get(hash)?.fate;
        return fate ? [[hash, fate]] : [];
      }),
    );
  }

  /**
   * The effective revert of one of these commits in HEAD's history; null: none is known. Git is asked once for a HEAD, and once
   * more for commits that are older than those asked about so far.
   * @param oldest when the first of them was committed, in milliseconds since the epoch
   */
  async findRevert(hashes: readonly string[], oldest: number): Promise<string | null> {
    this.clearIfMoved();
    const reverts = await this.loadReverts(oldest);
    return hashes.map((hash) => findEffectiveRevert(hash, reverts)).find((by) => by !== null) ?? null;
  }

  private clearIfMoved(): void {
    const stamp = readHeadStamp(this.dir);
    if (stamp === this.stamp) return;
    this.known.clear();
    this.reverts = null;
    this.stamp = stamp;
  }

  /** Hashes that are not cached. */
  private listMissing(hashes: readonly string[]): string[] {
    this.clearIfMoved();
    return hashes.filter((hash) => {
      const known = this.known.get(hash);
      return !known || (known.fate.reach !== "head" && this.now() - known.at > maxAgeMs);
    });
  }

  private async askFor(hashes: readonly string[], signal?: AbortSignal): Promise<void> {
    if (hashes.length === 0) return;
    const { stamp } = this;
    try {
      const valid = hashes.filter((hash) => isValidAs("commit", hash));
      const [dates, outside] = await Promise.all([
        readCommitDates(this.dir, valid, signal),
        listUnreachable(this.dir, valid, signal),
      ]);
      const reverts = dates.size === 0 ? [] : await this.loadReverts(Math.min(...dates.values()), signal);
      const branches = new Map<string, string[]>();
      for (const hash of [...outside].slice(0, maxOtherBranch)) {
        branches.set(hash, await listBranchesContaining(this.dir, hash, signal));
      }
      // HEAD moved meanwhile, so the answers may match neither state.
      if (readHeadStamp(this.dir) !== stamp) return;
      for (const hash of hashes) {
        const reach = !dates.has(hash) ? "gone" : outside.has(hash) ? "elsewhere" : "head";
        const fate = {
          reach,
          branches: branches.get(hash) ?? [],
          revertedBy: findEffectiveRevert(hash, reverts),
        } satisfies CommitFate;
        this.known.set(hash, { fate, at: this.now() });
      }
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
  }

  private async loadReverts(oldest: number, signal?: AbortSignal): Promise<Revert[]> {
    const since = oldest - clockSlack;
    if (this.reverts && this.reverts.since <= since) return this.reverts.all;
    const all = await readReverts(this.dir, since, signal).catch((error: unknown) => {
      // On an unborn branch nothing was reverted.
      if (error instanceof GitFailure) return [];
      throw error;
    });
    this.reverts = { since, all };
    return all;
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}

/** The commit times of known commits, in milliseconds since the epoch. */
async function readCommitDates(
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

/** The known commits that are not in HEAD's history. */
async function listUnreachable(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const wanted = new Set(hashes);
  const outside = new Set<string>();
  const stdin = [...hashes.map((hash) => `${hash}\n`), "^HEAD\n"];
  try {
    const output = await readGitBuffer(dir, ["rev-list", "--ignore-missing", "--stdin"], { signal, stdin });
    for (const hash of output.toString().split("\n")) if (wanted.has(hash)) outside.add(hash);
    return outside;
  } catch (error) {
    // On an unborn branch every commit is elsewhere.
    if (error instanceof GitFailure && error.reason === "no_commits") return wanted;
    throw error;
  }
}

async function listBranchesContaining(dir: string, hash: string, signal?: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const fields = readGitFields(
    dir,
    // One extra, because a remote's HEAD is not a branch.
    [
      "for-each-ref",
      `--count=${maxBranches + 1}`,
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
  return names.slice(0, maxBranches);
}

/** A commit that reverts others, with their full or abbreviated hashes from its message. */
interface Revert {
  hash: string;
  of: string[];
}

/**
 * Commits in HEAD's history with `git revert`'s "This reverts commit <hash>", newest first.
 * @param since milliseconds since the epoch
 * @throws GitFailure
 */
async function readReverts(dir: string, since: number, signal?: AbortSignal): Promise<Revert[]> {
  const reverts: Revert[] = [];
  // git reads a smaller number as something else than seconds.
  const seconds = Math.max(Math.floor(since / 1000), 1e8);
  const fields = readGitFields(
    dir,
    [
      "log",
      "-z",
      "--no-show-signature",
      "--no-color",
      "--fixed-strings",
      "--grep=This reverts commit ",
      "--encoding=UTF-8",
      `--since=@${seconds}`,
      "--format=%H%n%B",
      "HEAD",
    ],
    signal,
  );
  for await (const field of fields) {
    const [hash = "", ...message] = field.trim().split("\n");
    const of = [...message.join("\n").matchAll(/This reverts commit ([0-9a-f]{7,64})\b/g)].map(
      ([, of]) => of!,
    );
    if (of.length > 0) reverts.push({ hash, of });
  }
  return reverts;
}

/** Hashes of commits in HEAD's history that revert others and were not reverted themselves, the latest first. */
export async function listEffectiveReverts(
  dir: string,
  since: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const reverts = await readReverts(dir, since, signal);
  return reverts.flatMap(({ hash }) => (findEffectiveRevert(hash, reverts) === null ? [hash] : []));
}

/** The effective revert of a commit; null if there is none, or each was itself reverted. */
function findEffectiveRevert(hash: string, reverts: readonly Revert[], depth = 0): string | null {
  // Messages may claim that two commits revert each other.
  if (depth > 20) return null;
  const effective = reverts.find(
    (revert) =>
      revert.hash !== hash &&
      revert.of.some((prefix) => hash.startsWith(prefix)) &&
      findEffectiveRevert(revert.hash, reverts, depth + 1) === null,
  );
  return effective?.hash ?? null;
}

/** With more commits than this, asking git each time is cheaper than holding them. One takes about 200 bytes. */
const maxCommits = 200_000;

/** Who comes before whom among the commits that some tips reach: read once, for many questions. */
export class Lineage {
  /** The last answer: most questions in a row are about one tip. */
  private last: { tip: number; reached: Uint8Array } | null = null;

  private constructor(
    private readonly numbers: ReadonlyMap<string, number>,
    private readonly parents: readonly (readonly number[])[],
  ) {}

  /**
   * @param tips hashes
   * @returns null where there are too many commits to hold
   * @throws GitFailure
   */
  static async load(dir: string, tips: readonly string[], signal?: AbortSignal): Promise<Lineage | null> {
    const numbers = new Map<string, number>();
    const parents: number[][] = [];
    if (tips.length === 0) return new Lineage(numbers, parents);
    const args = ["rev-list", "--topo-order", "--reverse", "--parents", "--stdin"];
    const stdin = tips.map((hash) => `${hash}\n`);
    for await (const lines of splitLines(readGitBytes(dir, args, { signal, stdin }))) {
      for (const line of lines) {
        const [hash = "", ...before] = line.split(" ");
        numbers.set(hash, parents.length);
        // Parents come first; what a shallow clone cut off has no number.
        parents.push(before.flatMap((parent) => numbers.get(parent) ?? []));
        if (parents.length > maxCommits) return null;
      }
    }
    return new Lineage(numbers, parents);
  }

  /**
   * Those of the commits that `tip` is, or comes after; null if the tip is not among the commits.
   * @param tip whole hash
   * @param hashes whole hashes; what no tip reaches comes before nothing
   */
  findAncestorsAmong(tip: string, hashes: readonly string[]): Set<string> | null {
    const start = this.numbers.get(tip);
    if (start === undefined) return null;
    const reached = this.markReached(start);
    return new Set(hashes.filter((hash) => reached[this.numbers.get(hash) ?? -1] === 1));
  }

  private markReached(tip: number): Uint8Array {
    if (this.last?.tip === tip) return this.last.reached;
    const reached = new Uint8Array(tip + 1);
    reached[tip] = 1;
    // Parents have smaller numbers, so that one pass downwards meets each commit after its children.
    for (let number = tip; number >= 0; number--) {
      if (reached[number] === 1) for (const parent of this.parents[number]!) reached[parent] = 1;
    }
    this.last = { tip, reached };
    return reached;
  }
}
