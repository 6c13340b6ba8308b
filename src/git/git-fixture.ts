import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A git repository of its own, for tests. Each commit is a minute later than the one before. */
export function temporaryGit(
  dir: string = realpathSync(mkdtempSync(join(tmpdir(), "pommel-git-"))),
  init: readonly string[] = [],
) {
  let minutes = 0;
  const git = (...args: string[]) => {
    const at = `@${1_700_000_000 + 60 * minutes} +0000`;
    return execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b.c", ...args], {
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, GIT_EDITOR: "true" },
    }).trim();
  };
  git("init", "--quiet", "--initial-branch=main", ...init);
  const write = (files: Record<string, string | null>) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(dir, path);
      if (text === null) rmSync(file, { recursive: true });
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    }
  };
  const commit = (message: string, files: Record<string, string | null> = {}) => {
    minutes++;
    write(files);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD");
  };
  /** Runs a command that makes commits, a minute later. @returns where HEAD is then */
  const later = (...args: string[]) => {
    minutes++;
    git(...args);
    return git("rev-parse", "HEAD");
  };
  const remove = () => rmSync(dir, { recursive: true, force: true });
  return { dir, git, write, commit, later, remove };
}
