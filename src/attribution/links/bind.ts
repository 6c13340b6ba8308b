import { certain } from "../../protocol/reading/evidence.ts";
import { countCommitsByAuthor } from "../../store/memory/commits/checkpoints.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord, Binding } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { AttributionEvidence } from "../evidence/evidence.ts";
import { clockMs, type WritingPeriod } from "../evidence/period.ts";
import type { Delegation, ShellRun, Write } from "../evidence/writes.ts";
import { alignLines } from "../lines/align.ts";
import type { FileToAttribute } from "../lines/file-lines.ts";
import { type AuthorVerdict, type ChangeToAttribute, isMovedLine } from "../lines/verdict.ts";

/**
 * What shows that a command made a commit. hash: git printed it. message: it ran then, and its text or git's answer has the
 * commit's subject. time: it ran then and gave no message, as `git commit --amend --no-edit` and a quiet merge do.
 */
type CommitProof = "hash" | "message" | "time";

/** A command that made a commit, or the one that a rebase made it from. */
interface CommittingRun {
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
function findCommittingRuns(
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
  if (own.length > 0) return keepIfOneSession(own).map((run) => ({ run, proof: "message" }));
  const isOnBranch = (run: ShellRun) => {
    const known = branchOf(run);
    return branch === null || known === null || known === "HEAD" || known === branch;
  };
  const quiet = silent.filter(
    (run) => !run.isSilent && run.commits.length === 0 && !givesMessage.test(run.command) && isOnBranch(run),
  );
  return keepIfOneSession(silent).length === 0
    ? []
    : keepIfOneSession(quiet).map((run) => ({ run, proof: "time" }));
}

/** Whether a command gave a commit its message, or git printed it. */
const hasMessage = ({ command, commits }: ShellRun, subject: string): boolean =>
  [command, ...commits.map((each) => each.subject)].some((text) => hasSubject(text, subject));

/** Whether a text holds a commit's subject, however it is quoted there. */
function hasSubject(text: string, subject: string): boolean {
  const wanted = normalizeWords(subject);
  return wanted.trim() !== "" && normalizeWords(text).includes(wanted);
}

/** A text's words, without what a shell wants escaped. */
const normalizeWords = (text: string): string => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? ""} `;

/** Evidence that is all of one session; none where several have some. */
const keepIfOneSession = <Of extends { sessionUid: string }>(all: readonly Of[]): readonly Of[] =>
  new Set(all.map(({ sessionUid }) => sessionUid)).size === 1 ? all : [];

/** What is in a person's home directory works for that person. */
const homeDirectory = /^(?:[A-Za-z]:)?[\\/](?:Users|home)[\\/][^\\/]+[\\/]/;
/** Fewer commits show nobody's habits. */
const minHabitCommits = 5;
/** People commit what others wrote now and then: their share is smaller. */
const smallShare = 0.1;

/**
 * Whether a commit's author is somebody else than whom a session worked for, as far as the commits show that sessions in
 * the same home directory certainly led to: a memory may hold sessions of several people.
 */
export function isOfAnother(memory: Memory, sessionUid: string, author: string): boolean {
  const home = homeDirectory.exec(findSessionByUid(memory, sessionUid)?.cwd ?? "")?.[0];
  if (home === undefined) return false;
  const commits = countCommitsByAuthor(memory, home, certain);
  const all = [...commits.values()].reduce((sum, count) => sum + count, 0);
  return all >= minHabitCommits && (commits.get(author) ?? 0) < all * smallShare;
}

/** How much of a commit is a session's. A line weighs as much as it says: a bracket nearly nothing. */
export interface WeightOfSession {
  /** Of the lines that it wrote at their place. */
  written: number;
  /**
   * Of those that nobody had written there before, wherever the session wrote them: into a plan, or a task for another agent,
   * too.
   */
  first: number;
}

/** Adds to the weights, by session, those of a file's lines. */
export function weigh(
  { lines }: FileToAttribute,
  verdicts: ReadonlyMap<number, AuthorVerdict>,
  weights: Map<string, WeightOfSession>,
): void {
  const there = new Set(lines.flatMap(({ isAdded, key }) => (isAdded ? [] : [key])));
  for (const [i, verdict] of verdicts) {
    const { sessionUid, basis } = verdict;
    if (sessionUid === null || isMovedLine(verdict)) continue;
    const { key, weight } = lines[i]!;
    const of = weights.get(sessionUid) ?? { written: 0, first: 0 };
    weights.set(sessionUid, of);
    if (basis !== "elsewhere" && basis !== "replied") of.written += weight;
    if (!there.has(key)) of.first += weight;
  }
}

interface Enough {
  weight: number;
  share: number;
  largeShare: number;
}

/**
 * A session takes part in a commit if its lines weigh this much and are some share of the total weight, or are a large
 * share. A session that wrote nothing to the commit's files since the parent commit needs more: equal lines are more often
 * a coincidence than left over.
 */
const sessionThresholds = {
  fresh: { weight: 1.5, share: 0.01, largeShare: 0.25 },
  stale: { weight: 3, share: 0.08, largeShare: 0.4 },
} as const satisfies Record<string, Enough>;
/** Of a session that ran the command that made a commit, by what shows that. */
const certaintyOf = { hash: 1, message: 0.95, time: 0.6 } as const;
/**
 * A commit without lines of anybody is bound by its removed lines: a stretch of such support, if those that a session took
 * out are this share of all.
 */
const enoughRemoved = { support: 1, share: 0.1 } as const;

type SessionTurn = Pick<Write, "sessionUid" | "turn">;

interface SessionShare {
  turns: Set<number>;
  lines: number;
  how: Binding["how"];
  confidence: number;
}

interface BindingEvidence {
  attributionEvidence: Pick<AttributionEvidence, "runs" | "delegations" | "recentlyTouched" | "branchOf"> & {
    period: Pick<WritingPeriod, "freshSince">;
  };
  writes: readonly Write[];
  files: readonly FileToAttribute[];
}

/** The sessions that led to a commit. */
export function findBindings(
  change: ChangeToAttribute,
  ranges: readonly AttributionRecord[],
  weighed: ReadonlyMap<string, WeightOfSession>,
  { attributionEvidence, writes, files }: BindingEvidence,
): Binding[] {
  const parts = new Map<string, SessionShare>();
  const getSessionPart = (uid: string): SessionShare => {
    const known = parts.get(uid);
    if (known) return known;
    const part: SessionShare = { turns: new Set(), lines: 0, how: "lines", confidence: 0 };
    parts.set(uid, part);
    return part;
  };
  for (const range of ranges) {
    const { sessionUid, turn, firstLine, lastLine } = range;
    if (sessionUid === null || turn === null || isMovedLine(range)) continue;
    const part = getSessionPart(sessionUid);
    part.lines += lastLine - firstLine + 1;
    part.turns.add(turn);
  }
  const all = files.reduce(
    (sum, { lines }) => sum + lines.reduce((own, { isAdded, weight }) => own + (isAdded ? weight : 0), 0),
    0,
  );
  const fresh = writes.filter(({ at }) => at >= attributionEvidence.period.freshSince);
  const isFresh = new Set(fresh.map(({ sessionUid }) => sessionUid));
  const isEnough = (weight: number, by: Enough) =>
    (weight >= by.weight && weight >= all * by.share) || weight >= all * by.largeShare;
  for (const [uid, part] of parts) {
    const { written, first } = weighed.get(uid) ?? { written: 0, first: 0 };
    if (isFresh.has(uid) && isEnough(written, sessionThresholds.fresh))
      part.confidence = written >= 2 * sessionThresholds.fresh.weight ? 0.98 : 0.9;
    else if (isEnough(first, sessionThresholds.stale))
      part.confidence = first >= 2 * sessionThresholds.stale.weight ? 0.98 : 0.9;
    else parts.delete(uid);
  }
  const { runs, branchOf } = attributionEvidence;
  for (const { run, proof } of findCommittingRuns(change, runs, branchOf)) {
    const part = getSessionPart(run.sessionUid);
    if (part.lines === 0) part.how = "command";
    part.confidence = Math.max(part.confidence, certaintyOf[proof]);
    part.turns.add(run.turn);
  }
  // Without evidence from its lines, weaker evidence, strongest first.
  const addBindings = (turns: readonly SessionTurn[], how: Binding["how"], confidence: number) => {
    for (const { sessionUid, turn } of turns) {
      const part = getSessionPart(sessionUid);
      part.how = how;
      part.confidence = confidence;
      part.turns.add(turn);
    }
  };
  if (parts.size === 0) addBindings(findRemovingWrites(files, fresh), "removed", 0.85);
  if (parts.size === 0)
    addBindings(findDelegations(change, attributionEvidence.delegations), "command", 0.75);
  if (parts.size === 0) addBindings(keepIfOneSession(attributionEvidence.recentlyTouched()), "touched", 0.6);
  return [...parts]
    .map(([sessionUid, { turns, lines, how, confidence }]) => ({
      sessionUid,
      turns: [...turns].sort((a, b) => a - b),
      lines,
      how,
      confidence,
    }))
    .sort(
      (a, b) => b.lines - a.lines || b.confidence - a.confidence || a.sessionUid.localeCompare(b.sessionUid),
    );
}

/** An agent that waits longer for another one is not waiting for this commit. Milliseconds. */
const maxWait = 30 * 60_000;

/**
 * The agents that had others work for them when the commit was made, and that asked for it or were told of it; none where
 * that is more than one session.
 */
function findDelegations(
  { hash, authoredAt, subject }: ChangeToAttribute,
  delegations: readonly Delegation[],
): readonly Delegation[] {
  const during = delegations.filter(
    ({ startedAt, endedAt, text }) =>
      hash !== null &&
      startedAt <= authoredAt + clockMs &&
      authoredAt <= endedAt &&
      endedAt - startedAt <= maxWait &&
      (hasCommitHash(text, hash) || hasSubject(text, subject)),
  );
  return keepIfOneSession(during);
}

/** Whether a text has the beginning of a hash, as git abbreviates it. */
const hasCommitHash = (text: string, hash: string): boolean =>
  [...text.matchAll(/\b[0-9a-f]{7,64}\b/g)].some(([word]) => hash.startsWith(word));

/**
 * The last write to each file that took out the same lines as a commit: of sessions that took out a part of all that it
 * did.
 */
function findRemovingWrites(files: readonly FileToAttribute[], writes: readonly Write[]): Write[] {
  const weights = new Map<string, number>();
  let all = 0;
  const last = files.flatMap(({ change, removed }) => {
    const gone = removed.flat().map((line) => ({ ...line, isAdded: true }));
    all += gone.reduce((sum, { weight }) => sum + weight, 0);
    const own = writes.filter(({ path }) => path === change.path || path === change.oldPath);
    const stretches = own.flatMap((write) =>
      write.hunks.map((hunk) => ({
        of: write,
        lines: hunk.removed.map((line) => ({ ...line, isNew: true })),
      })),
    );
    const fits = new Set<Write>();
    for (const [i, matches] of alignLines(gone, stretches)) {
      const by = matches.filter(({ support }) => support >= enoughRemoved.support).map(({ of }) => of);
      for (const write of by) fits.add(write);
      for (const uid of new Set(by.map(({ sessionUid }) => sessionUid)))
        weights.set(uid, (weights.get(uid) ?? 0) + gone[i]!.weight);
    }
    return own.filter((write) => fits.has(write)).slice(-1);
  });
  return last.filter(({ sessionUid }) => weights.get(sessionUid)! >= all * enoughRemoved.share);
}
