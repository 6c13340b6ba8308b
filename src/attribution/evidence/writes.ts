import type { ToolUse } from "../../agents/agent.ts";
import { listCodeBlocks } from "../../base/text/markdown/code-blocks.ts";
import type { ToolAction } from "../../protocol/values.ts";
import { classifyToolUse, type StoredLine } from "../../sessions/turn-content.ts";
import {
  canWriteFiles,
  type PrintedCommit,
  parsePatches,
  parsePrintedCommits,
  parseShellWrites,
  unwrapCommand,
  withoutHeredocs,
} from "../commands/shell.ts";
import {
  type BareLine,
  choosePlainLineReader,
  isNotebook,
  parseWholeCell,
  plainLines,
  toBareLine,
} from "../lines/line-keys.ts";
import { parseEditsOfInput } from "./input-edits.ts";
import { type OpaqueCall, onlyReads, readOpaqueInput } from "./opaque-calls.ts";
import { type CallEnd, endOfCall } from "./period.ts";

/** A stretch of a file as a tool call left it. */
interface WrittenHunk {
  /**
   * Without its blank lines. `isBack`: it was there before, and is written again; the session had taken it out, or an equal
   * one, or wrote all around it anew.
   */
  lines: (BareLine & { isNew: boolean; isBack?: boolean })[];
  /** Lines that it took out, without blank ones. */
  removed: BareLine[];
}

/** The write of one tool call to one file. */
export interface Write {
  sessionUid: string;
  turn: number;
  /** Empty: the code of a reply. */
  toolUse: string;
  model: string | null;
  /** When it was called. Milliseconds since the epoch; 0 if unknown. */
  startedAt: number;
  /**
   * When its result was written, which is after other tools' hooks; without one, when it was over at the latest.
   * Milliseconds since the epoch; 0 if unknown.
   */
  at: number;
  /** As stored: relative to the project's root. Empty: the text of a command, or of a reply, which may be anywhere. */
  path: string;
  how: "edit" | "shell";
  hunks: WrittenHunk[];
  /** Of a text: its command. */
  command?: string;
}

/** While a command of an agent ran. */
export interface ShellRun {
  sessionUid: string;
  turn: number;
  toolUse: string;
  model: string | null;
  startedAt: number;
  /** Without a result, when it was over at the latest. */
  endedAt: number;
  command: string;
  mayWrite: boolean;
  /** Its call was answered at once, and it goes on. */
  isBackground: boolean;
  /** There is no result: it was cut off, or still runs. */
  isSilent: boolean;
  /** That it made, as git printed them. */
  commits: PrintedCommit[];
}

/** While another agent worked for this one. */
export interface Delegation {
  sessionUid: string;
  turn: number;
  startedAt: number;
  endedAt: number;
  /** What it was asked, and what it answered. */
  text: string;
}

/** A turn's changes to files. */
export interface TurnChanges {
  writes: Write[];
  runs: ShellRun[];
  delegations: Delegation[];
  /** Calls that may have written, and do not say what. */
  opaque: OpaqueCall[];
  /** Some call has no result in the turn itself. */
  isOpen: boolean;
}

interface RecordedCall {
  id: string;
  tool: string;
  action: ToolAction;
  input: Record<string, unknown>;
  at: number | null;
  model: string | null;
  /** Of its line in the turn. */
  place: number;
}

/**
 * A turn's changes to files, from its archived lines. Failed calls changed nothing; calls without an answer yet may
 * have: a client writes the answer only after all hooks.
 * @param later the lines of the session's later turns, for calls that were answered there
 */
