import { shortenText } from "../../base/text/text-size.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { isChangedSince, listMergesSince } from "../../store/memory/commits/commits.ts";
import {
  isCommittedAfter,
  type LedTo,
  readCommitsOfSessions,
} from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { listSessions, listSessionsAfter } from "../../store/memory/sessions/sessions.ts";
import { listFilesOfSession, listTurns } from "../../store/memory/sessions/turns.ts";
import { isCheck } from "../commands/checks.ts";
import { findTask, writesWhatFound } from "../commands/tasks.ts";
import { isUsageError } from "../commands/usage-errors.ts";
import { EndingReader, isOfClient } from "../summaries/ending/closing.ts";
import { plainApostrophes } from "../summaries/ending/closing-words.ts";
import { asks, proposedPlan, untickedItem } from "../summaries/ending/open-points.ts";
import { extractContentWords, measureOverlap } from "../summaries/prose.ts";
import { readStoredTurns } from "../turn-content.ts";

const maxCount = { checks: 4, laterSessions: 12 } as const;
/** Characters of a prompt or command line that is quoted. */
const maxQuoted = 160;
/** A later commit or prompt that has so much of what was open has done it, or taken it up. */
const minCovered = { share: 0.5, words: 2 } as const;

/** The last run of each check, the latest first: what state tests, types and lint were left in. */
export function listLastChecks(latestFirst: readonly CommandRecord[]): string[] {
  const found = new Map<string, string>();
  for (const { form, line, directory, outcome, turn } of latestFirst) {
    if (outcome === "unknown" || !isCheck(line)) continue;
    const key = `${directory}\0${form}`;
    if (!found.has(key)) found.set(key, `\`${shortenText(line, maxQuoted)}\` ${outcome} (turn ${turn})`);
  }
  return [...found.values()].slice(0, maxCount.checks);
}

interface Left {
  /** Open by the agent's last words. */
  said: readonly string[];
  /** What they say came of it. */
  outcome: string;
  /** That the session led to, the latest first. */
  commits: readonly LedTo[];
  /** The last turn with a prompt. */
  last: TurnRecord | undefined;
  until: number | null;
}

/**
 * What a session left open, in whole sentences: its agent's last words, a check that failed when it last ran, a prompt
 * that was not answered to the end. Without what commits and sessions after it did.
 */
export function listLeftOpen(memory: Memory, session: SessionRecord, left: Left): string[] {
  const { said, commits, last, outcome, until } = left;
  if (last === undefined) return [];
  const asksToCommit = aboutCommitting.test(last.prompt);
  const isCommitted = commits.some(
    ({ committedAt, turns }) =>
      committedAt >= (last.startedAt ?? 0) || turns.includes(last.number) || asksToCommit,
  );
  const end = session.lastAt ?? 0;
  const closing = said.length === 0 ? "" : readClosing(memory, session.id, last.number);
  const isPublished = commits.some(
    ({ subject, committedAt }) => committedAt >= end && isMerged.test(subject),
  );
  const isMergedLater = said.some((text) => aboutPublishing.test(text))
    ? makeMergedFilter(memory, session, closing, until)
    : () => false;
  const isCommittedLater = isCommittedAfter(commits, end - writesOnMs);
  const isStored = (text: string) =>
    aboutPublishing.test(text)
      ? isPublished || isMergedLater(text) || (isCommittedLater && aboutCommitting.test(text))
      : isCommitted && aboutCommitting.test(text);
  const isAnswered = (text: string) =>
    // What was committed after the last line holds what the list was of.
    (isCommittedLater && untickedItem.pattern.test(text)) || isStored(text);
  const plan = said.find((text) => proposedPlan.pattern.test(text));
  // A plan is often carried out where it is not recorded as such: what followed on the branch leaves it unknown.
  const isTakenUp =
    (plan !== undefined && listLaterSessions(memory, session, until).length > 0) ||
    ((plan !== undefined || (last.state !== null && last.state !== "completed")) &&
      isPlanTakenUp(memory, session, `${plan ?? ""} ${last.prompt}`, until));
  const isLeft = isFollowed(memory, session, until);
  // Whoever worked on the branch later had the work stored, or dropped, whether or not a commit is known to hold it.
  const isStoredLater = said.some((text) => isAboutStoring(text)) && isBranchFollowed(memory, session, until);
  const after =
    said.length === 0 ? () => false : makeDoneFilter(memory, session, { commits, closing, until });
  // Whoever began something else left the question behind.
  const isPassed = said.some(asks) && listSessionsAfter(memory, session, { until }).length > 0;
  // Whether a change did what was left in a file, nothing says.
  const isFileChanged = (text: string) =>
    isChangedSince(memory, listNamedFiles(text), end + writesOnMs, until);
  const points = said.filter(
    (text) =>
      !isFileChanged(text) &&
      !(isPassed && asks(text)) &&
      !(isStoredLater && isAboutStoring(text)) &&
      !isAnswered(text) &&
      !(proposedPlan.pattern.test(text) ? isTakenUp : after(text)),
  );
  return [
    ...points.map(asSentence),
    // A client ends the turn of a plan as if it were interrupted.
    ...(plan !== undefined || isTakenUp ? [] : describeUnanswered(last, { isCommitted, isLeft })),
    ...listFailing(memory, session, { last, outcome, until }),
  ];
}

