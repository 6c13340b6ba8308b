import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileEdit, ToolResult } from "../../agents/agent.ts";
import { splitShellCommands, splitShellWords } from "../../base/text/shell-words.ts";
import { pickTellingLines } from "../../base/text/telling-lines.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { classifyToolUse, pickChangedLines, readStoredTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { type PastRun, rememberedMs } from "./find-commands.ts";
import { hashLine, listRelativePaths, readCommands } from "./match.ts";
import { findLooks, type Look } from "./read-looks.ts";

/** What a session did to files, in order, without any text: a line is its hash. */

export interface EditEvent {
  session: SessionRecord;
  turn: number;
  seq: number;
  at: number;
  what:
    | { kind: "edit"; path: string; added: number[]; removed: number[]; isWhole: boolean; isTrial: boolean }
    /** Git put back what was committed last: in these files; null: in all. */
    | { kind: "restore"; paths: string[] | null }
    | { kind: "commit" }
    /** A command failed. */
    | { kind: "failure" }
    /** A command named a relative path in a directory: whether it was there. */
    | { kind: "path"; directory: string; first: string; isThere: boolean }
    /** A command looked at something. */
    | { kind: "look"; directory: string; look: Look };
}

/** Older sessions were about other code. */
const maxSessions = 400;
/** Printed to look at something, or a plan: it is meant to go again. */
const trial =
  /\b(?:console\.\w+|print(?:f|ln)?|fmt\.Print\w*|log\.(?:Print\w*|Debug\w*)|dbg!|t\.Logf?|var_dump|System\.out|eprintln!|println!|debugger|DEBUG|TODO|FIXME|XXX)\b/;

/** What a session did, and the time of its last line: what it did before does not change. */
interface SessionEdits {
  lastAt: number | null;
  events: EditEvent[];
}

/** By session; held while the memory is open. */
const editsByMemory = new WeakMap<Memory, Map<number, SessionEdits>>();
/** Calls that only look are most of what agents do. Held of all sessions. */
const maxLooks = 20_000;

/**
 * What this person's own sessions did to files lately, the earliest first.
 * @param roots of the project and its worktrees
 * @param now milliseconds since the epoch
 */
export async function readFileEvents(
  memory: Memory,
  roots: readonly string[],
  now = Date.now(),
): Promise<EditEvent[]> {
  const held = editsByMemory.get(memory) ?? new Map<number, SessionEdits>();
  const sessions = listSessions(memory, {
    shared: false,
    remembered: true,
    since: now - rememberedMs,
    limit: maxSessions,
  });
  const read = new Map<number, SessionEdits>();
  for (const session of sessions) {
    const before = held.get(session.id);
    if (before !== undefined && before.lastAt === session.lastAt) {
      read.set(session.id, before);
      continue;
    }
    // It takes seconds for all, and others ask meanwhile.
    await nextTurn();
    read.set(session.id, { lastAt: session.lastAt, events: readSession(memory, session, roots) });
  }
  forgetOldLooks([...read.values()]);
  editsByMemory.set(memory, read);
  return [...read.values()].flatMap(({ events }) => events).sort((a, b) => a.at - b.at || a.seq - b.seq);
}

/**
 * Forgets what the oldest sessions looked at, whether it worked or failed: of a call that failed, both must be known, or neither.
 * @param sessions the latest first
 */
export function forgetOldLooks(sessions: readonly Pick<SessionEdits, "events">[], max = maxLooks): void {
  let looks = 0;
  for (const session of sessions) {
    looks += session.events.filter(({ what }) => what.kind === "look").length;
    if (looks > max) session.events = session.events.filter(({ what }) => what.kind !== "look");
  }
}

/** What commands that only look did not take, and what they took. */
export const pickLooks = (events: readonly EditEvent[]): PastRun[] =>
  events.flatMap(({ session, turn, seq, at, what }, step): PastRun[] =>
    what.kind !== "look"
      ? []
      : [
          {
            sessionId: session.id,
            sessionUid: session.uid,
            turn,
            seq,
            step,
            at,
            directory: what.directory,
            name: what.look.name,
            line: what.look.line,
            outcome: what.look.wrong === null ? "worked" : "failed",
            status: what.look.wrong === null ? 0 : null,
            error: what.look.wrong?.error ?? null,
            wrong: what.look.wrong,
          },
        ],
  );

