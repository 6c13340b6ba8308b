import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What a file shall be: its contents, a link to somewhere, gone. */
type FileState = string | Uint8Array | { link: string } | null;

/**
 * A real repository in a directory of its own, for tests of whatever may lie in one.
 * @param options for `git init`
 */
export function newRepository(...options: string[]) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-repository-")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "protocol.file.allow=always", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).replace(/\n$/, "");
  git("init", "--quiet", "--initial-branch=main", ...options);
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  git("config", "commit.gpgSign", "false");
  const write = (files: Record<string, FileState>) => {
    for (const [path, state] of Object.entries(files)) {
      const file = join(dir, path);
      rmSync(file, { recursive: true, force: true });
      if (state === null) continue;
      mkdirSync(dirname(file), { recursive: true });
      if (typeof state === "string" || state instanceof Uint8Array) writeFileSync(file, state);
      else symlinkSync(state.link, file);
    }
  };
  /** Everything that is in the working tree. @returns its hash */
  const commit = (message: string, files: Record<string, FileState> = {}) => {
    write(files);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message);
    return git("rev-parse", "HEAD");
  };
  return { dir, git, write, commit };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
