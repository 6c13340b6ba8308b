import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What a file is to hold; a link leads there; null: it is to go. */
type FileContent = string | Uint8Array | { link: string } | null;

export type TestRepository = ReturnType<typeof newRepository>;

/** A git repository in a directory of its own, for tests. @param init options of `git init` */
export function newRepository(...init: string[]) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-git-")));
  return { dir, ...repositoryIn(dir, init, () => null) };
}

/** As `newRepository`, where each commit is a minute later than the one before. */
export function temporaryGit(
  dir: string = realpathSync(mkdtempSync(join(tmpdir(), "pommel-git-"))),
  init: readonly string[] = [],
) {
  let minutes = 0;
  const { git, write, commit } = repositoryIn(dir, init, () => `@${1_700_000_000 + 60 * minutes} +0000`);
  return {
    dir,
    git,
    write,
    commit(...what: Parameters<typeof commit>) {
      minutes++;
      return commit(...what);
    },
    /** Runs a command that makes commits, a minute later. @returns where HEAD is then */
    later(...args: string[]) {
      minutes++;
      git(...args);
      return headOf(dir);
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** @param now as git takes dates; null: what the clock says */
function repositoryIn(dir: string, init: readonly string[], now: () => string | null) {
  const git = (...args: string[]) => {
    const at = now();
    return execFileSync("git", ["-C", dir, "-c", "protocol.file.allow=always", ...args], {
      encoding: "utf8",
      stdio: "pipe",
      env: {
        ...process.env,
        GIT_EDITOR: "true",
        ...(at !== null && { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }),
      },
    }).trim();
  };
  if (init.length > 0) git("init", "--quiet", "--initial-branch=main", ...init);
  else initialiseRepository(dir);
  configureGit(dir, { email: "ann@example.org" });
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
  /** Everything that is in the working tree. @returns its hash */
  const commit = (message: string, files: Record<string, FileContent> = {}) => {
    write(files);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message);
    return headOf(dir);
  };
  return { git, write, commit };
}

/** What `git init` and `git config` would write, and `git rev-parse` read, each in a process of its own. */

let empty: string | undefined;

/** As `git init` does, without its examples of hooks: a copy of an empty one. */
export function initialiseRepository(dir: string): void {
  if (empty === undefined) {
    empty = mkdtempSync(join(tmpdir(), "pommel-git-empty-"));
    execFileSync("git", ["init", "--quiet", "--initial-branch=main", "--template=", empty], {
      stdio: "pipe",
    });
    for (const name of ["hooks", "info"]) mkdirSync(join(empty, ".git", name));
  }
  cpSync(join(empty, ".git"), join(dir, ".git"), { recursive: true });
}

/** Ann commits in the repository, and nothing runs after her commits. */
export function configureGit(dir: string, { email }: { email: string }): void {
  const settings = `[user]\n\tname = Ann\n\temail = ${email}\n[commit]\n\tgpgSign = false\n[maintenance]\n\tauto = false\n`;
  appendFileSync(join(gitDirOf(dir), "config"), settings);
}

/** The commit that was made last on the current branch. */
export function headOf(dir: string): string {
  const head = readFileSync(join(gitDirOf(dir), "HEAD"), "utf8").trim();
  return head.startsWith("ref: ")
    ? readFileSync(join(gitDirOf(dir), head.slice("ref: ".length)), "utf8").trim()
    : head;
}

/** A bare repository is its own. */
function gitDirOf(dir: string): string {
  const inside = join(dir, ".git");
  return existsSync(inside) ? inside : dir;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
