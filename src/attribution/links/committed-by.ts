import { clockMs } from "../evidence/period.ts";
import type { ShellRun } from "../evidence/writes.ts";
import type { ChangeToAttribute } from "../lines/types.ts";

/**
 * What shows that a command made a commit. hash: git printed it. message: it ran then, and its text or git's answer has the
 * commit's subject. time: it ran then and gave no message, as `git commit --amend --no-edit` and a quiet merge do.
 */
type CommitProof = "hash" | "message" | "time";

/** A command that made a commit, or the one that a rebase made it from. */
export interface CommittingRun {
  run: ShellRun;
  proof: CommitProof;
}

/** Commands that make commits; a rebase or a pull makes those of others again. */
const makesCommits = /\bgit\b[^|;&\n]*\b(?:commit|cherry-pick|merge|revert|am)\b/;
/** Those that say what the message is. */
const givesMessage = /\bgit\b[^|;&\n]*\bcommit\b[^|;&\n]*\s(?:-[a-zA-Z]*m|--message)\b/;

/**
 * The commands that made a commit: it appeared while they ran, and git printed its hash, or its message is theirs, or, as
 * the weakest, no other session committed then, on another branch than it is on neither.
 * @param branchOf of a turn, if known
 */
export function committedBy(
  { hash, authoredAt, committedAt, subject, branch }: ChangeToAttribute,
  runs: readonly ShellRun[],
  branchOf: (turn: Pick<ShellRun, "sessionUid" | "turn">) => string | null,
): readonly CommittingRun[] {
  if (hash === null) return [];
  const during = (at: number) =>
    runs.filter(
      ({ startedAt, endedAt, command }) =>
        startedAt - clockMs <= at && at <= endedAt + clockMs && makesCommits.test(command),
    );
  const printed = during(committedAt).filter(({ commits }) =>
    commits.some((each) => hash.startsWith(each.hash)),
  );
  if (printed.length > 0) return printed.map((run) => ({ run, proof: "hash" }));
  // A rebase kept the time of the one that it was made from.
  const silent = during(authoredAt).filter(({ commits }) => commits.length <= 1);
  const own = silent.filter((run) => hasMessage(run, subject));
  if (own.length > 0) return ofOneSession(own).map((run) => ({ run, proof: "message" }));
  const isOnBranch = (run: ShellRun) => {
    const known = branchOf(run);
    return branch === null || known === null || known === "HEAD" || known === branch;
  };
  const quiet = silent.filter(
    (run) => !run.isSilent && run.commits.length === 0 && !givesMessage.test(run.command) && isOnBranch(run),
  );
  return ofOneSession(silent).length === 0 ? [] : ofOneSession(quiet).map((run) => ({ run, proof: "time" }));
}

/** Whether a command gave a commit its message, or git printed it. */
const hasMessage = ({ command, commits }: ShellRun, subject: string): boolean =>
  [command, ...commits.map((each) => each.subject)].some((text) => saysSubject(text, subject));

/** Whether a text holds a commit's subject, however it is quoted there. */
export function saysSubject(text: string, subject: string): boolean {
  const wanted = wordsOf(subject);
  return wanted.trim() !== "" && wordsOf(text).includes(wanted);
}

/** A text's words, without what a shell wants escaped. */
const wordsOf = (text: string): string => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""} `;

/** Evidence that is all of one session; none where several have some. */
export const ofOneSession = <Of extends { sessionUid: string }>(all: readonly Of[]): readonly Of[] =>
  new Set(all.map(({ sessionUid }) => sessionUid)).size === 1 ? all : [];
