import { fstatSync, readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { GivenPayload } from "../../agents/agent.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { type HookPayload, payloadKinds } from "../../protocol/hooks.ts";
import { isValidAs } from "../../protocol/outside.ts";
import { parsePromptNotes, writeNotesPrompt } from "../../protocol/reading/prompt-notes.ts";

/**
 * Reads a hook's payload and picks what is stored of it: ids, the event, where the session runs, and the notes of a prompt. Names
 * of files are not stored, because they may contain secrets. The conversation comes from the transcript, and is scrubbed there.
 */

/** Longer fields are dropped. Characters. */
const maxFieldLength = 8192;
/** Limit for all notes of a prompt. Characters. */
const maxNotes = 65_536;

/** The JSON object in `text`; null if invalid. */
export function parseObject(text: string): GivenPayload | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as GivenPayload)
      : null;
  } catch {
    return null;
  }
}

/** The fields of a hook's stdin that are stored, without invalid values. */
export function pickPayload(given: GivenPayload): HookPayload {
  const payload: HookPayload = {};
  for (const field of Object.keys(payloadKinds) as (keyof typeof payloadKinds)[]) {
    const value = given[field];
    if (typeof value === "string" && isValidAs(payloadKinds[field], value)) payload[field] = value;
  }
  if (typeof given.prompt === "string") {
    const notes = writeNotesPrompt(parsePromptNotes(given.prompt)).slice(0, maxNotes);
    if (notes !== "") payload.prompt = notes;
  }
  return payload;
}

/** The value if it is an object, else an empty one. */
export function toObject(value: unknown): GivenPayload {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxFieldLength;
}

/** The input read from stdin. */
interface HookInput {
  text: string;
  /** Why it is incomplete, or null. */
  cut: "too long" | "too slow" | null;
}

/** Longer payloads are cut. Bytes. */
export const maxInputLength = 16 * 1024 * 1024;

/** Deadline for the writer. Milliseconds. */
const timeoutMs = 2000;

const stdin = 0;

/**
 * Reads stdin, limited in size and time; an error counts as the end. A file is read at once. A pipe is read through a socket: a
 * blocking read cannot be cancelled, and a pending one in libuv's thread pool would keep the process from exiting. Reading stops
 * after one whole object, so that nobody waits for the writer to close the pipe.
 */
export async function readStdin(timeout: number = timeoutMs): Promise<HookInput> {
  let stat: ReturnType<typeof fstatSync>;
  try {
    stat = fstatSync(stdin);
  } catch {
    return { text: "", cut: null };
  }
  if (stat.isFIFO() || stat.isSocket()) return readPipe(timeout);
  // Do not wait for input from a terminal.
  if (stat.isCharacterDevice() && (await import("node:tty")).isatty(stdin)) return { text: "", cut: null };
  return readWhole();
}

function readWhole(): HookInput {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(65_536);
      const count = readSync(stdin, part, 0, part.length, null);
      if (count === 0) break;
      parts.push(part.subarray(0, count));
      length += count;
      if (length > maxInputLength) return { text: "", cut: "too long" };
    }
  } catch {
    // Keep what was read.
  }
  return { text: decodeText(parts), cut: null };
}

function readPipe(timeout: number): Promise<HookInput> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (cut: HookInput["cut"]) => {
      clearTimeout(timer);
      // The pipe stays open until the process ends, because closing it takes longer.
      pipe.removeAllListeners("data").pause().unref();
      resolve({ text: cut === "too long" ? "" : decodeText(parts), cut });
    };
    const timer = setTimeout(() => finish("too slow"), timeout);
    const pipe = new Socket({ fd: stdin, readable: true, writable: false });
    pipe.on("data", (part) => {
      parts.push(part);
      length += part.length;
      if (length > maxInputLength) finish("too long");
      else if (endsObject(part) && parseObject(decodeText(parts)) !== null) finish(null);
    });
    pipe.on("end", () => finish(null));
    pipe.on("error", () => finish(null));
  });
}

/** Whether a part of the input may be the last: it ends with a bracket, or with one and a line break. */
const endsObject = (part: Buffer): boolean => part.subarray(-2).includes("}");

function decodeText(parts: readonly Buffer[]): string {
  const text = Buffer.concat(parts).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Only Pommel's own messages are repeated: they contain no text of a session, and others might. */
export const describeHookFailure = (error: unknown): string =>
  error instanceof PommelError
    ? error.message.replace(/\.$/, "")
    : `it failed (${getErrorCode(error) || "unexpected error"})`;

/** Reports a failure of `pm hook <name>` in one line on stderr. */
export function warn(name: string, problem: string): void {
  try {
    // Names come from the command line; escape line breaks.
    writeSync(2, `warning: pm hook ${JSON.stringify(name).slice(1, -1)}: ${problem}.\n`);
  } catch {
    // stderr is closed.
  }
}
