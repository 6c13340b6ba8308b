import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Decompress } from "fzstd";
import { getErrorMessage } from "../../base/errors.ts";
import type { Cursor, ReadBatch } from "../agent.ts";
import { readBatches, type UnderstandLine } from "./json-lines.ts";
import { type ByteSource, makeTranscriptChangedError, type ReadLinesOptions } from "./read-lines.ts";

/** Transcripts that their client compressed (Zstandard): they are whole and never grow. */

export const isCompressed = (path: string) => path.endsWith(".zst");

/** How `readLines` opens a transcript that may be compressed. */
export const chooseSource = (path: string): ReadLinesOptions["source"] =>
  isCompressed(path) ? openCompressed : undefined;

/** An interrupted reading starts again, and what it stored is known by its ids. */
const start: Cursor = { offset: 0, lineHash: "" };

/**
 * A compressed transcript in JSON Lines, all of it. The cursor at its end holds the compressed size and the hash of the
 * file. What is damaged, and all behind it, counts as one malformed line. Errors as `readLines`.
 */
export async function* readCompressed(
  path: string,
  cursor: Cursor | null,
  signal: AbortSignal | undefined,
  understand: UnderstandLine,
): AsyncGenerator<ReadBatch, void, undefined> {
  const end = await computeEndCursor(path, signal);
  if (cursor !== null && cursor.lineHash !== start.lineHash) {
    if (cursor.offset === end.offset && cursor.lineHash === end.lineHash) return;
    throw makeTranscriptChangedError(path);
  }
  if (end.offset === 0) return;
  const opened: CompressedSource[] = [];
  const source = async () => {
    opened.push(await openCompressed(path));
    return opened[0]!;
  };
  for await (const batch of readBatches(path, null, signal, understand, source))
    yield { ...batch, cursor: start };
  yield { lines: [], cursor: end, skipped: opened[0]!.damage === null ? {} : { malformed: 1 } };
}

async function computeEndCursor(path: string, signal: AbortSignal | undefined): Promise<Cursor> {
  const hash = createHash("sha256");
  let offset = 0;
  for await (const bytes of createReadStream(path, { signal })) {
    hash.update(bytes);
    offset += bytes.length;
  }
  return { offset, lineHash: `zstd-${hash.digest("hex").slice(0, 32)}` };
}

/**
 * Decompresses Zstandard files (RFC 8878) piece by piece, on every supported Node. The library decodes blocks; frames are
 * taken apart here, so that it holds one block at a time, and no window that a header merely claims to need.
 */

/** What RFC 8878 asks of every decoder; level 19 of `zstd` needs no more. Bytes. */
const maxWindow = 8 * 1024 * 1024;
/** By the format. Bytes. */
const maxBlock = 128 * 1024;
/** More than any session has: a small file can claim to hold terabytes. Bytes. */
const maxContent = 1024 * 1024 * 1024;

class DamagedFrame extends Error {}

export interface CompressedSource extends ByteSource {
  /** Why the content ended early: the file is cut off, damaged, or needs more memory than allowed. */
  damage: string | null;
}

/** A compressed file as if it were plain, to be read once from its start, up to its end or its damage. */
export async function openCompressed(path: string): Promise<CompressedSource> {
  const file = await open(path, "r");
  const blocks = readBlocks(makeByteTaker(file));
  let piece: Uint8Array = new Uint8Array(0);

  /** Fills `piece`; false at the end. */
  async function fillPiece(): Promise<boolean> {
    while (piece.length === 0 && source.damage === null) {
      try {
        const { value, done } = await blocks.next();
        if (done) return false;
        piece = value;
      } catch (error) {
        if (!(error instanceof DamagedFrame)) throw error;
        source.damage = error.message;
      }
    }
    return piece.length > 0;
  }

  const source: CompressedSource = {
    damage: null,
    async read(buffer, at, length) {
      // Nothing else gives way where a small file holds a lot.
      await nextTurn();
      let bytesRead = 0;
      while (bytesRead < length && (await fillPiece())) {
        const part = piece.subarray(0, length - bytesRead);
        buffer.set(part, at + bytesRead);
        bytesRead += part.length;
        piece = piece.subarray(part.length);
      }
      return { bytesRead };
    },
    close: () => file.close(),
  };
  return source;
}

