import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What a file is to hold; a link leads there; null: it is to go. */
type FileContent = string | Uint8Array | { link: string } | null;

export type TestRepository = ReturnType<typeof newRepository>;

/** A git repository of its own, for tests. */
export function newRepository(...init: string[]) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-git-")));
  const git = (...args: string[]) =>
    execFileSync(
      "git",
      [
        ...["-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"],
        ...args,
      ],
      { encoding: "utf8", stdio: "pipe", env: { ...process.env, GIT_EDITOR: "true" } },
    ).trim();
  git("init", "--quiet", "--initial-branch=main", ...init);
  const write = (files: Record<string, FileContent>) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(dir, path);
      rmSync(file, { force: true, recursive: true });
      if (content === null) continue;
      mkdirSync(dirname(file), { recursive: true });
      if (typeof content === "object" && "link" in content) symlinkSync(content.link, file);
      else writeFileSync(file, content);
    }
  };
  const commit = (message: string, files: Record<string, FileContent> = {}) => {
    write(files);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD");
  };
  return { dir, git, write, commit };
}
