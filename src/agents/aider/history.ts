import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TranscriptFile } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";

/**
 * The client's `.aider.chat.history.md`: one Markdown file in the root of a repository, to which every chat is appended.
 * A chat begins with a heading and counts as a transcript, `<file>/<its start>`. As `aider/io.py` writes it (version
 * 0.86): https://github.com/Aider-AI/aider/blob/main/aider/io.py.
 */
export const historyName = ".aider.chat.history.md";
const inputsName = ".aider.input.history";

/** A chat in a history. */
export interface Chat {
  /** Its start in local time, "20260302T090000"; and a number if several began in that second. */
  name: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Its bytes in the file. */
  start: number;
  end: number;
}

/** The history and the name of a chat in a transcript's path; null for other paths. */
export function parseChatPath(path: string): { file: string; name: string } | null {
  const [file, name] = [dirname(path), basename(path)];
  return basename(file) === historyName && /^\d{8}T\d{6}(?:-\d+)?$/.test(name) ? { file, name } : null;
}

/** Equal starts in different repositories are different sessions. */
export function makeSessionId(file: string, name: string): string {
  return `${name}-${createHash("sha256").update(dirname(file)).digest("hex").slice(0, 8)}`;
}

interface History {
  /** Size and last change. */
  stamp: string;
  bytes: Buffer;
  chats: readonly Chat[];
  mtimeMs: number;
}

/** The last one that was read: all of its chats are asked about one after the other. */
let last: (History & { file: string }) | null = null;

/** A history as it is now; null when it is missing or too large. */
export function readHistory(file: string): History | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > bounds.line) return null;
  const stamp = `${stats.size} ${stats.mtimeMs}`;
  if (last?.file === file && last.stamp === stamp) return last;
  const bytes = readFileSync(file);
  last = { file, stamp, bytes, chats: listChats(bytes), mtimeMs: stats.mtimeMs };
  return last;
}

const heading = "# aider chat started at ";

function listChats(bytes: Buffer): Chat[] {
  const chats: Chat[] = [];
  const names = new Map<string, number>();
  for (let at = bytes.indexOf(heading); at !== -1; at = bytes.indexOf(heading, at + 1)) {
    const isFirst = at === 0 || bytes[at - 1] === 10;
    const [, date, time] =
      /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/m.exec(
        bytes.toString("latin1", at + heading.length, at + heading.length + 21),
      ) ?? [];
    const startedAt = Date.parse(`${date}T${time}`);
    if (!isFirst || Number.isNaN(startedAt)) continue;
    const previous = chats.at(-1);
    // The heading is written with the line before it.
    if (previous) previous.end = at - (bytes[at - 2] === 13 ? 2 : 1);
    const base = `${date}T${time}`.replace(/[-:]/g, "");
    const count = (names.get(base) ?? 0) + 1;
    names.set(base, count);
    chats.push({ name: count === 1 ? base : `${base}-${count}`, startedAt, start: at, end: bytes.length });
  }
  return chats;
}

/** The chats of a history as transcripts, in order of time. A finished one last changed when the next one began. */
export function listTranscripts(file: string): TranscriptFile[] {
  const history = readHistory(file);
  return (history?.chats ?? []).map(({ name, start, end }, at) => {
    const mtimeMs = history!.chats[at + 1]?.startedAt ?? history!.mtimeMs;
    return { path: join(file, name), size: end - start, mtimeMs };
  });
}

export interface TypedInput {
  /** Milliseconds since the epoch. */
  at: number;
  text: string;
}

/** What the human typed and when, in order, from the file beside a history; empty when there is none. */
export function readInputs(file: string): TypedInput[] {
  const path = join(dirname(file), inputsName);
  if (!existsSync(path) || statSync(path).size > bounds.line) return [];
  const inputs: TypedInput[] = [];
  for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
    const [, time] = /^# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(line) ?? [];
    if (time !== undefined)
      inputs.push({ at: Math.floor(Date.parse(time.replace(" ", "T").slice(0, 23))), text: "" });
    else if (line.startsWith("+") && inputs.length > 0) {
      const input = inputs.at(-1)!;
      input.text += `${input.text === "" ? "" : "\n"}${line.slice(1)}`;
    }
  }
  return inputs;
}
