import { shortenHash } from "../../base/text/short-hash.ts";
import { minAgain, pickTellingLines } from "../../base/text/telling-lines.ts";
import { shortenText } from "../../base/text/text-size.ts";
import type { KnownError } from "../../protocol/fix.ts";
import { extractLineSignatures, normalizeErrorLine } from "../../sessions/commands/commands-of-turn.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { listRecordedEdits } from "../../sessions/recorded-edits.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { findRuleInjections } from "./for-rule.ts";
import {
  type ContextItem,
  type ContextSource,
  type FailureSource,
  formatSessionPlace,
  makeSeenFilter,
  type ReplacedText,
} from "./source.ts";

/** Characters of an error that are searched for. */
const maxError = 8000;
/** Lines of it that are compared. */
const maxLines = 24;

/** After a command failed: what was done about the same error in another session, or about the same rule; usually nothing. */
export function findFailureInjections(
  source: FailureSource,
  { sessionUid, error }: { sessionUid: string; error: string },
): ContextItem[] {
  const { memory, root, worktrees, until } = source;
  const sees = makeSeenFilter(source, sessionUid);
  const { verdict, errors } = findFixes([root, ...worktrees], memory, {
    error: error.slice(-maxError),
    limit: 3,
    until,
    leaves: sees,
  });
  const known = verdict === "found" ? errors.find((one) => canFix(error, one)) : undefined;
  if (known?.fix == null) return findRuleInjections(source, { sessionUid, error });
  const { fix } = known;
  const files = [...new Set(fix.edits.map(({ path }) => path))];
  const done = [
    files.length === 0 ? "" : `edited ${files.slice(0, 3).join(", ")}`,
    fix.edits.length === 0 ? `ran ${fix.commands.slice(-2).join(", then ")}` : "",
    fix.commit === null ? "" : `commit ${shortenHash(fix.commit.hash)}`,
  ];
  return [
    {
      ref: `fix:${known.session_id}:${known.turn}:${fix.turn}`,
      kind: "Fixed before",
      quote: `${known.error.split("\n")[0] ?? ""} → ${done.filter((part) => part !== "").join("; ")}`,
      place: formatSessionPlace({
        session: fix.session_id,
        turn: fix.turn,
        at: fix.timestamp === null ? null : Date.parse(fix.timestamp),
      }),
      why: "the same error was fixed before",
      score: null,
    },
  ];
}

const fileName = /[\w-]+\.[a-z]\w{0,4}\b/gi;
const testName = /^(?:[\w.]*[tT]est\w*|--- FAIL: .*|not ok .*)$/;

/**
 * Whether what fixed an error then may fix this one: something else was run, or a file was edited that this error names as
 * well, or the error is that of the same test. A rule of a linter is broken anew each time.
 */
function canFix(error: string, { error: before, fix }: KnownError): boolean {
  const [line = ""] = before.split("\n");
  const signature = normalizeErrorLine(line);
  // Only the very same error: this is not asked for.
  if (fix === null || signature === null || !extractLineSignatures(error, maxLines).includes(signature))
    return false;
  if (!namesSamePaths(line, error)) return false;
  if (fix.edits.length === 0 || testName.test(line.trim())) return true;
  const named = new Set(error.match(fileName) ?? []);
  return fix.edits.some(({ path }) => named.has(path.slice(path.lastIndexOf("/") + 1)));
}

/** What a program did not find is another thing where it is called otherwise. */
const isAboutMissing = /no such file|cannot find|can't (?:read|open|find)|not found|ENOENT|does not exist/i;

const namesSamePaths = (before: string, error: string): boolean =>
  !isAboutMissing.test(before) ||
  (before.match(/[\w.@~-]*[\\/][\w.@~\\/-]+|[\w-]+\.[a-z]\w{0,4}\b/gi) ?? []).every((path) =>
    error.includes(path),
  );

/** Turns of other sessions that are compared, the latest. */
const maxTurns = 60;
/** Characters. */
const maxChars = { line: 80, said: 120 } as const;

