import { afterAll, afterEach } from "vitest";
import type { FileEdit } from "../../src/agents/agent.ts";
import { AttributionEvidence } from "../../src/attribution/evidence/evidence.ts";
import type { LineHere } from "../../src/attribution/evidence/makers.ts";
import { TurnActivity } from "../../src/attribution/evidence/turn-activity.ts";
import type { ShellRun, Write } from "../../src/attribution/evidence/writes.ts";
import type { CurrentLine } from "../../src/attribution/lines/align.ts";
import type { FileToAttribute } from "../../src/attribution/lines/file-lines.ts";
import { choosePlainLineReader, computeLineKey, toBareLine } from "../../src/attribution/lines/line-keys.ts";
import type { AuthorVerdict, ChangeToAttribute } from "../../src/attribution/lines/verdict.ts";
import type { ChangedFile, ChangedHunk } from "../../src/git/diff/changes-types.ts";
import { turnToStore } from "../../src/sessions/ingest/turns.ts";
import type { StoredLine } from "../../src/sessions/turn-content.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { findSessionByUid } from "../../src/store/memory/sessions/sessions.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, temporaryMemory, turn } from "./memory-fixture.ts";

/** For tests: what agents did, and what changed, in few words. */

/** A tool call with its answer, as a transcript holds them. Times are milliseconds since the epoch. */
export interface Act {
  tool: string;
  input: Record<string, unknown>;
  at: number;
  /** When the answer came; `at` where it is left out; null: it never did. */
  answeredAt?: number | null;
  says?: string;
  isError?: boolean;
  edits?: FileEdit[] | null;
  /** Instead of a call. */
  reply?: string;
}

export const replied = (reply: string, at: number): Act => ({ tool: "", input: {}, at, reply });

/** The file as a whole. */
export const wrote = (path: string, content: string, at: number): Act => ({
  tool: "Write",
  input: { file_path: path, content },
  at,
  edits: [{ path, content, hunks: [] }],
});

/** Lines as in a unified diff: "+new", "-old", " as it was". */
export const edited = (path: string, lines: string[], at: number): Act => ({
  tool: "Edit",
  input: { file_path: path, old_string: "", new_string: "" },
  at,
  edits: [{ path, content: null, hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 0, lines }] }],
});

export const ran = (command: string, at: number, answeredAt = at, says = ""): Act => ({
  tool: "Bash",
  input: { command },
  at,
  answeredAt,
  says,
});

/** The lines of a transcript for acts; their calls are named `<prefix>1`, `<prefix>2`... */
export function linesOfActs(acts: readonly Act[], prefix = "call"): StoredLine[] {
  return acts.flatMap((act, i) => {
    const { tool, input, at, answeredAt = at, says = "", isError = false, edits = null, reply } = act;
    if (reply !== undefined) {
      const said: StoredLine = { uid: null, seq: 2 * i, at, entries: [{ kind: "text", text: reply }] };
      return [{ ...said, model: "big-model" }];
    }
    const id = `${prefix}${i + 1}`;
    const call: StoredLine = {
      uid: null,
      seq: 2 * i,
      at,
      model: "big-model",
      entries: [{ kind: "tool_use", id, tool, input, files: [] }],
    };
    if (answeredAt === null) return [call];
    const answer: StoredLine["entries"][number] = {
      kind: "tool_result",
      id,
      text: says,
      isError,
      edits,
      subagent: null,
    };
    return [call, { uid: null, seq: 2 * i + 1, at: answeredAt, entries: [answer] }];
  });
}

/**
 * Remembers a turn of a session in which all this was done; its calls are named `<session>:<number>:1`...
 * @param lines more of them
 */
