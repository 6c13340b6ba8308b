import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Cursor, ReadBatch, TranscriptLine } from "../agent.ts";
import { bounds, isRecord } from "./bounds.ts";
import { parseJson } from "./json.ts";
import { makeTranscriptChangedError } from "./read-lines.ts";

/** Lines per batch. */
const linesPerBatch = 500;

/** The lines of an object, and what it skips; null: it is not whole. */
type Understand = (
  object: Record<string, unknown>,
) => Pick<ReadBatch, "lines" | "skipped"> | null | Promise<Pick<ReadBatch, "lines" | "skipped"> | null>;

/**
 * Reads a transcript that is one JSON object, rewritten for every message; an array is an object's `messages`. The cursor
 * holds the number and hash of the lines read before.
 */
export async function* readObject(
  file: string,
  cursor: Cursor | null,
  understand: Understand,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  signal?.throwIfAborted();
  const { size, bytes } = await readContent(file);
  if (bytes === null) {
    // Skip until the file changes.
    const tooLong = { offset: size, lineHash: "too_long" };
    if (cursor?.offset !== size) yield { lines: [], cursor: tooLong, skipped: { too_long: 1 } };
    return;
  }
  const value = parseJson(bytes);
  const object = Array.isArray(value) ? { messages: value } : isRecord(value) ? value : null;
  const understood = object === null ? null : await understand(object);
  if (understood === null) {
    // It is being rewritten.
    if (cursor !== null) throw makeTranscriptChangedError(file);
    return;
  }
  const { lines } = understood;
  let { skipped } = understood;
  let given = 0;
  if (cursor !== null) {
    given = Number(/^(\d+)-/.exec(cursor.lineHash)?.[1] ?? Number.NaN);
    if (!(given <= lines.length) || cursor.lineHash !== placeAfter(lines, given))
      throw makeTranscriptChangedError(file);
    if (given === lines.length && cursor.offset === bytes.length) return;
    skipped = {};
  }
  do {
    signal?.throwIfAborted();
    const batch = lines.slice(given, given + linesPerBatch);
    given += batch.length;
    const offset = given === lines.length ? bytes.length : Math.floor((bytes.length * given) / lines.length);
    yield { lines: batch, cursor: { offset, lineHash: placeAfter(lines, given) }, skipped };
    skipped = {};
  } while (given < lines.length);
}

/** `bytes` is null when the file is too large. */
async function readContent(file: string): Promise<{ size: number; bytes: Buffer | null }> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    return { size, bytes: size > bounds.line ? null : await handle.readFile() };
  } finally {
    await handle.close();
  }
}

/** The number and hash of the lines read. */
function placeAfter(lines: readonly TranscriptLine[], given: number): string {
  const hash = createHash("sha256");
  for (const { uid, entries } of lines.slice(0, given)) hash.update(JSON.stringify([uid, entries]));
  return `${given}-${hash.digest("hex").slice(0, 32)}`;
}
