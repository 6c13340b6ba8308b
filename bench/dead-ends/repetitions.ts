/**
 * What was tried again and failed again, found in transcripts of Claude Code without any of Pommel's code: the yardstick of
 * bench/dead-ends.ts.
 *
 * A command is a repetition when it prints a line of error (without paths, numbers and hashes) with which the same command form (its
 * program and subcommand) had failed in an earlier turn, at most 30 days before; a pipe may hide that it failed again. An edit is one when it puts lines into a file
 * that an edit of an earlier session had put there and another had taken out, at most 30 days before.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Block {
  type?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string;
  is_error?: boolean;
  content?: unknown;
}

interface Call {
  id: string;
  session: string;
  turn: number;
  at: number;
  tool: string;
  input: Record<string, unknown>;
  failed: boolean;
  result: string;
}

export interface Repetition {
  /** Of the tool call. */
  id: string;
  /** call: of how it was called. code: a check that reports what the code has. hunk: lines of a file. */
  kind: "call" | "code" | "hunk";
  session: string;
  what: string;
  error: string;
}

const within = 30 * 86_400_000;

export function findRepetitions(dir: string): { calls: number; failed: number; found: Repetition[] } {
  const calls = readdirSync(dir)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readCalls(join(dir, name)))
    .sort((a, b) => a.at - b.at);
  const unique = [...new Map(calls.map((call) => [call.id, call])).values()];
  const commands = unique.filter(({ tool }) => tool === "Bash");
  return {
    calls: unique.length,
    failed: commands.filter(({ failed }) => failed).length,
    found: [...findCommands(commands), ...findHunks(unique)],
  };
}

function readCalls(file: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, Omit<Call, "failed" | "result">>();
  let turn = 0;
  for (const text of readFileSync(file, "utf8").split("\n")) {
    let line: { timestamp?: string; sessionId?: string; type?: string; message?: { content?: unknown } };
    try {
      line = JSON.parse(text);
    } catch {
      continue;
    }
    const content = line.message?.content;
    if (line.type === "user" && typeof content === "string") turn++;
    if (!Array.isArray(content)) continue;
    const blocks = content as Block[];
    if (line.type === "user" && blocks.some(({ type }) => type === "text")) turn++;
    for (const block of blocks) {
      if (block.type === "tool_use" && block.id !== undefined)
        open.set(block.id, {
          id: block.id,
          session: line.sessionId ?? file,
          turn,
          at: Date.parse(line.timestamp ?? ""),
          tool: block.name ?? "",
          input: block.input ?? {},
        });
      const call = open.get(block.tool_use_id ?? "");
      if (block.type !== "tool_result" || call === undefined) continue;
      open.delete(call.id);
      const result = Array.isArray(block.content)
        ? (block.content as { text?: string }[]).map((part) => part.text ?? "").join("\n")
        : String(block.content ?? "");
      const isRefused = /^(?:The user doesn't want|<tool_use_error>|Permission to use|\[Request interr)/.test(
        result,
      );
      calls.push({ ...call, failed: block.is_error === true && !isRefused, result });
    }
  }
  return calls;
}

/** Programs that check the code: what they report goes with the code. */
const checks =
  /\b(?:lint\S*|tests?|vitest|jest|pytest|tsc|typecheck|vet|build|check\S*|ci|mypy|ruff|eslint|biome|clippy|fmt|format|compile|coverage|bench|rspec|phpunit|e2e)\b|\btest[:_-]/i;
const reports =
  /error|fail|not found|no such|unknown|cannot|invalid|denied|fatal|unrecogni|usage|exist|expected|illegal/i;
