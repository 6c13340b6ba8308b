import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { PommelError } from "../../project/errors.ts";
import type { Cursor, ReadBatch, TranscriptLine } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { parseJsonLine } from "../reading/json.ts";
import { identify } from "./describe.ts";
import { newReplay } from "./message.ts";
import { asRecord } from "./record-schema.ts";
import { take } from "./replay.ts";

/** Lines per batch. */
const atOnce = 500;

/**
 * Reads an older client's chat: one object, rewritten for every message. The cursor holds the number and hash of the
 * lines read before.
 */
export async function* readObject(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  signal?.throwIfAborted();
  const { size, bytes } = await contentOf(file);
  if (bytes === null) {
    // Skip until the file changes.
    const tooLong = { offset: size, lineHash: "too_long" };
    if (cursor?.offset !== size) yield { lines: [], cursor: tooLong, skipped: { too_long: 1 } };
    return;
  }
  const understood = understand(bytes, (await identify(file, signal))?.cwd ?? null);
  if (understood === null) {
    // It is being rewritten.
    if (cursor !== null) throw changed(file);
    return;
  }
  const { lines } = understood;
  let { skipped } = understood;
  let given = 0;
  if (cursor !== null) {
    given = Number(/^(\d+)-/.exec(cursor.lineHash)?.[1] ?? Number.NaN);
    if (!(given <= lines.length) || cursor.lineHash !== placeAfter(lines, given)) throw changed(file);
    if (given === lines.length && cursor.offset === bytes.length) return;
    skipped = {};
  }
  do {
    signal?.throwIfAborted();
    const batch = lines.slice(given, given + atOnce);
    given += batch.length;
    const offset = given === lines.length ? bytes.length : Math.floor((bytes.length * given) / lines.length);
    yield { lines: batch, cursor: { offset, lineHash: placeAfter(lines, given) }, skipped };
    skipped = {};
  } while (given < lines.length);
}

/** `bytes` is null when the file is too large. */
async function contentOf(file: string): Promise<{ size: number; bytes: Buffer | null }> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    return { size, bytes: size > bounds.line ? null : await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function understand(bytes: Buffer, cwd: string | null): Pick<ReadBatch, "lines" | "skipped"> | null {
  const record = asRecord(parseJsonLine(bytes));
  if (record === null) return null;
  const replay = newReplay();
  const { lines } = take(replay, record, cwd);
  const skipped: Record<string, number> = {};
  for (const each of Array.isArray(record.messages) ? record.messages : []) {
    const message = asRecord(each);
    const taken = message ? take(replay, message, cwd) : { lines: [], skipped: "malformed" };
    lines.push(...taken.lines);
    if (taken.skipped) skipped[taken.skipped] = (skipped[taken.skipped] ?? 0) + 1;
  }
  return { lines, skipped };
}

/** The number and hash of the lines read. */
function placeAfter(lines: readonly TranscriptLine[], given: number): string {
  const hash = createHash("sha256");
  for (const { uid, entries } of lines.slice(0, given)) hash.update(JSON.stringify([uid, entries]));
  return `${given}-${hash.digest("hex").slice(0, 32)}`;
}

function changed(file: string): PommelError {
  return new PommelError(
    "transcript_changed",
    `${file} no longer contains what was read from it before.`,
    "It is read again from its start.",
  );
}
