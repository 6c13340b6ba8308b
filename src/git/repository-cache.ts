import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { readChangeStamp } from "../base/files/file-id.ts";
import { listNamesIfAny } from "../base/files/if-any.ts";
import { findUpwards, resolveCommonDirectory } from "../base/paths.ts";
import { findGitDirectory, readGitFile } from "./git-dir.ts";
import { readHeadStamp } from "./history/head.ts";

interface RepositoryCacheOptions<T> {
  /** Cached answers; the least recently used are evicted first. */
  max: number;
  /** Whether an answer is small enough to cache; default: all are. */
  fits?: (answer: T) => boolean;
  /** Refs besides HEAD that answers depend on, below `refs/`; `*` matches one remote. */
  refs?: readonly string[];
  /**
   * Maximum age in milliseconds, for answers that depend on files outside the stamp, such as included configuration.
   */
  maxAgeMs?: number;
}

/**
 * Caches git's answers until the repository changes. Starting git takes milliseconds, in a large process such as the
 * daemon even more; the stamp takes a tenth of one.
 */
export class RepositoryCache<T> {
  private readonly known: LRUCache<string, { stamp: string; value: T }>;
  /** The last stamp of each directory. */
  private readonly stamps = new Map<string, string>();

  constructor(private readonly options: RepositoryCacheOptions<T>) {
    this.known = new LRUCache({ max: options.max, ttl: options.maxAgeMs ?? 0 });
  }

  /** @param question cache key within `dir`; includes everything the answer depends on */
  async getOrAsk(dir: string, question: string, ask: () => Promise<T>): Promise<T> {
    const found = await this.getOrAskEach(dir, [question], async () => new Map([[question, await ask()]]));
    return found.get(question)!;
  }

  /**
   * `of` for many questions at once.
   * @param ask gets the uncached questions; unanswered ones are asked again next time
   */
  async getOrAskEach(
    dir: string,
    questions: readonly string[],
    ask: (missing: string[]) => Promise<ReadonlyMap<string, T>>,
  ): Promise<Map<string, T>> {
    const stamp = readRepositoryStamp(dir, this.options.refs);
    this.evictFormer(dir, stamp);
    const answers = new Map<string, T>();
    const missing: string[] = [];
    for (const question of new Set(questions)) {
      const key = `${dir}\0${question}`;
      const known = stamp === null ? undefined : this.known.get(key);
      if (known?.stamp === stamp) answers.set(question, known.value);
      else missing.push(question);
    }
    if (missing.length === 0) return answers;
    const asked = await ask(missing);
    // If the repository changed meanwhile, the answer may be of either state.
    const isSame = stamp !== null && stamp === readRepositoryStamp(dir, this.options.refs);
    for (const [question, value] of asked) {
      answers.set(question, value);
      if (isSame && (this.options.fits?.(value) ?? true))
        this.known.set(`${dir}\0${question}`, { stamp, value });
    }
    return answers;
  }

  /** Answers of a state that a repository has left would only fill the memory: none is given again. */
  private evictFormer(dir: string, stamp: string | null): void {
    if (stamp === null || stamp === this.stamps.get(dir)) return;
    this.stamps.set(dir, stamp);
    for (const [key, known] of [...this.known.entries()]) {
      if (known.stamp !== stamp && key.startsWith(`${dir}\0`)) this.known.delete(key);
    }
  }
}

/**
 * Changes with everything that git's answers about commits depend on: HEAD, these refs, packs, shallow and replaced
 * commits, and configuration. Read from git's own files (gitrepository-layout).
 * @returns null outside of a working tree
 */
function readRepositoryStamp(dir: string, otherRefs: readonly string[] = []): string | null {
  const [head, gitDir, top] = [readHeadStamp(dir), findGitDirectory(dir), findUpwards(dir, ".git")];
  if (head === null || gitDir === null || top === null) return null;
  const common = resolveCommonDirectory(gitDir);
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const files = [
    "packed-refs",
    "refs/replace",
    "reftable/tables.list",
    "objects/pack",
    "shallow",
    "config",
    "info/attributes",
    "info/grafts",
  ].map((name) => join(common, name));
  const others = [
    ...[".mailmap", ".gitattributes", ".git-blame-ignore-revs"].map((name) => join(top, name)),
    join(gitDir, "config.worktree"),
    join(homedir(), ".gitconfig"),
    join(config, "git/config"),
    "/etc/gitconfig",
  ];
  const refs = otherRefs.flatMap((ref) =>
    listRefFiles(common, ref).map((name) => readGitFile(join(common, name))),
  );
  const parts = [top, head, ...refs, ...[...files, ...others].map(readChangeStamp)];
  return createHash("sha1").update(parts.join("\0")).digest("base64");
}

function listRefFiles(common: string, ref: string): string[] {
  const [before, after] = ref.split("*");
  if (after === undefined) return [join("refs", ref)];
  return listNamesIfAny(join(common, "refs", before!)).map((name) =>
    join("refs", `${before}${name}${after}`),
  );
}