export function extractActivity(
  turn: { sessionUid: string; number: number; lines: readonly StoredLine[] },
  relativize: (path: string) => string,
  later: Iterable<readonly StoredLine[]> = [],
): TurnChanges {
  const calls = new Map<string, RecordedCall>();
  const activity: TurnChanges = { writes: [], runs: [], delegations: [], opaque: [], isOpen: false };
  let model: string | null = null;
  for (const [place, line] of turn.lines.entries()) {
    model = line.model ?? model;
    for (const entry of line.entries) {
      if (entry.kind === "text") addReply(entry.text, line.at ?? 0);
      if (entry.kind === "tool_use") {
        calls.set(entry.id, {
          id: entry.id,
          tool: entry.tool,
          action: classifyToolUse(entry),
          input: entry.input,
          at: line.at,
          model: line.model ?? model,
          place,
        });
        for (const text of listTextsPassedOn(entry)) addReply(text, line.at ?? 0);
      }
      if (entry.kind !== "tool_result") continue;
      const call = calls.get(entry.id);
      calls.delete(entry.id);
      const { id, text: said, isError, edits } = entry;
      const at = line.at ?? call?.at ?? 0;
      add(call ?? { ...noCall, id, model }, { at, isSilent: false, said, isError, edits });
    }
  }
  for (const call of calls.values()) {
    activity.isOpen = true;
    add(call, endOfCall(call, turn.lines.slice(call.place + 1), later));
  }
  return activity;

  /** What a person may paste, or another agent carry out, wherever they like. */
  function addReply(said: string, at: number): void {
    const hunks = listCodeBlocks(said)
      .map((lines) => ({ lines: toBareLines(lines, true), removed: [] }))
      .filter(({ lines }) => lines.length > 0);
    if (hunks.length === 0) return;
    const by = { sessionUid: turn.sessionUid, turn: turn.number, toolUse: "", model };
    activity.writes.push({ ...by, startedAt: at, at, path: "", how: "edit", hunks });
  }

  function add(call: RecordedCall, { at, isSilent, said, isError, edits }: CallEnd): void {
    const { sessionUid, number } = turn;
    const by = { sessionUid, turn: number, toolUse: call.id, model: call.model ?? model };
    const startedAt = call.at ?? at;
    const write = (path: string, how: Write["how"], hunks: WrittenHunk[], command?: string) => {
      if (hunks.length > 0)
        activity.writes.push({
          ...by,
          startedAt,
          at,
          path,
          how,
          hunks,
          ...(command !== undefined && { command }),
        });
    };
    const given = findCommandOfCall(call);
    if (given !== null) {
      const command = unwrapCommand(given);
      const isBackground = call.input.run_in_background === true || /(?:^|[^&>])&\s*$/.test(command);
      activity.runs.push({
        ...by,
        startedAt,
        endedAt: at,
        command,
        isBackground,
        isSilent,
        mayWrite: canWriteFiles(command),
        commits: parsePrintedCommits(said),
      });
      // Files that a command wrote before it failed are still there.
      for (const { path, lines } of parseShellWrites(command)) {
        write(relativize(path), "shell", [{ lines: toBareLines(lines, true), removed: [] }]);
      }
      const rest = withoutHeredocs(command, { keeps: "scripts" });
      if (rest.split("\n").length > 2)
        write("", "shell", [{ lines: toBareLines(splitScript(rest), true), removed: [] }], command);
      writePatches(command);
      return;
    }
    if (call.action === "delegate" && !isSilent)
      activity.delegations.push({
        sessionUid,
        turn: number,
        startedAt,
        endedAt: at,
        text: [toTextOrNull(call.input.prompt) ?? "", said].join("\n"),
      });
    if (isError) return;
    const isEmpty = edits?.every(({ hunks, content }) => hunks.length === 0 && content === null) ?? true;
    const writes = isEmpty ? parseEditsOfInput(call.input, call.tool) : edits!;
    const mayWriteMore = call.action === "write" || call.action === "other";
    if (writes.length === 0 && mayWriteMore && call.tool !== "" && !onlyReads(call.tool))
      activity.opaque.push({
        ...by,
        startedAt,
        endedAt: at,
        ...readOpaqueInput(call.tool, call.input, relativize),
      });
    for (const { path, hunks, content } of writes) {
      const plain = choosePlainLineReader(path);
      const made = hunks.map(({ lines }) =>
        (content === null ? buildWrittenHunk : buildWholeFileHunk)(lines, plain),
      );
      if (made.length === 0 && content !== null)
        made.push({ lines: toBareLines(plainLines(path, content.split("\n")), true), removed: [] });
      if (isNotebook(path)) {
        const forms = [
          ...hunks.map(({ lines }) => otherFormsOfCells(lines)),
          parseNotebookCells(content ?? ""),
        ];
        for (const lines of forms)
          if (lines.length > 0) made.push({ lines: toBareLines(lines, true), removed: [] });
      }
      write(relativize(path), "edit", made);
      if (content !== null) writePatches(content);
    }

    function writePatches(text: string): void {
      for (const { path, lines } of parsePatches(text)) {
        write(relativize(path), "shell", [buildWrittenHunk(lines, choosePlainLineReader(path))]);
      }
    }
  }
}

const noCall = { tool: "", action: "other" as const, input: {}, at: null, place: 0 };

/** What a call tells somebody else: another agent's task, a comment on an issue. */
function listTextsPassedOn(use: ToolUse): string[] {
  const action = classifyToolUse(use);
  if (action !== "delegate" && action !== "other") return [];
  return Object.values(use.input).filter((value) => typeof value === "string");
}

/** The command that a call runs, whatever its tool is named. */
function findCommandOfCall({ action, input }: RecordedCall): string | null {
  if (action === "command") return toTextOrNull(input.command) ?? "";
  if (action !== "other") return null;
  return (
    toTextOrNull(input.cmd) ??
    toTextOrNull(input.script) ??
    toTextOrNull(input.shell_command) ??
    toTextOrNull(input.command_line)
  );
}

