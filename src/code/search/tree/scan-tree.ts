import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeText, isUtf16 } from "../../../base/text/decode.ts";
import type { FileStamp } from "../../../store/index/records.ts";
import { isGeneratedName, isSecretName } from "../../files/file-kind.ts";
import type { IgnoreRules } from "../../files/ignore.ts";
import { scanProject } from "../../files/scan.ts";
import { useBytes } from "../source.ts";
import { createPartCounter, type SoughtPart } from "../verbatim/part-counts.ts";

/** A file of a project, and what its text has of a question's words. */
export interface TreeFile extends FileStamp {
  /** How often its text, and how often its path, has each word; null where neither has any. */
  counts: { text: Uint32Array; path: Uint32Array } | null;
}

export interface ScannedTree {
  files: readonly TreeFile[];
  /** Of how many of them the text was looked at; of the others nothing is indexed, either. */
  read: number;
  /** There are more files: looking at them would have taken too long. */
  isCut: boolean;
}

/** Whoever asks waits: some tens of thousands of files are looked at within this. Milliseconds. */
const scanLimitMs = 2000;
/** After so much work others have their turn: the daemon answers meanwhile. Milliseconds. */
const sliceMs = 8;
/** So much of a file shows whether it is binary, as git has it. Bytes. */
const sampleBytes = 8000;

/**
 * Looks for a question's words in the text and the path of each file of a project, as it is on disk.
 * @param maxFileSize larger files are not read. Bytes
 * @throws PommelError as `scanProject`, and the signal's reason once it is aborted
 */
export async function scanTree(
  root: string,
  rules: IgnoreRules,
  words: readonly SoughtPart[],
  {
    maxFileSize,
    limitMs = scanLimitMs,
    signal,
  }: { maxFileSize: number; limitMs?: number; signal?: AbortSignal | undefined },
): Promise<ScannedTree> {
  const countIn = createPartCounter(words);
  const files: TreeFile[] = [];
  const ends = performance.now() + limitMs;
  let sliceEnds = performance.now() + sliceMs;
  let read = 0;
  signal?.throwIfAborted();
  for await (const item of scanProject(root, rules)) {
    if (item.kind !== "file") continue;
    const now = performance.now();
    if (now > ends) return { files, read, isCut: true };
    if (now > sliceEnds) {
      await nextTurn();
      signal?.throwIfAborted();
      sliceEnds = performance.now() + sliceMs;
    }
    const { stamp } = item;
    const isLeftOut = stamp.size > maxFileSize || isSecretName(stamp.path) || isGeneratedName(stamp.path);
    const text = isLeftOut ? null : useBytes(root, stamp.path, (bytes) => countPartsIn(bytes, countIn));
    if (text !== null) read++;
    const path = text && countIn(Buffer.from(stamp.path)).slice();
    const hasAny = text !== null && path !== null && (text.some(Boolean) || path.some(Boolean));
    files.push({ ...stamp, counts: hasAny ? { text, path } : null });
  }
  return { files, read, isCut: false };
}

/** null: the file is binary. */
function countPartsIn(bytes: Buffer, countIn: (bytes: Uint8Array) => Uint32Array): Uint32Array | null {
  if (isUtf16(bytes)) {
    const text = decodeText(bytes);
    return text === null ? null : countIn(Buffer.from(text)).slice();
  }
  return bytes.subarray(0, sampleBytes).includes(0) ? null : countIn(bytes).slice();
}
