import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestRepository } from "./repository-fixture.ts";

type Git = Pick<TestRepository, "dir" | "git">;

/** A repository with commits of which git can no longer read something. */
interface Broken {
  name: string;
  reason: string;
  /** What Pommel says of it, wherever HEAD's history is asked for. */
  says: RegExp;
  hint: RegExp;
  /** Whether git still answers what is not about HEAD's commit. */
  onlyHead?: boolean;
  /** @param repository with at least two commits, and nothing uncommitted */
  break(repository: Git): void;
  /** Why it cannot be made here; null: it can. */
  skip?: string | null;
}

const isRoot = process.getuid?.() === 0;

function objectFile({ dir, git }: Git, revision: string): string {
  const hash = git("rev-parse", revision);
  const file = join(dir, ".git/objects", hash.slice(0, 2), hash.slice(2));
  if (!existsSync(file)) throw new Error(`${revision} is no loose object`);
  chmodSync(file, 0o600);
  return file;
}

/** HEAD's history cannot be read. */
export const brokenRepositories: readonly Broken[] = [
  {
    name: "another user's repository",
    reason: "refused",
    says: /^git refuses to read \S+: it belongs to another user\.$/,
    hint: /`git config --global --add safe\.directory \S+`/,
    break: ({ dir }) => execFileSync("chown", ["-R", "4321", dir]),
    skip: isRoot ? null : "only root can give a repository to another user",
  },
  {
    name: "a .git that may not be read",
    reason: "unreadable",
    says: /^git may not read \S+\.git/,
    hint: /readable for your user/,
    break: ({ dir }) => chmodSync(join(dir, ".git"), 0),
    skip: isRoot ? "root may read everything" : null,
  },
  {
    name: "an empty commit object",
    reason: "damaged",
    onlyHead: true,
    says: /is damaged: .* is (?:empty|corrupt)/,
    hint: /git fsck/,
    break: (git) => truncateSync(objectFile(git, "HEAD"), 0),
  },
  {
    name: "a commit object that is gone",
    reason: "damaged",
    onlyHead: true,
    says: /is damaged: bad object HEAD/,
    hint: /git fsck/,
    break: (git) => rmSync(objectFile(git, "HEAD")),
  },
  {
    name: "a branch that a power cut left empty",
    reason: "damaged",
    onlyHead: true,
    says: /refs\/heads\/main names no commit\.$/,
    hint: /logs\/HEAD/,
    break: ({ dir }) => writeFileSync(join(dir, ".git/refs/heads/main"), ""),
  },
  {
    name: "no HEAD",
    reason: "damaged",
    says: /\.git is no git repository any more/,
    hint: /clone it again/,
    break: ({ dir }) => rmSync(join(dir, ".git/HEAD")),
  },
  {
    name: "a .git that names a directory that is gone",
    reason: "damaged",
    says: /\.git names no git repository: /,
    hint: /git worktree repair/,
    break: ({ dir }) => {
      rmSync(join(dir, ".git"), { recursive: true });
      writeFileSync(join(dir, ".git"), "gitdir: /nonexistent/worktrees/x\n");
    },
  },
  {
    name: "an invalid configuration",
    reason: "damaged",
    says: /^git cannot read its configuration: bad config line \d+ in file .*config\.$/,
    hint: /Fix that line/,
    break: ({ dir }) => {
      const file = join(dir, ".git/config");
      writeFileSync(file, `${readFileSync(file, "utf8")}[core\n`);
    },
  },
  {
    name: "a format of a later git",
    reason: "too_new",
    says: /^The repository needs a newer git: /,
    hint: /Update git/,
    break: ({ git }) => git("config", "core.repositoryFormatVersion", "99"),
  },
];