/** A text of several lines ends with the quotes that it began with; others in it are its own, as a docstring's. */
const textInScript = /("""|'''|`)\\?([\s\S]*?)(?<!\\)\1/g;

/** The lines of a script, those of the texts in it without what is before and after their quotes. */
const splitScript = (script: string): string[] => script.replace(textInScript, "\n$2\n").split("\n");

function buildWrittenHunk(lines: readonly string[], plain: (line: string) => string): WrittenHunk {
  const hunk: WrittenHunk = { lines: [], removed: [] };
  for (const line of lines) {
    const bare = toBareLine(plain(line.slice(1)));
    if (bare.key === 0) continue;
    if (line.startsWith("-")) hunk.removed.push(bare);
    else if (!line.startsWith("\\")) hunk.lines.push({ ...bare, isNew: line.startsWith("+") });
  }
  return hunk;
}

/**
 * A cell stands in its file as a list of lines or as one text, by the program that saved it last: what a call wrote counts in
 * the other form as well.
 * @param lines of a hunk, with their signs: lines of the file, or a cell's alone
 */
function otherFormsOfCells(lines: readonly string[]): string[] {
  const now = lines.filter((line) => !line.startsWith("-"));
  const added = now.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  const cells = added.flatMap((line) => parseWholeCell(line)?.split("\n") ?? []);
  if (cells.length > 0 || added.length === 0) return cells;
  const texts = now.map((line) => line.slice(1));
  const plain = choosePlainLineReader(".ipynb");
  return texts.length > 1 && texts.every((line) => plain(line) === line) ? [texts.join("\n")] : [];
}

/** The cells of a whole notebook in the form in which they do not stand there: lists of lines as one text, texts as lines. */
function parseNotebookCells(text: string): string[] {
  if (text === "") return [];
  try {
    const { cells } = JSON.parse(text) as { cells?: { source?: unknown }[] };
    return (cells ?? []).flatMap(({ source }) =>
      Array.isArray(source) ? [source.join("")] : typeof source === "string" ? source.split("\n") : [],
    );
  } catch {
    return [];
  }
}

/** A file of which so many lines were taken out, and no line stays that weighs as much, was written anew. */
const manyLines = 9;
const tellingWeight = 0.8;

/** A hunk of a file that was written as a whole: short lines in it that are as before may have been typed again. */
function buildWholeFileHunk(lines: readonly string[], plain: (line: string) => string): WrittenHunk {
  const hunk = buildWrittenHunk(lines, plain);
  const first = hunk.lines.findIndex(({ isNew }) => isNew);
  const last = hunk.lines.findLastIndex(({ isNew }) => isNew);
  const isAgain = (at: number) => !hunk.lines[at]!.isNew && at > first && at < last;
  const isAnew =
    hunk.removed.length >= manyLines &&
    hunk.lines.every(({ weight }, at) => !isAgain(at) || weight < tellingWeight);
  if (!isAnew) return hunk;
  return { ...hunk, lines: hunk.lines.map((line, at) => (isAgain(at) ? { ...line, isBack: true } : line)) };
}

function toBareLines(lines: readonly string[], isNew: boolean): WrittenHunk["lines"] {
  return lines.flatMap((line) => {
    const bare = toBareLine(line);
    return bare.key === 0 ? [] : [{ ...bare, isNew }];
  });
}

const toTextOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The keys of what a write put in and took out, in its order. */
interface WriteKeys {
  added: Uint32Array;
  removed: Uint32Array;
}

/** By its hunks, which copies of a write share. */
const packed = new WeakMap<Write["hunks"], WriteKeys>();

/**
 * Packed once for all commits: the first question about each of thousands of writes is whether it has anything to do
 * with a change.
 */
export function packWriteKeys({ hunks }: Write): WriteKeys {
  const known = packed.get(hunks);
  if (known) return known;
  const added: number[] = [];
  const removed: number[] = [];
  for (const hunk of hunks) {
    for (const { key, isNew } of hunk.lines) if (isNew) added.push(key);
    for (const { key } of hunk.removed) removed.push(key);
  }
  const keys = { added: Uint32Array.from(added), removed: Uint32Array.from(removed) };
  packed.set(hunks, keys);
  return keys;
}

/** Most sets are of the lines of a small file. A power of two, as every size is. */
const fewestPlaces = 64;

/** Keys of lines, in one array: thousands are asked for, and most are not in it. 0, which blank lines have, never is. */
export class KeySet {
  private keys = new Uint32Array(fewestPlaces);
  private size = 0;

  add(key: number): void {
    if (key === 0) return;
    const place = this.findKeySlot(key);
    if (this.keys[place] === key) return;
    this.keys[place] = key;
    if (++this.size * 2 > this.keys.length) this.doubleCapacity();
  }

  has(key: number): boolean {
    return key !== 0 && this.keys[this.findKeySlot(key)] === key;
  }

  hasAny(keys: Uint32Array): boolean {
    if (this.size === 0) return false;
    for (let i = 0; i < keys.length; i++) if (this.has(keys[i]!)) return true;
    return false;
  }

  /** Of the key, or where it would be. Keys are checksums: their last digits are as good as any. */
  private findKeySlot(key: number): number {
    const { keys } = this;
    const last = keys.length - 1;
    let place = key & last;
    for (let there = keys[place]!; there !== 0 && there !== key; there = keys[place]!)
      place = (place + 1) & last;
    return place;
  }

  private doubleCapacity(): void {
    const before = this.keys;
    this.keys = new Uint32Array(before.length * 2);
    for (const key of before) if (key !== 0) this.keys[this.findKeySlot(key)] = key;
  }
}
