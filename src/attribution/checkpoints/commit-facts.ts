import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure, gitTextIfAny } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import type { CommitSeen } from "../../store/memory/memory-records.ts";
import type { GitWork } from "./work.ts";

/** Subjects are cut here. Characters. */
const maxSubjectLength = 300;

/**
 * A commit as git has it; null where it does not.
 * @param hash whole
 * @throws GitFailure `not_installed`; the signal's reason
 */
export async function commitInfo(
  dir: string,
  hash: string,
  signal?: AbortSignal,
): Promise<CommitInfo | null> {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(hash)) return null;
  try {
    for await (const info of readCommits(dir, ["--no-walk", hash], { limit: 1, signal })) {
      if (info.hash === hash) return info;
    }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
  }
  return null;
}

/** The first paragraph of a message in one line, as git shows it; "" where there is none. */
export function subjectOf(message: string): string {
  const [paragraph = ""] = message.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, " ").trim();
  return line.length <= maxSubjectLength ? line : `${line.slice(0, maxSubjectLength - 1)}…`;
}

const identities = new WeakMap<GitWork, Promise<ReadonlySet<string>>>();

/** Whether a commit was made on this machine by who works here: its author, and how it came to be known. */
export async function isMadeHere(
  work: GitWork,
  { authorEmail }: CommitInfo,
  seen: CommitSeen,
): Promise<boolean> {
  if (seen !== "hook" && seen !== "reflog") return false;
  const own = identities.get(work) ?? ownEmails(work);
  identities.set(work, own);
  return (await own).has(authorEmail.toLowerCase());
}

/** Moves of HEAD that are looked at, the latest first. */
const maxMoves = 1000;

/**
 * Who works here: the author of a commit made now, and whoever moved HEAD. Environment variables may name an identity
 * (direnv, dev containers) that this process does not see; git notes it in the reflog.
 */
async function ownEmails({ project, roots }: GitWork): Promise<ReadonlySet<string>> {
  const author = await gitTextIfAny(project.root, ["var", "GIT_AUTHOR_IDENT"]);
  const emails = [/<([^<>]*)> \d+ [+-]\d+$/.exec(author ?? "")?.[1]];
  for (const root of roots) {
    const args = ["log", "--walk-reflogs", "--no-show-signature", "--no-color", `--max-count=${maxMoves}`];
    const moves = await gitTextIfAny(root, [...args, "--format=%ge", "HEAD", "--"]);
    emails.push(...(moves ?? "").split("\n"));
  }
  return new Set(emails.flatMap((email) => email?.toLowerCase() || []));
}