export function rememberTurn(
  memory: Memory,
  session: string,
  acts: readonly Act[],
  { number = 1, cwd = "/repo", lines = [] }: { number?: number; cwd?: string; lines?: StoredLine[] } = {},
): void {
  const known = findSessionByUid(memory, session) ?? addSession(memory, session, { cwd });
  const times = [
    ...acts.flatMap(({ at, answeredAt }) => [at, answeredAt ?? at]),
    ...lines.flatMap(({ at }) => at ?? []),
  ];
  const paths = acts.flatMap(({ input, edits }) => [
    ...(edits ?? []).map(({ path }) => path),
    ...(typeof input.file_path === "string" ? [input.file_path] : []),
  ]);
  const done = {
    number,
    branch: "main",
    abandoned: false,
    lines: [...linesOfActs(acts, `${session}:${number}:`), ...lines],
  };
  const within = (path: string) => (path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
  const { tools, actions } = turnToStore(done, within);
  saveTurn(
    memory,
    known.id,
    turn(number, {
      startedAt: Math.min(...times),
      endedAt: Math.max(...times),
      tools,
      actions,
      files: [...new Set(paths.map(within))].map((path) => ({ path, how: "edit" as const })),
      content: packContent(done.lines),
    }),
  );
}

/** One memory for the tests of a file, which is emptied after each. */
export function memoryOfFile(): Memory {
  const { memory, remove } = temporaryMemory();
  afterEach(() => forgetAll(memory));
  afterAll(remove);
  return memory;
}

/** No activity and no observations. */
export function forgetAll(memory: Memory): void {
  for (const table of ["turn_actions", "turn_files", "turns", "sessions", "observations"])
    memory.prepare(`DELETE FROM ${table}`).run();
}

/** Lines as somebody wrote them: "+new", " as it was"; a line without a sign, and without an indent, is new. */
export function stretchOf(lines: readonly string[], path = "a.ts") {
  return lines.flatMap((line) => {
    const bare = toBareLine(choosePlainLineReader(path)(/^[+ ]/.test(line) ? line.slice(1) : line));
    return bare.key === 0 ? [] : [{ ...bare, isNew: !line.startsWith(" ") }];
  });
}

export type WriteDetails = Partial<Write> & { removed?: string[] };

/** What one call wrote, as `stretchOf` takes it, and which lines it took out. */
export function write(lines: readonly string[], { removed, ...more }: WriteDetails = {}): Write {
  return {
    sessionUid: "s",
    turn: 1,
    toolUse: "call1",
    model: null,
    startedAt: more.at ?? 1000,
    at: 1000,
    path: "a.ts",
    how: "edit",
    hunks: [{ lines: stretchOf(lines), removed: (removed ?? []).map(toBareLine) }],
    ...more,
  };
}

export const run = (command: string, more: Partial<ShellRun> = {}): ShellRun => ({
  sessionUid: "s",
  turn: 1,
  toolUse: "run1",
  model: null,
  startedAt: 1000,
  endedAt: 2000,
  command,
  mayWrite: true,
  isBackground: false,
  isSilent: false,
  commits: [],
  ...more,
});

/** Lines of a file: "+added" ones came with the change, " others" were there. */
export function linesOfFile(lines: readonly string[]): CurrentLine[] {
  return lines.flatMap((text, i) => {
    const bare = toBareLine(text.slice(1));
    return bare.key === 0 ? [] : [{ ...bare, line: i + 1, isAdded: text.startsWith("+") }];
  });
}

/** A changed file from its whole diff: "+added", "-removed", " as it was". */
export function fileOfDiff(diff: readonly string[], more: Partial<ChangedFile> = {}): FileToAttribute {
  const hunks: ChangedHunk[] = [];
  const [at, now] = [{ old: 1, new: 1 }, [] as string[]];
  let hunk: ChangedHunk | null = null;
  for (const line of diff) {
    if (line.startsWith(" ")) {
      hunk = null;
      at.old++;
      at.new++;
      now.push(line);
      continue;
    }
    if (hunk === null) {
      hunk = { oldStart: at.old, newStart: at.new, removed: [], added: [] };
      hunks.push(hunk);
    }
    if (line.startsWith("-")) {
      hunk.removed.push(line.slice(1));
      at.old++;
    } else {
      hunk.added.push(line.slice(1));
      at.new++;
      now.push(line);
    }
  }
  const removed = hunks.map(({ oldStart, removed: gone }) =>
    gone.flatMap((text, i) =>
      computeLineKey(text) === 0 ? [] : [{ ...toBareLine(text), line: oldStart + i }],
    ),
  );
  const change: ChangedFile = { path: "a.ts", oldPath: null, status: "M", isText: true, hunks, ...more };
  return { change, lines: linesOfFile(now), removed, printed: new Set(), cells: [] };
}

export const change = (more: Partial<ChangeToAttribute> = {}): ChangeToAttribute => ({
  hash: "1a2b3c4d".repeat(5),
  authoredAt: 100_000,
  committedAt: 100_000,
  subject: "Add values",
  branch: null,
  parent: "0".repeat(40),
  predecessors: [],
  isOwn: true,
  files: [],
  ...more,
});

export const minute = 60_000;
/** When the change that is judged was made, and the one before. */
export const madeAt = 1000 * minute;
export const parentAt = madeAt - 60 * minute;

/** What is known of who wrote a change that was made at `madeAt`. */
export function evidenceOfChange(
  memory: Memory,
  more: Partial<ChangeToAttribute> = {},
  before: number | null = parentAt,
): AttributionEvidence {
  const activity = new TurnActivity(memory, { root: "/repo", worktrees: [] });
  const of = change({ authoredAt: madeAt, committedAt: madeAt, ...more });
  return new AttributionEvidence(memory, activity, of, before);
}

/** A line that somebody asks about. */
export const lineIn = (path: string, bare = "word(one,two)", isNewFile = false): LineHere => ({
  path,
  bare,
  key: computeLineKey(bare),
  isNewFile,
  isAnew: isNewFile,
  spelledBy: new Set<string>(),
  unbroken: null,
});

/** When the agent of `running` begins. */
export const runAt = madeAt - 10 * minute;

/** The agent of a session runs a command for ten seconds. */
export const running = (memory: Memory, command: string, from = runAt): void =>
  rememberTurn(memory, "s", [ran(command, from, from + 10_000)]);

/** By the first call of that session's first turn. */
export const bySession = (act: Partial<AuthorVerdict> = {}) => ({
  sessionUid: "s",
  turn: 1,
  toolUse: "s:1:1",
  model: "big-model",
  ...act,
});