/** The project's files that a sentence names. */
const listNamedFiles = (text: string): string[] =>
  Array.from(text.matchAll(/(?<![\w/.])(?:[\w@-]+\/)+[\w.@-]+\.[a-z]\w{0,5}\b/gi), ([path]) => path);

/** Whether somebody worked on after a session. */
const isFollowed = (memory: Memory, { id, lastAt }: SessionRecord, until: number | null): boolean =>
  lastAt !== null &&
  listSessions(memory, { since: lastAt + maxRunMs, until, limit: 2 }).some((one) => one.id !== id);

/** What is merged on a forge is looked up there. */
const isAboutStoring = (text: string): boolean => aboutCommitting.test(text) || aboutPushing.test(text);
const aboutPushing = /\b(?:push|pushed|unpushed|commits? ahead|ahead of)\b/i;

/** Whether a later session worked on the same branch, or anybody committed what the session wrote. */
function isBranchFollowed(memory: Memory, session: SessionRecord, until: number | null): boolean {
  if (listLaterSessions(memory, session, until).length > 0) return true;
  const written = listFilesOfSession(memory, session.id).filter(({ how }) => how !== "read");
  return isChangedSince(
    memory,
    written.map(({ path }) => path),
    (session.lastAt ?? 0) - writesOnMs,
    until,
  );
}

/** What runs is over by then. */
const maxRunMs = 60 * 60_000;

/** A client that carries out a plan in a session of its own begins that with these words. */
const carriesOutPlan = /^\s*implement the following plan\b/i;
const maxPlanWaitMs = 60 * 60_000;

/** A plan has so much of what it was made for. */
const minPlanned = 0.3;

function isPlanTakenUp(
  memory: Memory,
  { id, lastAt }: SessionRecord,
  asked: string,
  until: number | null,
): boolean {
  if (lastAt === null) return false;
  const wanted = extractContentWords(asked.slice(0, 1000));
  const title = /"(.+)"/.exec(asked)?.[1];
  return listSessions(memory, { since: lastAt, until, limit: maxCount.laterSessions * 4 }).some(
    (one) =>
      one.id !== id &&
      Math.abs((one.startedAt ?? 0) - lastAt) <= maxPlanWaitMs &&
      listTurns(memory, one.id, { limit: 3 }).some(
        ({ prompt }) =>
          carriesOutPlan.test(prompt) &&
          ((title !== undefined && prompt.includes(title)) ||
            wanted.size < minCovered.words ||
            measureOverlap(wanted, extractContentWords(prompt)) >= minPlanned),
      ),
  );
}

