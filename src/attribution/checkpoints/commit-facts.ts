import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure, gitTextIfAny } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import type { CommitSeen } from "../../store/memory/git-records.ts";
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

const identities = new WeakMap<GitWork, Promise<string | null>>();

/** Whether a commit was made on this machine by who works here: its author, and how it came to be known. */
export async function isMadeHere(
  work: GitWork,
  { authorEmail }: CommitInfo,
  seen: CommitSeen,
): Promise<boolean> {
  if (seen !== "hook" && seen !== "reflog") return false;
  const own = identities.get(work) ?? ownEmail(work.project.root);
  identities.set(work, own);
  const email = await own;
  return email !== null && email.toLowerCase() === authorEmail.toLowerCase();
}

/** Who would be the author of a commit made here now; null where git does not know. */
async function ownEmail(dir: string): Promise<string | null> {
  const identity = await gitTextIfAny(dir, ["var", "GIT_AUTHOR_IDENT"]);
  return /<([^<>]*)> \d+ [+-]\d+$/.exec(identity ?? "")?.[1] ?? null;
}