const saysNothing =
  /^(?:error: )?exit code|task failed|^error: not equal|error trace|^fail\b.*\[|^\S+ error$|^errors?:?$/;

function findCommands(calls: readonly Call[]): Repetition[] {
  const seen = new Map<string, { at: number; place: string }>();
  return calls.flatMap(({ id, session, turn, at, input, failed, result }): Repetition[] => {
    const command = String(input.command ?? "");
    const form = formOf(command);
    const place = `${session}:${turn}`;
    const errors = new Set(result.split("\n").slice(0, 60).map(normalise));
    const keys = [...errors]
      .filter((line) => reports.test(line) && !saysNothing.test(line))
      .filter((line) => (line.match(/[a-z]/g)?.length ?? 0) >= 10)
      .map((line) => ({ line, key: `${form}\0${line}` }));
    const again = keys.find(({ key }) => {
      const before = seen.get(key);
      return before !== undefined && before.place !== place && at - before.at <= within;
    });
    if (failed) for (const { key } of keys) seen.set(key, { at, place });
    if (again === undefined) return [];
    const kind = checks.test(form) ? "code" : "call";
    return [{ id, kind, session, what: command.replace(/\s+/g, " ").slice(0, 140), error: again.line }];
  });
}

const normalise = (line: string): string =>
  line
    .toLowerCase()
    .replace(/\u001b\[[\d;]*m/g, "")
    .replace(/https?:\/\/\S+/g, "U")
    .replace(/(?:[\w@.~-]*\/)+[\w@.~*-]*/g, "P")
    .replace(/\b[0-9a-f]{7,}\b/g, "#")
    .replace(/\d+/g, "#")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 160);

/** The first program that does more than go, print or set something, with the plain words after it. */
function formOf(command: string): string {
  const plain = command
    .replace(/<<-?\s*['"]?(\w+)[\s\S]*?\n\s*\1/g, "HERE")
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "S");
  for (const part of plain.split(/&&|\|\||[;|\n]/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "" && !/^\w+=/.test(word));
    if (words.length === 0 || /^(?:cd|echo|export|set|source|sleep|pwd)$/.test(words[0]!)) continue;
    return words.filter((word, i) => i === 0 || (i < 3 && /^[a-z][a-z:_-]+$/.test(word))).join(" ");
  }
  return "";
}

const minLines = 2;
const minShare = 0.6;

function findHunks(calls: readonly Call[]): Repetition[] {
  const byFile = new Map<string, { call: Call; added: string[]; removed: string[] }[]>();
  for (const call of calls) {
    if (!/^(?:Edit|MultiEdit)$/.test(call.tool) || call.failed || /^<tool_use_error>/.test(call.result))
      continue;
    const edits = Array.isArray(call.input.edits)
      ? (call.input.edits as Record<string, unknown>[])
      : [call.input];
    for (const { old_string, new_string } of edits) {
      const [before, after] = [telling(old_string), telling(new_string)];
      const file = String(call.input.file_path).replace(/^.*\/(?:\.worktrees|worktrees)\/[^/]+\//, "");
      const list = byFile.get(file) ?? [];
      byFile.set(file, list);
      list.push({
        call,
        added: after.filter((line) => !before.includes(line)),
        removed: before.filter((line) => !after.includes(line)),
      });
    }
  }
  const found: Repetition[] = [];
  for (const [file, edits] of byFile) {
    const taken: { at: number; session: string; lines: string[] }[] = [];
    for (const [i, { call, added, removed }] of edits.entries()) {
      const again = taken.find(
        ({ at, session, lines }) =>
          session !== call.session && call.at - at <= within && covers(added, lines),
      );
      if (again !== undefined)
        found.push({ id: call.id, kind: "hunk", session: call.session, what: file, error: again.lines[0]! });
      const origin = edits.slice(0, i).findLast((one) => covers(removed, one.added));
      if (origin !== undefined) taken.push({ at: call.at, session: call.session, lines: origin.added });
    }
  }
  return found;
}

const telling = (text: unknown): string[] =>
  String(text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= 8 && (line.match(/[A-Za-z]/g)?.length ?? 0) >= 5);

function covers(lines: readonly string[], wanted: readonly string[]): boolean {
  const common = wanted.filter((line) => lines.includes(line)).length;
  return common >= minLines && common >= minShare * wanted.length;
}