const asSentence = (text: string) => (/[.?!…。！？]$/.test(text) ? text : `${text}.`);
const aboutCommitting = /\b(?:commit|committed|uncommitted|unstaged)\b/i;
const aboutPublishing = /\b(?:push|pushed|pull request|PR|merged?|mergeable|ready for review|ahead of)\b/;
/** A commit that a forge made of a merged pull request. */
const isMerged = /\(#\d+\)$|^Merge pull request #\d+/;
/** A client writes a session's last lines while git makes the commit that they tell of; git counts whole seconds. */
const writesOnMs = 60_000;

/** Whether what a sentence leaves to be merged was: the pull request that it names, else one, or a branch, of the last words. */
function makeMergedFilter(
  memory: Memory,
  { branch, lastAt }: SessionRecord,
  closing: string,
  until: number | null,
): (text: string) => boolean {
  const merges = lastAt === null ? [] : listMergesSince(memory, lastAt, until);
  return (text) => {
    const named = listRequestNumbers(text);
    const numbers = named.size > 0 ? named : listRequestNumbers(closing);
    return merges.some((subject) => {
      const [, squashed, merged, of = ""] = mergeSubject.exec(subject) ?? [];
      const isOfBranch = named.size === 0 && of !== "" && (of === branch || closing.includes(of));
      return isOfBranch || numbers.has(squashed ?? merged ?? "");
    });
  };
}

const mergeSubject = /\(#(\d+)\)$|^Merge pull request #(\d+) from [^/\s]+\/(\S+)/;
const listRequestNumbers = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/(?:#|\/pull\/)(\d+)\b/g), ([, number = ""]) => number));

const unfinishedEnds = {
  interrupted: "The last turn was interrupted",
  error: "The last turn ended with an error",
  unfinished: "The last turn has no recorded end",
} as const;

function describeUnanswered(
  { state, prompt, number }: TurnRecord,
  { isCommitted, isLeft }: { isCommitted: boolean; isLeft: boolean },
): string[] {
  // Whoever worked on knows why it stopped, and may have done it elsewhere.
  if (state === null || state === "completed" || isCommitted || isLeft) return [];
  if (isOfClient.test(prompt)) return [];
  const quoted = shortenText(prompt.replace(/\s+/g, " ").trim(), maxQuoted);
  return [`${unfinishedEnds[state]} (turn ${number}): "${quoted}".`];
}

/** An agent that says so at the end has seen it in another way. */
const saysAllPass =
  /\b(?:tests?|checks?|lint\w*|build|types?|typecheck|suite|everything|all)\b[^.!?\n]{0,60}\b(?:pass|passes|passed|passing|clean|green|succeed\w*|succeeded|fine)\b|\bpass(?:es|ed|ing)? (?:all )?`?(?:\w+ ){0,3}(?:tests?|checks?|lint\w*|build|types?|typecheck|suite)\b|\bno (?:lint )?(?:errors|issues|failures)\b/i;

/**
 * Checks that failed in the last turn, where no check of the same kind worked after it, here or in a later session, and the
 * agent does not say that all is well.
 */
function listFailing(
  memory: Memory,
  { id }: SessionRecord,
  { last, outcome, until }: { last: TurnRecord; outcome: string; until: number | null },
): string[] {
  // Who changes nothing leaves nothing failing: they looked, or could not run it.
  if (!listFilesOfSession(memory, id).some(({ how }) => how !== "read")) return [];
  const latest = new Map<string, CommandRecord>();
  for (const run of listCommands(memory, { sessionId: id, turn: last.number, until })) {
    const kind = classifyCommand(run.line);
    if (!latest.has(kind) && run.outcome !== "unknown" && isCheck(run.line)) latest.set(kind, run);
  }
  const failed = [...latest.values()].filter(
    (run) => run.outcome === "failed" && !isUsageError(run.error ?? ""),
  );
  if (
    failed.length === 0 ||
    saysAllPass.test(outcome) ||
    saysAllPass.test(readClosing(memory, id, last.number))
  )
    return [];
  return failed
    .filter(
      (run) =>
        !listCommands(memory, { names: [run.name], outcome: "worked", until, limit: 50 }).some(
          ({ at, form, line }) =>
            (at ?? 0) >= (run.at ?? 0) && (form === run.form || writesWhatFound(line, run.line)),
        ),
    )
    .map(({ line, turn }) => `\`${shortenText(line, maxQuoted)}\` failed when it last ran (turn ${turn}).`);
}

function readClosing(memory: Memory, sessionId: number, turn: number): string {
  const ending = new EndingReader();
  for (const one of readStoredTurns(memory, sessionId, { first: turn, last: turn })) ending.read(one);
  return plainApostrophes(ending.get().texts.join("\n"));
}

/** Tests are tests, of one or of all. */
const classifyCommand = (line: string): string => (findTask(line) ?? line).replace(/ one$| all$/, "");

/** Whether what came after a session did, or took up, what a sentence says. */
function makeDoneFilter(
  memory: Memory,
  session: SessionRecord,
  { commits, closing, until }: Pick<Left, "commits" | "until"> & { closing: string },
): (text: string) => boolean {
  const end = session.lastAt ?? 0;
  const later = listLaterSessions(memory, session, until);
  const subjects = [
    ...commits,
    ...[
      ...readCommitsOfSessions(
        memory,
        later.map(({ uid }) => uid),
      ).values(),
    ].flat(),
  ].filter(({ committedAt }) => committedAt >= end);
  const prompts = later.flatMap(({ id }) =>
    listTurns(memory, id, { limit: 20 }).map(({ prompt }) => prompt.slice(0, 1000)),
  );
  const done = [...subjects.map(({ subject }) => subject), ...prompts].map((text) =>
    extractContentWords(text),
  );
  return (text) => {
    const command = findOfferedCommand(closing, text);
    if (command !== null && prompts.some((prompt) => prompt.trim().startsWith(command))) return true;
    const words = extractContentWords(text.replace(untickedItem.pattern, ""));
    return done.some((other) => {
      const share = measureOverlap(words, other);
      return share >= minCovered.share && share * words.size >= minCovered.words;
    });
  };
}

/** Characters after what is open in which the command stands that does it. */
const maxToCommand = 300;

/** The slash command that an agent offers for what it leaves open: "**Plan phase 44**: … `/plan-phase 44`". */
function findOfferedCommand(closing: string, text: string): string | null {
  const plain = closing.replace(/[*_]{2}/g, "");
  const at = plain.indexOf(text.slice(0, 30));
  const after = at < 0 ? "" : plain.slice(at, at + text.length + maxToCommand);
  return /`(\/[a-z][\w:-]+(?: [\w.-]+)?)`/i.exec(after)?.[1] ?? null;
}

/** Sessions that went on from a session, or followed on its branch: the first ones. */
function listLaterSessions(memory: Memory, session: SessionRecord, until: number | null): SessionRecord[] {
  const { branch } = session;
  if (branch === null) return [];
  return listSessionsAfter(memory, session, { branch, until, limit: maxCount.laterSessions * 2 }).slice(
    -maxCount.laterSessions,
  );
}
