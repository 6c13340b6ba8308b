import { beginningOf } from "../../base/text/text-size.ts";
import { isCheck } from "../../sessions/chunks/units/tool-results.ts";
import { contentWords, coverage } from "../../sessions/summaries/prose.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { commitsOfSessions, type LedTo } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";

const maxCount = { checks: 4, laterSessions: 12 } as const;
/** Characters of a prompt or command line that is quoted. */
const maxQuoted = 160;
/** A later commit or prompt that has so much of what was open has done it, or taken it up. */
const minCovered = { share: 0.5, words: 2 } as const;

/** The last run of each check, the latest first: what state tests, types and lint were left in. */
export function lastChecks(latestFirst: readonly CommandRecord[]): string[] {
  const found = new Map<string, string>();
  for (const { form, line, directory, outcome, turn } of latestFirst) {
    if (outcome === "unknown" || !isCheck(line)) continue;
    const key = `${directory}\0${form}`;
    if (!found.has(key)) found.set(key, `\`${beginningOf(line, maxQuoted)}\` ${outcome} (turn ${turn})`);
  }
  return [...found.values()].slice(0, maxCount.checks);
}

interface Left {
  /** Open by the agent's last words. */
  said: readonly string[];
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
export function leftOpen(memory: Memory, session: SessionRecord, left: Left): string[] {
  const { said, commits, last, until } = left;
  if (last === undefined) return [];
  const after = said.length === 0 ? () => false : doneAfter(memory, session, commits, until);
  const isCommitted = commits.some(
    ({ committedAt, turns }) => committedAt >= (last.startedAt ?? 0) || turns.includes(last.number),
  );
  const points = said.filter((text) => !(isCommitted && aboutCommitting.test(text)) && !after(text));
  return [...points, ...unanswered(last, isCommitted), ...failing(memory, session, last, until)];
}

const aboutCommitting = /\b(?:commit|committed|uncommitted|unstaged|push|pull request|pr)\b/i;

const unfinishedEnds = {
  interrupted: "The last turn was interrupted",
  error: "The last turn ended with an error",
  unfinished: "The last turn has no recorded end",
} as const;

function unanswered({ state, prompt, number }: TurnRecord, isCommitted: boolean): string[] {
  if (state === null || state === "completed" || isCommitted) return [];
  const quoted = beginningOf(prompt.replace(/\s+/g, " ").trim(), maxQuoted);
  return [`${unfinishedEnds[state]} (turn ${number}): "${quoted}".`];
}

/** Checks that failed when they last ran, at the end of the session, and did not work in a later one. */
function failing(memory: Memory, { id }: SessionRecord, last: TurnRecord, until: number | null): string[] {
  const latest = new Map<string, CommandRecord>();
  for (const run of listCommands(memory, { sessionId: id, turn: last.number, until })) {
    const key = `${run.directory}\0${run.name}`;
    if (!latest.has(key) && run.outcome !== "unknown" && isCheck(run.line)) latest.set(key, run);
  }
  return [...latest.values()]
    .filter(({ outcome }) => outcome === "failed")
    .filter(
      (run) =>
        !listCommands(memory, { names: [run.name], outcome: "worked", until, limit: 50 }).some(
          ({ at, form }) => form === run.form && (at ?? 0) > (run.at ?? 0),
        ),
    )
    .map(({ line, turn }) => `\`${beginningOf(line, maxQuoted)}\` failed when it last ran (turn ${turn}).`);
}

/** Whether what came after a session did, or took up, what a sentence says. */
function doneAfter(
  memory: Memory,
  session: SessionRecord,
  commits: readonly LedTo[],
  until: number | null,
): (text: string) => boolean {
  const end = session.lastAt ?? 0;
  const later = laterSessions(memory, session, until);
  const subjects = [
    ...commits,
    ...[
      ...commitsOfSessions(
        memory,
        later.map(({ uid }) => uid),
      ).values(),
    ].flat(),
  ].filter(({ committedAt }) => committedAt >= end);
  const prompts = later.flatMap(({ id }) =>
    turnsOf(memory, id, { limit: 20 }).map(({ prompt }) => prompt.slice(0, 1000)),
  );
  const done = [...subjects.map(({ subject }) => subject), ...prompts].map((text) => contentWords(text));
  return (text) => {
    const words = contentWords(text);
    return done.some((other) => {
      const share = coverage(words, other);
      return share >= minCovered.share && share * words.size >= minCovered.words;
    });
  };
}

/** Sessions that went on from a session, or followed on its branch. */
function laterSessions(memory: Memory, session: SessionRecord, until: number | null): SessionRecord[] {
  const { id, branch, lastAt } = session;
  if (branch === null || lastAt === null) return [];
  return listSessions(memory, { branch, since: lastAt, until, limit: maxCount.laterSessions * 2 })
    .filter((one) => one.id !== id && (one.startedAt ?? 0) >= lastAt)
    .slice(-maxCount.laterSessions);
}