/** A change that may have taken lines out. */
interface SuspectChange {
  at: number;
  removed: readonly string[];
  added: readonly string[];
  /** As a reference. */
  name: string;
  by: () => string;
  place: string;
}

/**
 * That an edit brings back what a commit or another session took out, and takes away what that had put in its place. At most
 * one; nothing for lines that the last commit still has, as they were taken out elsewhere.
 */
export async function toTellOfRevert(
  source: ContextSource,
  sessionUid: string,
  file: string,
  replaced: ReplacedText,
): Promise<ContextItem[]> {
  const gone = new Set(pickTellingLines(replaced.removed.split("\n")));
  const asked = [...new Set(pickTellingLines(replaced.added.split("\n")))].filter((line) => !gone.has(line));
  if (asked.length < minAgain.lines) return [];
  /** Lines that a later change brought back already. */
  const back = new Set<string>();
  for (const { removed, added, name, by, place } of await listFileChanges(source, sessionUid, file)) {
    const put = new Set(pickTellingLines(added));
    const out = new Set(pickTellingLines(removed));
    const lines = asked.filter((line) => out.has(line) && !put.has(line) && !back.has(line));
    const isUndone = put.size === 0 || [...put].some((line) => gone.has(line));
    if (isUndone && lines.length >= minAgain.lines && lines.length >= minAgain.share * asked.length) {
      const text = (await source.history?.committed(file)) ?? "";
      const committed = new Set(pickTellingLines(text.split("\n")));
      if (lines.some((line) => committed.has(line))) return [];
      return [
        {
          ref: `revert:${name}`,
          kind: "This edit brings back lines that were removed",
          quote: formatRemovalQuote(lines, by()),
          place,
          why: `undoes a change of ${file}`,
          score: null,
        },
      ];
    }
    for (const line of put) back.add(line);
  }
  return [];
}

/** What commits did before the session, and what other sessions did; the latest first. */
async function listFileChanges(
  source: ContextSource,
  sessionUid: string,
  file: string,
): Promise<SuspectChange[]> {
  const { memory, root, worktrees, now, until } = source;
  const before = Math.min(until ?? now, findSessionByUid(memory, sessionUid)?.startedAt ?? now);
  const commits = ((await source.history?.changes(file)) ?? []).map(
    ({ hash, subject, committedAt: at, removed, added }): SuspectChange => ({
      at,
      removed,
      added,
      name: hash,
      place: formatSessionPlace({ session: null, at }),
      by: () => `commit ${shortenHash(hash)} "${subject}"`,
    }),
  );
  const edits = listRecordedEdits(memory, [root, ...worktrees], file, {
    maxTurns,
    leaves: makeSeenFilter(source, sessionUid),
  }).map(
    ({ sessionUid: session, turn, at, removed, added }): SuspectChange => ({
      at: at ?? 0,
      removed,
      added,
      name: `${session}:${turn}`,
      place: formatSessionPlace({ session, turn, at }),
      by: () => `an agent that was asked "${findLastPrompt(source, session, turn)}"`,
    }),
  );
  // The latest first; of one moment, what came last.
  return [
    ...commits.filter(({ at }) => at < before),
    ...edits.reverse().filter(({ at }) => at <= (until ?? now)),
  ].sort((a, b) => b.at - a.at);
}

function formatRemovalQuote([first = "", ...more]: readonly string[], by: string): string {
  return `${shortenText(first, maxChars.line)}${more.length === 0 ? "" : ` and ${more.length} more`}; removed by ${shortenText(by, maxChars.said)}`;
}

/** "9" and "yes" are about what was asked before. */
const severalWords = /\p{L}\S*\s+\S*\p{L}/u;

export function findLastPrompt({ memory }: ContextSource, uid: string, number: number): string {
  const session = findSessionByUid(memory, uid);
  const prompt =
    session === null
      ? undefined
      : listTurns(memory, session.id, { first: 0, last: number }).findLast(({ prompt }) =>
          severalWords.test(prompt),
        )?.prompt;
  return (prompt ?? "").replace(/\s+/g, " ").trim();
}
