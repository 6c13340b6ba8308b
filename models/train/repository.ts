import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** A repository that training text comes from, as `sources.json` lists it. */
export interface Source {
  /** `owner/name` on GitHub. */
  repository: string;
  /** The commit that is read, with its history. */
  revision: string;
  license: string;
  /** Never trained on; quality is measured on it. */
  holdout?: boolean;
}

export interface Blob {
  path: string;
  bytes: Buffer;
}

/** Larger blobs are neither fetched nor read. Bytes. */
const largestBlob = 300_000;
const outputLimit = 1 << 30;
/** Commits read at once: all together they may be longer than a string can be. */
const commitsAtOnce = 250;

/** A bare clone of a source, read without a work tree. */
export class Repository {
  private constructor(
    private readonly dir: string,
    private readonly revision: string,
  ) {}

  /** Opens `clones/owner+name`; what is not there yet is fetched. */
  static open({ repository, revision }: Source, clones: string): Repository {
    const dir = join(clones, repository.replace("/", "+"));
    if (!existsSync(dir)) {
      mkdirSync(dir, { recursive: true });
      const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args], { stdio: "inherit" });
      git("init", "--quiet", "--bare");
      const filter = `--filter=blob:limit=${largestBlob}`;
      git("fetch", "--quiet", filter, `https://github.com/${repository}.git`, revision);
    }
    return new Repository(dir, revision);
  }

  /** The files whose path is wanted. Blobs that were left out of the clone are passed over. */
  files(wanted: (path: string) => boolean): Blob[] {
    const entries = this.git(["ls-tree", "-r", "-l", "-z", this.revision])
      .toString()
      .split("\0")
      .flatMap((line) => {
        const match = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line);
        return match && Number(match[2]) <= largestBlob && wanted(match[3]!)
          ? [{ hash: match[1]!, path: match[3]! }]
          : [];
      });
    const batch = this.git(["cat-file", "--batch"], `${entries.map(({ hash }) => hash).join("\n")}\n`);
    const blobs: Blob[] = [];
    let at = 0;
    for (const { path } of entries) {
      const end = batch.indexOf(10, at);
      const size = Number(/ blob (\d+)$/.exec(batch.toString("latin1", at, end))?.[1] ?? -1);
      at = end + 1;
      if (size < 0) continue;
      blobs.push({ path, bytes: batch.subarray(at, at + size) });
      at += size + 1;
    }
    return blobs;
  }

  /** The newest `most` commits that are no merges: message and patch of the files that match the globs. */
  *commits(most: number, globs: readonly string[]): Generator<{ message: string; patch: string }> {
    const options = ["--no-merges", "--patch", "--unified=3", "--no-renames", "--no-ext-diff"];
    const paths = globs.map((glob) => `:(glob)**/${glob}`);
    for (let skip = 0; skip < most; skip += commitsAtOnce) {
      const page = [`--skip=${skip}`, `--max-count=${commitsAtOnce}`];
      const args = ["log", "--format=%x01%B%x02", ...options, ...page, this.revision, "--", ...paths];
      const log = this.git(args).toString();
      if (log === "") return;
      for (const commit of log.split("\x01")) {
        const [message, patch] = commit.split("\x02");
        if (patch !== undefined) yield { message: message!.trim(), patch };
      }
    }
  }

  private git(args: readonly string[], input = ""): Buffer {
    const { stdout, status, stderr } = spawnSync("git", ["-C", this.dir, ...args], {
      input,
      maxBuffer: outputLimit,
    });
    // A blob missing from the clone ends `git log --patch` early; what came until then is good.
    if (status !== 0 && stdout.length === 0) throw new Error(`git ${args[0]}: ${stderr.toString()}`);
    return stdout;
  }
}