/** The next bytes of a file, all of them; null at its end. Throws `DamagedFrame` where they are cut off. */
type Take = (length: number) => Promise<Buffer | null>;

function makeByteTaker(file: Awaited<ReturnType<typeof open>>): Take {
  let held = Buffer.alloc(0);
  return async (length) => {
    while (held.length < length) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(maxBlock), 0, maxBlock, null);
      if (bytesRead === 0 && held.length === 0) return null;
      if (bytesRead === 0) throw new DamagedFrame("The file ends within a frame.");
      held = Buffer.concat([held, buffer.subarray(0, bytesRead)]);
    }
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  };
}

async function* readBlocks(take: Take): AsyncGenerator<Uint8Array, void, undefined> {
  const more = async (length: number) => {
    const bytes = length === 0 ? Buffer.alloc(0) : await take(length);
    if (bytes === null) throw new DamagedFrame("The file ends within a frame.");
    return bytes;
  };
  let total = 0;
  for (let magic = await take(4); magic !== null; magic = await take(4)) {
    if (isSkippable(magic)) {
      for (let left = (await more(4)).readUInt32LE(0); left > 0; left -= maxBlock)
        await more(Math.min(left, maxBlock));
      continue;
    }
    const { header, hasChecksum } = await readFrameHeader(magic, more);
    const out: Uint8Array[] = [];
    const decoder = new Decompress((bytes) => out.push(bytes));
    const decode = (bytes: Buffer, isLast: boolean) => {
      try {
        decoder.push(bytes, isLast);
      } catch (error) {
        // Also a RangeError or TypeError: the library trusts its input.
        throw new DamagedFrame(getErrorMessage(error));
      }
    };
    decode(header, false);
    for (let isLast = false; !isLast; ) {
      const blockHeader = await more(3);
      const bits = blockHeader.readUIntLE(0, 3);
      isLast = (bits & 1) === 1;
      const isRepeated = ((bits >> 1) & 3) === 1;
      const size = bits >> 3;
      if (size > maxBlock) throw new DamagedFrame("A block is larger than the format allows.");
      const body = await more(isRepeated ? 1 : size);
      const checksum = isLast && hasChecksum ? await more(4) : Buffer.alloc(0);
      decode(Buffer.concat([blockHeader, body, checksum]), isLast);
      for (const bytes of out.splice(0)) {
        total += bytes.length;
        if (total > maxContent) throw new DamagedFrame("The file holds more than a session can.");
        yield bytes;
      }
    }
  }
}

/** 0x184D2A50 to 0x184D2A5F. */
const isSkippable = (magic: Buffer) => magic.readUInt32LE(0) >>> 4 === 0x184d2a5;

/** A frame's header, with its magic number. */
async function readFrameHeader(magic: Buffer, more: (length: number) => Promise<Buffer>) {
  if (magic.readUInt32LE(0) !== 0xfd2fb528) throw new DamagedFrame("The file is not in Zstandard's format.");
  const descriptor = await more(1);
  const flags = descriptor[0]!;
  const isSingleSegment = (flags & 0x20) !== 0;
  const window = await more(isSingleSegment ? 0 : 1);
  const dictionary = await more([0, 1, 2, 4][flags & 3]!);
  const size = await more(flags >> 6 === 0 ? (isSingleSegment ? 1 : 0) : 1 << (flags >> 6));
  const base = 2 ** (10 + ((window[0] ?? 0) >> 3));
  const needed = isSingleSegment ? parseContentSize(size) : base + (base / 8) * ((window[0] ?? 0) & 7);
  if (needed > maxWindow) throw new DamagedFrame("The file needs too much memory.");
  return {
    header: Buffer.concat([magic, descriptor, window, dictionary, size]),
    hasChecksum: (flags & 4) !== 0,
  };
}

function parseContentSize(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE(0));
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0);
}
