import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, PommelError } from "../base/errors.ts";
import { findUpwards, resolveCommonDirectory } from "../base/paths.ts";
import { quoteForShell } from "../base/text/shell.ts";
import { findGitDirectory, readGitFile } from "./git-dir.ts";

/** Why git failed, and the error's stable code. All but `failed` are states of the machine or of the repository. */
const codeOfReason = {
  not_installed: "git_failed",
  no_repository: "no_git_history",
  /** HEAD's branch has no commit. */
  no_commits: "no_git_history",
  /** git protects the user from the repository: another user's (safe.directory), or bare (safe.bareRepository). */
  refused: "git_failed",
  unreadable: "unreadable",
  damaged: "git_failed",
  locked: "locked",
  /** The repository needs a newer git. */
  too_new: "git_failed",
  /** Anything else: often what was asked for is not there. */
  failed: "git_failed",
} as const satisfies Record<string, ErrorCode>;

type Reason = keyof typeof codeOfReason;

/** git failed. The message says how, the hint what to do about it. */
export class GitFailure extends PommelError {
  override readonly name = "GitFailure";

  constructor(
    readonly reason: Reason,
    message: string,
    hint = "",
    /** git's, where it ended by itself. */
    readonly exitStatus: number | null = null,
  ) {
    super(codeOfReason[reason], message, hint);
  }

  /** Whether something has to be repaired before git can read the repository. */
  get isBroken(): boolean {
    return !/^(?:failed|no_repository|no_commits)$/.test(this.reason);
  }
}

interface KnownFailure {
  reason: Reason;
  /** In git's messages. */
  pattern: RegExp;
  /** @param line git's, that matched */
  message(line: string, dir: string): string;
  hint(line: string, dir: string): string;
}

