import { shortenText } from "../../base/text/text-size.ts";
import { isCheck } from "../../sessions/chunks/units/tool-results.ts";
import { findTask } from "../../sessions/commands/tasks.ts";
import { isUsageError } from "../../sessions/commands/usage-errors.ts";
import { isOfClient } from "../../sessions/summaries/ending/closing.ts";
import { extractContentWords, measureOverlap } from "../../sessions/summaries/prose.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { type LedTo, readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";

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
  const after = said.length === 0 ? () => false : makeDoneFilter(memory, session, commits, until);
  const asksToCommit = aboutCommitting.test(last.prompt);
  const isCommitted = commits.some(
    ({ committedAt, turns }) =>
      committedAt >= (last.startedAt ?? 0) || turns.includes(last.number) || asksToCommit,
  );
  const end = session.lastAt ?? 0;
  const isPublished = commits.some(
    ({ subject, committedAt }) => committedAt >= end && isMerged.test(subject),
  );
  const isCommittedLater = commits.some(({ committedAt }) => committedAt >= end);
  const isAnswered = (text: string) =>
    aboutPublishing.test(text)
      ? isPublished || (isCommittedLater && aboutCommitting.test(text))
      : isCommitted && aboutCommitting.test(text);
  const points = said.filter((text) => !isAnswered(text) && !after(text));
  return [
    ...points.map(asSentence),
    ...describeUnanswered(last, isCommitted),
    ...listFailing(memory, session, { last, outcome, until }),
  ];
}

const asSentence = (text: string) => (/[.?!…]$/.test(text) ? text : `${text}.`);
const aboutCommitting = /\b(?:commit|committed|uncommitted|unstaged)\b/i;
const aboutPublishing = /\b(?:push|pushed|pull request|PR|merge|ready for review)\b/;
/** A commit that a forge made of a merged pull request. */
const isMerged = /\(#\d+\)$|^Merge pull request #\d+/;

const unfinishedEnds = {
  interrupted: "The last turn was interrupted",
  error: "The last turn ended with an error",
  unfinished: "The last turn has no recorded end",
} as const;

function describeUnanswered({ state, prompt, number }: TurnRecord, isCommitted: boolean): string[] {
  if (state === null || state === "completed" || isCommitted) return [];
  if (isOfClient.test(prompt)) return [];
  const quoted = shortenText(prompt.replace(/\s+/g, " ").trim(), maxQuoted);
  return [`${unfinishedEnds[state]} (turn ${number}): "${quoted}".`];
}

/** An agent that says so at the end has seen it in another way. */
const saysAllPass =
  /\b(?:tests?|checks?|lint\w*|build|types?|typecheck|suite|everything|all)\b[^.!?\n]{0,60}\b(?:pass|passes|passed|passing|clean|green|succeed\w*|succeeded|fine)\b|\bno (?:lint )?(?:errors|issues|failures)\b/i;

/**
 * Checks that failed in the last turn, where no check of the same kind worked after it, here or in a later session, and the
 * agent does not say that all is well.
 */
function listFailing(
  memory: Memory,
  { id }: SessionRecord,
  { last, outcome, until }: { last: TurnRecord; outcome: string; until: number | null },
): string[] {
  if (saysAllPass.test(outcome)) return [];
  const latest = new Map<string, CommandRecord>();
  for (const run of listCommands(memory, { sessionId: id, turn: last.number, until })) {
    const kind = classifyCommand(run.line);
    if (!latest.has(kind) && run.outcome !== "unknown" && isCheck(run.line)) latest.set(kind, run);
  }
  return [...latest.values()]
    .filter((run) => run.outcome === "failed" && !isUsageError(run.error ?? ""))
    .filter(
      (run) =>
        !listCommands(memory, { names: [run.name], outcome: "worked", until, limit: 50 }).some(
          ({ at, form }) => form === run.form && (at ?? 0) > (run.at ?? 0),
        ),
    )
    .map(({ line, turn }) => `\`${shortenText(line, maxQuoted)}\` failed when it last ran (turn ${turn}).`);
}

/** Tests are tests, of one or of all. */
const classifyCommand = (line: string): string => (findTask(line) ?? line).replace(/ one$| all$/, "");

/** Whether what came after a session did, or took up, what a sentence says. */
function makeDoneFilter(
  memory: Memory,
  session: SessionRecord,
  commits: readonly LedTo[],
  until: number | null,
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
    const words = extractContentWords(text);
    return done.some((other) => {
      const share = measureOverlap(words, other);
      return share >= minCovered.share && share * words.size >= minCovered.words;
    });
  };
}

/** Sessions that went on from a session, or followed on its branch. */
function listLaterSessions(memory: Memory, session: SessionRecord, until: number | null): SessionRecord[] {
  const { id, branch, lastAt } = session;
  if (branch === null || lastAt === null) return [];
  return listSessions(memory, { branch, since: lastAt, until, limit: maxCount.laterSessions * 2 })
    .filter((one) => one.id !== id && (one.startedAt ?? 0) >= lastAt)
    .slice(-maxCount.laterSessions);
}