function readSession(memory: Memory, session: SessionRecord, roots: readonly string[]): EditEvent[] {
  const [root = "", ...worktrees] = roots;
  const relativize = createRelativizer({ root, worktrees, cwd: session.cwd });
  const events: EditEvent[] = [];
  const looksThatWorked = new Set<string>();
  for (const turn of readStoredTurns(memory, session.id)) {
    if (turn.abandoned) continue;
    const lines = new Map<string, { line: string; directory: string }>();
    for (const { seq, at, entries, cwd = session.cwd } of turn.lines) {
      const add = (what: EditEvent["what"]) =>
        events.push({ session, turn: turn.number, seq, at: at ?? turn.record.startedAt ?? 0, what });
      for (const entry of entries) {
        if (entry.kind === "tool_use" && classifyToolUse(entry) === "command")
          lines.set(entry.id, {
            line: String(entry.input.command ?? ""),
            directory: relativize(`${cwd}/_`).replace(/\/?_$/, ""),
          });
        if (entry.kind !== "tool_result") continue;
        const command = lines.get(entry.id);
        if (command !== undefined) {
          if (entry.isError) add({ kind: "failure" });
          else for (const what of readGitCommands(command.line)) add(what);
          for (const what of readPaths(command, entry)) add(what);
          if (!neverRan.test(entry.text))
            for (const look of findLooks(command.line, entry)) {
              const key = `${command.directory}\n${look.line}`;
              // Once is enough to know that it works.
              if (look.wrong === null && looksThatWorked.has(key)) continue;
              if (look.wrong === null) looksThatWorked.add(key);
              add({ kind: "look", directory: command.directory, look });
            }
        }
        if (entry.isError) continue;
        for (const edit of entry.edits ?? []) {
          const what = describeEdit(edit, relativize(edit.path));
          if (what.added.length + what.removed.length > 0 || what.isWhole) add(what);
        }
      }
    }
  }
  return events;
}

function describeEdit(edit: FileEdit, path: string): EditEvent["what"] & { kind: "edit" } {
  const changed = pickChangedLines(edit);
  const added = pickTellingLines(changed.added);
  const trials = added.filter((line) => trial.test(line)).length;
  return {
    kind: "edit",
    path,
    added: added.map(hashLine),
    removed: pickTellingLines(changed.removed).map(hashLine),
    isWhole: edit.content !== null && edit.hunks.length === 0,
    isTrial: trials * 2 > added.length,
  };
}

/** How programs say that a path is not there. */
export const missesPath =
  /no such file or directory|cannot access|can't read|could not open directory|did not match any file|directory not found|unknown revision or path not in the working tree/i;
/** The user declined it, or the client refused it. */
const neverRan = /^\s*(?:The user doesn't want to|\[Request interrupted|<tool_use_error>|Permission to use)/;

function readPaths(
  { line, directory }: { line: string; directory: string },
  { text, isError }: ToolResult,
): EditEvent["what"][] {
  if (neverRan.test(text) || line.includes("2>/dev/null")) return [];
  const missing = text.split("\n").filter((one) => missesPath.test(one));
  return listRelativePaths(readCommands(line)).flatMap(({ path, first }): EditEvent["what"][] => {
    if (missing.some((one) => one.includes(path.replace(/\/$/, ""))))
      return [{ kind: "path", directory, first, isThere: false }];
    // Of what failed for another reason, and what comes after it, nothing is known.
    return isError || missing.length > 0 ? [] : [{ kind: "path", directory, first, isThere: true }];
  });
}

/** What a command line that worked did by git to what is not committed. */
function readGitCommands(line: string): EditEvent["what"][] {
  if (!line.includes("git")) return [];
  return splitShellCommands(line).flatMap((command): EditEvent["what"][] => {
    const words = splitShellWords(command);
    if (words[0] !== "git") return [];
    const args = words[1] === "-C" ? words.slice(3) : words.slice(1);
    const [subcommand, ...rest] = args;
    if (subcommand === "commit") return [{ kind: "commit" }];
    if (subcommand === "reset") return rest.includes("--hard") ? [{ kind: "restore", paths: null }] : [];
    const isStaged = rest.some((arg) => arg === "--staged" || arg === "-S") && !rest.includes("--worktree");
    if ((subcommand !== "checkout" && subcommand !== "restore") || isStaged) return [];
    const dashes = rest.indexOf("--");
    const paths = (dashes >= 0 ? rest.slice(dashes + 1) : rest).filter((arg) => !arg.startsWith("-"));
    if (paths.includes(".")) return [{ kind: "restore", paths: null }];
    // A word alone may be a branch.
    const isOfFiles = dashes >= 0 || subcommand === "restore" || paths.every((path) => /\.\w+$/.test(path));
    return isOfFiles && paths.length > 0 ? [{ kind: "restore", paths }] : [];
  });
}
