import { readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { instructionFiles } from "../../agents/instruction-files.ts";
import { formatCount } from "../../base/text/counted.ts";
import { dayMs } from "../../base/text/day.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { pickTellingLines } from "../../base/text/telling-lines.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { normalizeErrorLine } from "../../sessions/commands/commands-of-turn.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { listRecordedEdits } from "../../sessions/recorded-edits.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn } from "../../store/memory/sessions/turns.ts";
import { findLastPrompt } from "./for-failure.ts";
import { describeSmallChange } from "./for-rule.ts";
import {
  type ContextItem,
  type ContextSource,
  formatSessionPlace,
  makeSeenFilter,
  type ReplacedText,
} from "./source.ts";

/** What happened to a file that is edited: what others just did to it, and how what failed in it was fixed. */

/** Somebody who changed a file so lately may be at it still. Milliseconds. */
const justNowMs = 3_600_000;
/** Turns of other sessions that are looked through. */
const maxTurns = 12;
/** Characters. */
const maxQuoteChars = { prompt: 100, error: 160 } as const;

/**
 * That another session changed the file within the hour, and since this one began: what was there before, the agent has read as it is.
 * At most one.
 */
export function findRecentChange(source: ContextSource, sessionUid: string, file: string): ContextItem[] {
  const { memory, root, worktrees, now, until } = source;
  const at = until ?? now;
  const began = findSessionByUid(memory, sessionUid)?.startedAt ?? null;
  if (began === null) return [];
  const since = Math.max(began, at - justNowMs);
  const edits = listRecordedEdits(memory, [root, ...worktrees], file, {
    maxTurns,
    leaves: makeSeenFilter(source, sessionUid),
  });
  const last = edits.findLast((edit) => edit.at !== null && edit.at <= at && edit.at >= since);
  return last === undefined ? [] : [changeToTell(source, last, file, at)];
}

/** Turns in which the file was changed that are searched for who wrote a line, the latest. */
const maxTurnsOfLines = 30;

/** The turn of another session that wrote lines which an edit takes out; null: none, or the session itself wrote them since. */
export function findOriginOfLines(
  source: ContextSource,
  sessionUid: string,
  file: string,
  { removed, added }: ReplacedText,
): { sessionUid: string; turn: number } | null {
  const { memory, root, worktrees, now, until } = source;
  const kept = new Set(pickTellingLines(added.split("\n")));
  const out = new Set(pickTellingLines(removed.split("\n")).filter((line) => !kept.has(line)));
  if (out.size === 0) return null;
  const at = until ?? now;
  const wrote = listRecordedEdits(memory, [root, ...worktrees], file, { maxTurns: maxTurnsOfLines }).findLast(
    (edit) => edit.at !== null && edit.at < at && pickTellingLines(edit.added).some((line) => out.has(line)),
  );
  return wrote === undefined || makeSeenFilter(source, sessionUid)(wrote.sessionUid) ? null : wrote;
}

/** "Another agent changed this file 20 minutes ago", asked what; with the size of what it did. */
function changeToTell(
  source: ContextSource,
  { sessionUid, author, turn, at, added, removed }: ReturnType<typeof listRecordedEdits>[number],
  file: string,
  now: number,
): ContextItem {
  const asked = shortenText(findLastPrompt(source, sessionUid, turn), maxQuoteChars.prompt);
  const others = countOtherFiles(source.memory, sessionUid, turn, file);
  return {
    // Once for all files of the turn.
    ref: `change:${sessionUid}:${turn}`,
    kind: `Another session changed this file ${formatRelativeTime(at ?? now, now)}`,
    quote: `${basename(file)} +${added.length} -${removed.length}${others === 0 ? "" : ` and ${formatCount(others, "other file")}`}${asked === "" ? "" : `, asked: ${asked}`}`,
    place: formatSessionPlace({ session: sessionUid, turn, author, at }),
    why: "another session changed it since this one began",
    score: null,
    session: sessionUid,
  };
}

function countOtherFiles(memory: Memory, uid: string, turn: number, file: string): number {
  const session = findSessionByUid(memory, uid);
  const files = session === null ? [] : (findTurn(memory, session.id, turn)?.files ?? []);
  return new Set(files.flatMap(({ path, how }) => (how === "read" || path === file ? [] : path))).size;
}

/** How far back a failure in the file is of interest. Milliseconds. */
const failedWithinMs = 60 * dayMs;
/** Sessions that met the same error in a file. */
const fewestSessions = 2;
/** Failed commands that are looked through, the latest. */
const maxFailures = 300;

