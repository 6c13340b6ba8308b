import { createHash, type Hash } from "node:crypto";
import { open } from "node:fs/promises";
import { PommelError } from "../../base/errors.ts";
import type { Cursor } from "../agent.ts";
import { bounds } from "./bounds.ts";

export interface RawLine {
  /** Without the line feed. A view into a buffer that the next batch overwrites. */
  bytes: Buffer;
  /** Its offset in the file. Bytes. */
  start: number;
}

interface LineBatch {
  /** Whole lines. */
  lines: RawLine[];
  /** The position behind them. */
  cursor: Cursor;
  /** Number of skipped lines over the length limit. */
  tooLong: number;
}

/** What lines are read from: a file, or one decompressed. */
export interface ByteSource {
  /** Reads up to `length` bytes at a position of the content to a place in the buffer; none: the end. */
  read(buffer: Buffer, at: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

export interface ReadLinesOptions {
  /** Approximate bytes per batch. */
  batch?: number;
  /** Longer lines are skipped and never held in memory. Bytes. */
  longest?: number;
  /** Stop here. Bytes. */
  end?: number;
  /** Opens the file's content where it is encoded; then there is no cursor. */
  source?: ((path: string) => Promise<ByteSource>) | undefined;
  /** Whether a last line without a line feed is complete; default: it is still being written. */
  isWhole?: (line: Buffer) => boolean;
  signal?: AbortSignal | undefined;
}

/** What was read before is not there any more. */
export const makeTranscriptChangedError = (path: string) =>
  new PommelError(
    "transcript_changed",
    `${path} no longer contains what was read from it before.`,
    "Pommel reads the transcript again from its start.",
  );

/** As the system says it of a file. */
export const makeNoSessionError = (path: string) =>
  Object.assign(new Error(`ENOENT: no such session, open '${path}'`), { code: "ENOENT" });

const lineFeed = 10;
/** Most reads are of a few new lines; a buffer that is filled makes way for one of a whole batch. Bytes. */
const firstBufferBytes = 64 * 1024;
/** What may follow a complete line that had no line feed yet. */
const mayFollow = new Set([undefined, lineFeed, 13]);

/**
 * Reads the lines of a growing file, from `cursor` (null: its start) to the last line feed, or further (see `isWhole`).
 * @throws PommelError `transcript_changed` when the line before the cursor changed; system errors unchanged
 */
export async function* readLines(
  path: string,
  cursor: Cursor | null,
  options: ReadLinesOptions = {},
): AsyncGenerator<LineBatch, void, undefined> {
  const { batch = 2 * 1024 * 1024, longest = bounds.line, end = Number.POSITIVE_INFINITY, signal } = options;
  const file = await (options.source ?? openFile)(path);
  try {
    if (cursor) await verify(file, path, cursor);
    let offset = cursor?.offset ?? 0;
    let position = offset;
    let buffer = Buffer.allocUnsafe(Math.min(batch, firstBufferBytes));
    let held = 0;
    // For a line over the limit: bytes skipped, and the hash so far.
    let passing: { bytes: number; hash: Hash } | null = null;

    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(
        buffer,
        held,
        Math.min(buffer.length - held, end - position),
        position,
      );
      if (bytesRead === 0) {
        const bytes = buffer.subarray(0, held);
        if (!passing && held > 0 && options.isWhole?.(bytes)) {
          yield {
            lines: [{ bytes, start: offset }],
            cursor: { offset: offset + held, lineHash: hashLine(bytes) },
            tooLong: 0,
          };
        }
        return;
      }
      position += bytesRead;
      const searched = held;
      held += bytesRead;
      let start = 0;
      let lineHash = "";
      let tooLong = 0;

      if (passing) {
        const at = buffer.subarray(0, held).indexOf(lineFeed);
        const passed: Buffer = buffer.subarray(0, at === -1 ? held : at + 1);
        passing.hash.update(passed);
        passing.bytes += passed.length;
        if (at === -1) {
          held = 0;
          continue;
        }
        offset += passing.bytes;
        lineHash = formatLineHash(passing.bytes, passing.hash);
        tooLong = 1;
        start = at + 1;
        passing = null;
      }

      const last = buffer.subarray(Math.max(start, searched), held).lastIndexOf(lineFeed);
      const stop = last === -1 ? start : Math.max(start, searched) + last + 1;
      const lines: RawLine[] = [];
      let lineStart = start;
      while (lineStart < stop) {
        const lineEnd = buffer.indexOf(lineFeed, lineStart);
        if (lineEnd - lineStart > longest) tooLong++;
        else lines.push({ bytes: buffer.subarray(lineStart, lineEnd), start: offset + lineStart - start });
        if (lineEnd + 1 === stop) lineHash = hashLine(buffer.subarray(lineStart, stop));
        lineStart = lineEnd + 1;
      }
      offset += stop - start;
      if (stop > 0) yield { lines, cursor: { offset, lineHash }, tooLong };

      // Move the incomplete line to the front, into a larger buffer if it fills this one.
      const left = held - stop;
      if (left > longest) {
        passing = { bytes: left, hash: createHash("sha256").update(buffer.subarray(stop, held)) };
        held = 0;
      } else {
        const room = left < batch ? batch : Math.min(left * 2, longest + 1);
        const isRoomy = room === buffer.length || (held < buffer.length && buffer.length < batch);
        const next = isRoomy ? buffer : Buffer.allocUnsafe(room);
        buffer.copy(next, 0, stop, held);
        held = left;
        buffer = next;
      }
      if (passing && buffer.length > batch) buffer = Buffer.allocUnsafe(batch);
    }
  } finally {
    await file.close();
  }
}

const openFile = (path: string): Promise<ByteSource> => open(path, "r");

/** A line's length and hash, including its line feed; the length locates it from its end. */
function hashLine(line: Buffer): string {
  return formatLineHash(line.length, createHash("sha256").update(line));
}

function formatLineHash(bytes: number, hash: Hash): string {
  return `${bytes}-${hash.digest("hex").slice(0, 32)}`;
}

async function verify(file: ByteSource, path: string, { offset, lineHash }: Cursor): Promise<void> {
  const length = Number(/^(\d+)-[0-9a-f]{32}$/.exec(lineHash)?.[1]);
  if (offset === 0 && lineHash === "") return;
  const start = offset - length;
  if (!(length > 0 && start >= 0) || (await hashAt(file, start, length)) !== lineHash)
    throw makeTranscriptChangedError(path);
}

/** The hash of the single line in these bytes, with or without a final line feed; null otherwise. */
async function hashAt(file: ByteSource, start: number, length: number): Promise<string | null> {
  const hash = createHash("sha256");
  const end = start + length;
  const buffer = Buffer.allocUnsafe(Math.min(length, 1024 * 1024));
  let position = start;
  while (position < end) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) return null;
    const bytes = buffer.subarray(0, bytesRead);
    position += bytesRead;
    const feed = bytes.indexOf(lineFeed);
    if (feed !== -1 && position - bytesRead + feed + 1 < end) return null;
    if (feed === -1 && position === end && !mayFollow.has(await readByte(file, end))) return null;
    hash.update(bytes);
  }
  // The late line feed of a yielded line looks like an empty line (CR LF at most).
  const isRest = length <= 2;
  if (start > 0 && !isRest && (await readByte(file, start - 1)) !== lineFeed) return null;
  return formatLineHash(length, hash);
}

async function readByte(file: ByteSource, position: number): Promise<number | undefined> {
  const buffer = Buffer.alloc(1);
  const { bytesRead } = await file.read(buffer, 0, 1, position);
  return bytesRead === 0 ? undefined : buffer[0];
}