/** What git writes without translation (LC_ALL=C), from git 2.25 to 2.51. The first that matches a line counts. */
const knownFailures: readonly KnownFailure[] = [
  {
    reason: "refused",
    pattern: /detected dubious ownership|unsafe repository \(/,
    message: (line, dir) => `git refuses to read ${findQuoted(line) ?? dir}: it belongs to another user.`,
    hint: (line, dir) =>
      `If you trust what is in it, run \`git config --global --add safe.directory ${toShellWord(findQuoted(line) ?? dir)}\`.`,
  },
  {
    reason: "refused",
    pattern: /safe\.bareRepository/,
    message: (line) => `git refuses to read a bare repository: ${line}.`,
    hint: () => "Work in one of its worktrees, or run `git config --global safe.bareRepository all`.",
  },
  {
    reason: "locked",
    pattern: /Unable to create '.*\.lock': File exists|could not lock config file/,
    message: (line) => `Another git process holds a lock: ${line}.`,
    hint: () =>
      "Try again when that process has ended. If none is running, delete the lock file and try again.",
  },
  {
    reason: "unreadable",
    pattern: /Permission denied/,
    message: (line) => `git may not read its own files: ${line}.`,
    hint: (_, dir) => `Make ${join(findTop(dir), ".git")} and all in it readable for your user.`,
  },
  {
    reason: "too_new",
    pattern: /Expected git repo version|unknown repository extension|unknown ref storage format/,
    message: (line) => `The repository needs a newer git: ${line}.`,
    hint: () => "Update git.",
  },
  {
    reason: "not_installed",
    pattern: /^(?:xcrun: error|xcode-select: )|Xcode license/,
    message: (line) => `git cannot run: ${line}.`,
    hint: () => "Run `xcode-select --install`.",
  },
  {
    reason: "damaged",
    pattern: /bad (?:\w+ )?config |invalid config file/,
    message: (line) => `git cannot read its configuration: ${line}.`,
    hint: () => "Fix that line.",
  },
  {
    reason: "damaged",
    pattern: /index file (?:corrupt|smaller|open failed)|\bbad (?:signature 0x|index (?:version|file))/,
    message: (line) => `git's index is damaged: ${line}.`,
    hint: () => "Move .git/index away and run `git reset`: files stay as they are.",
  },
  {
    reason: "damaged",
    pattern: /^not a git repository: |invalid gitfile format|no path in gitfile/,
    message: (line, dir) => `${join(findTop(dir), ".git")} names no git repository: ${line}.`,
    hint: () => "For a worktree, run `git worktree repair` in its main checkout; otherwise clone it again.",
  },
  {
    reason: "damaged",
    pattern:
      /is corrupt\b|object file \S+ is empty|inflate: |unable to unpack|unable to read tree|Could not read [0-9a-f]{40}|[Ff]ailed to traverse parents|bad (?:tree )?object HEAD|bad tree object|unable to read sha1 file|(?:packfile|file) \S+\.(?:pack|idx) .*(?:match|truncated|too (?:short|small)|corrupt|mapped|signature)|missing (?:blob|tree|commit) object|hash mismatch|garbage at end of/,
    message: (line, dir) => `The git repository in ${findTop(dir)} is damaged: ${line}.`,
    hint: () =>
      "`git fsck --full` lists what is broken. A clone of it that is whole has what is missing: clone it again, or fetch from there.",
  },
];

const isUnborn =
  /(?:bad revision|no such ref:|[Nn]ot a valid object name:?|ambiguous argument|invalid reference:) '?\^?HEAD\b|does not have any commits/;

/** @param stderr of git with exit code `code`, in the C locale */
export function parseFailure(dir: string, code: number, stderr: string): GitFailure {
  const lines = stderr
    .split("\n")
    .filter((line) => !/^(?:warning|hint): /.test(line))
    .map((line) => line.replace(/^(?:fatal|error): /, "").replace(/\.$/, ""));
  const [first = ""] = lines;
  const warned = stderr.split("\n", 1)[0]!.replace(/^warning: /, "");
  if (lines.some((line) => line.startsWith("not a git repository (or any")))
    return makeNoRepositoryError(dir);
  for (const { reason, pattern, message, hint } of knownFailures) {
    const line = lines.find((line) => pattern.test(line));
    if (line === undefined || (reason === "damaged" && isPartialClone(dir))) continue;
    return new GitFailure(reason, message(line, dir), hint(line, dir));
  }
  if (lines.some((line) => isUnborn.test(line))) return makeNoCommitsError(dir);
  return new GitFailure("failed", first || warned || `git ended with code ${code}`, "", code);
}

export const makeNotInstalledError = () =>
  new GitFailure("not_installed", "git is not installed.", "Install git, and put it on the PATH.");

/** git says "not a repository" of one that it cannot read, too. */
function makeNoRepositoryError(dir: string): GitFailure {
  const top = findUpwards(dir, ".git");
  if (top === null) {
    return new GitFailure(
      "no_repository",
      `${dir} is not a git repository.`,
      "This needs git's history: `git init` creates a repository.",
    );
  }
  const place = join(top, ".git");
  const gitDir = findGitDirectory(dir) ?? place;
  const closed = [place, gitDir, join(gitDir, "HEAD"), join(resolveCommonDirectory(gitDir), "objects")].find(
    (path) => existsSync(path) && !isReadable(path),
  );
  if (closed !== undefined) {
    return new GitFailure(
      "unreadable",
      `git may not read ${closed}: permission denied.`,
      `Make ${place} and all in it readable for your user.`,
    );
  }
  return new GitFailure(
    "damaged",
    `${place} is no git repository any more: its HEAD, objects or refs are missing or invalid.`,
    "Restore it from a backup, or clone it again and copy your files over.",
  );
}

/** A branch whose file was lost (a power cut leaves it empty) looks to git as if it had no commits. */
function makeNoCommitsError(dir: string): GitFailure {
  const gitDir = findGitDirectory(dir);
  const branch = gitDir === null ? null : /^ref: (.+)$/.exec(readGitFile(join(gitDir, "HEAD")) ?? "")?.[1];
  const file = gitDir && branch ? join(resolveCommonDirectory(gitDir), branch) : null;
  const text = file === null ? null : readGitFile(file);
  if (file !== null && text !== null && !/^(?:[0-9a-f]{40,64}|ref: .+)$/.test(text)) {
    return new GitFailure(
      "damaged",
      `The git repository in ${findTop(dir)} is damaged: ${file} names no commit.`,
      `The last line of ${join(gitDir!, "logs/HEAD")} has the branch's commit as its second word: write it into that file.`,
    );
  }
  return new GitFailure("no_commits", "No commits yet.", "Try again after the first commit.");
}

/** Objects that a partial clone has not fetched are no damage. */
function isPartialClone(dir: string): boolean {
  const gitDir = findGitDirectory(dir);
  const config = gitDir === null ? null : readGitFile(join(resolveCommonDirectory(gitDir), "config"));
  return config !== null && /^\s*(?:promisor|partialclone)\b/im.test(config);
}

const findTop = (dir: string) => findUpwards(dir, ".git") ?? dir;
const findQuoted = (line: string) => /'(.+?)'/.exec(line)?.[1] ?? null;
const toShellWord = (text: string) => (/^[\w./:@%+-]+$/.test(text) ? text : quoteForShell(text));

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