/** How the latest error that named the file was fixed, where another session fixed it in this file; at most one. */
export function lastFixIn(source: ContextSource, sessionUid: string, file: string): ContextItem[] {
  const { memory, root, worktrees, now, until } = source;
  const sees = makeSeenFilter(source, sessionUid);
  const since = (until ?? now) - failedWithinMs;
  const name = basename(file);
  const failed = listCommands(memory, { outcome: "failed", until, limit: maxFailures }).filter(
    (run) => (run.at ?? 0) >= since && !sees(run.sessionUid) && lineNaming(run, name) !== null,
  );
  const metBy = new Map<string, Set<string>>();
  for (const run of failed) {
    const signature = normalizeErrorLine(lineNaming(run, name)!);
    if (signature !== null) metBy.set(signature, (metBy.get(signature) ?? new Set()).add(run.sessionUid));
  }
  // What one session met and mended is over; what several met will be met again.
  const again = failed.filter((run) => {
    const signature = normalizeErrorLine(lineNaming(run, name)!);
    return signature !== null && (metBy.get(signature)?.size ?? 0) >= fewestSessions;
  });
  for (const run of again.slice(0, 3)) {
    const line = lineNaming(run, name)!;
    const { verdict, errors } = findFixes([root, ...worktrees], memory, {
      error: line,
      limit: 1,
      until,
      leaves: sees,
    });
    const fix = verdict === "found" ? errors[0]?.fix : null;
    // That it was fixed helps nobody who is not told how.
    const change = fix == null ? null : describeSmallChange(fix, file);
    if (fix == null || change === null) continue;
    return [fixToTell(line, fix, { file, change })];
  }
  return [];
}

/** The line of an error that names a file, as compilers and tests do: `a.ts:12`, `a.ts(12,`. */
function lineNaming({ error }: CommandRecord, name: string): string | null {
  const lines = (error ?? "").split("\n");
  return lines.find((line) => line.includes(`${name}:`) || line.includes(`${name}(`)) ?? null;
}

function fixToTell(
  line: string,
  fix: NonNullable<ReturnType<typeof findFixes>["errors"][number]["fix"]>,
  { file, change }: { file: string; change: string },
): ContextItem {
  const commit = fix.commit === null ? "" : `, commit ${shortenHash(fix.commit.hash)}`;
  return {
    ref: `fix:${fix.session_id}:${fix.turn}:${file}`,
    kind: "Failed here before",
    quote: `${shortenText(line.trim(), maxQuoteChars.error)} → ${change}${commit}`,
    place: formatSessionPlace({
      session: fix.session_id,
      turn: fix.turn,
      at: fix.timestamp === null ? null : Date.parse(fix.timestamp),
    }),
    why: "an error here was fixed before",
    score: null,
    session: fix.session_id,
  };
}

/** Files in which people say how a project is checked. */
const filesAboutChecks = [...instructionFiles, ".cursorrules", "CONTRIBUTING.md"];
/** Texts are checked by nobody's command. */
const texts = new Set([".md", ".mdx", ".txt", ".rst", ".adoc"]);
/** Of the words of a command those that name it. */
const namingWords = 2;

/** Programs that check the code of one language: a session that edits several runs them for the others' sake. */
const checkedBy: readonly [program: RegExp, files: RegExp][] = [
  [/^(?:cargo|rustc|rustfmt)\b/, /\.(?:rs|toml)$/],
  [/^(?:go|gofmt|golangci-lint|staticcheck)\b/, /\.(?:go|mod)$/],
  [/^(?:dart|flutter)\b/, /\.(?:dart|yaml)$/],
  [/^(?:pytest|ruff|mypy|black|python3?|uv|tox)\b/, /\.(?:py|pyi|toml)$/],
  [
    /^(?:tsc|eslint|jest|vitest|prettier|biome|vite|npm|npx|pnpm|yarn|bun|bunx|node|deno)\b/,
    /\.(?:[cm]?[jt]sx?|json|vue|svelte|astro|css)$/,
  ],
  [/^(?:mvn|gradle|\.\/gradlew)\b/, /\.(?:java|kt|kts|xml|gradle)$/],
];

/** Whether a command checks other code than this file's. */
export const checksOtherCode = (file: string, form: string): boolean =>
  checkedBy.some(([program, files]) => program.test(form) && !files.test(file));

/** Whether a command need not be told of after an edit: the file is a text, or the agent has read of the command. */
export function needsNoCheck(root: string, file: string, form: string): boolean {
  if (texts.has(extname(file))) return true;
  const named = form.split(/\s+/).slice(0, namingWords).join(" ");
  return filesAboutChecks.some((path) => {
    try {
      return readFileSync(join(root, path), "utf8").includes(named);
    } catch {
      return false;
    }
  });
}
