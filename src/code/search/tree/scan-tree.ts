import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeText, isUtf16 } from "../../../base/text/decode.ts";
import type { FileStamp } from "../../../store/index/records.ts";
import { isGeneratedName, isSecretName } from "../../files/file-kind.ts";
import type { IgnoreRules } from "../../files/ignore.ts";
import { scanProject } from "../../files/scan.ts";
import type { TrackedEntry } from "../../files/tracked.ts";
import { useBytes } from "../source.ts";
import { createPartCounter, type SoughtPart } from "../verbatim/part-counts.ts";
import { type ListedFile, listWorkingTree } from "./working-tree.ts";

/** A file of a project, and what its text has of a question's words. */
export interface TreeFile extends FileStamp {
  /** How often its text, and how often its path, has each word; null where neither has any. */
  counts: { text: Uint32Array; path: Uint32Array } | null;
  /** Whether its text may have one of the words, as a part of another. */
  mayHold: boolean;
}

export interface ScannedTree {
  files: readonly TreeFile[];
  /** Of how many of them the text was looked at. */
  read: number;
  /** There are more, or more to look at: it would have taken too long. */
  isCut: boolean;
}

/**
 * Whoever asks waits: this is enough for some tens of thousands of files, on a busy machine for a thousand without git's help. Where no
 * file has any of the words yet, a later answer is better than none. Milliseconds.
 */
const scanLimitsMs = { found: 2000, nothing: 4000 } as const;
/** After so much work others have their turn: the daemon answers meanwhile. Milliseconds. */
const sliceMs = 8;
/** So much of a file shows whether it is binary, as git has it. Bytes. */
const sampleBytes = 8000;

/**
 * Looks for a question's words in the text and the path of each file of a project, as it is on disk.
 * @param tracked what git tracks, if anything
 * @param maxFileSize larger files are not read. Bytes
 * @throws PommelError as `scanProject`, and the signal's reason once it is aborted
 */
export async function scanTree(
  root: string,
  rules: IgnoreRules,
  words: readonly SoughtPart[],
  {
    tracked = [],
    maxFileSize,
    limitsMs = scanLimitsMs,
    signal,
  }: {
    tracked?: readonly TrackedEntry[];
    maxFileSize: number;
    limitsMs?: { found: number; nothing: number };
    signal?: AbortSignal | undefined;
  },
): Promise<ScannedTree> {
  const countIn = createPartCounter(words);
  const files: TreeFile[] = [];
  const started = performance.now();
  let isAnyFound = false;
  let read = 0;
  signal?.throwIfAborted();
  const listed = await listWorkingTree(root, rules, tracked, words, { limitMs: limitsMs.found, signal });
  let isCut = listed?.isCut ?? false;
  // What git has found is of no use unread, however long that took.
  const late = listed === null ? 0 : Math.max(performance.now() - started - limitsMs.found / 2, 0);
  let sliceEnds = performance.now() + sliceMs;
  for await (const { stamp, mayHold } of listed?.files ?? walk(root, rules)) {
    if (!mayHold) {
      read++;
      files.push({ ...stamp, counts: null, mayHold });
      continue;
    }
    const now = performance.now();
    if (now - started - late > (isAnyFound ? limitsMs.found : limitsMs.nothing)) {
      isCut = true;
      if (listed === null) break;
      files.push({ ...stamp, counts: null, mayHold });
      continue;
    }
    if (listed?.isIndexed(stamp.path) === false) continue;
    if (now > sliceEnds) {
      await nextTurn();
      signal?.throwIfAborted();
      sliceEnds = performance.now() + sliceMs;
    }
    const isLeftOut = stamp.size > maxFileSize || isSecretName(stamp.path) || isGeneratedName(stamp.path);
    const looked = isLeftOut
      ? null
      : useBytes(root, stamp.path, (bytes, now) => ({ now, text: countPartsIn(bytes, countIn) }));
    const text = looked?.text ?? null;
    if (text !== null) read++;
    const path = text && countIn(Buffer.from(stamp.path)).slice();
    const hasAny = text !== null && path !== null && (text.some(Boolean) || path.some(Boolean));
    isAnyFound ||= hasAny;
    files.push({ ...stamp, ...looked?.now, counts: hasAny ? { text, path } : null, mayHold });
  }
  return { files, read, isCut };
}

/** The files of a project, in the order of a walk through its directories. */
async function* walk(root: string, rules: IgnoreRules): AsyncGenerator<ListedFile, void, undefined> {
  for await (const item of scanProject(root, rules))
    if (item.kind === "file") yield { stamp: item.stamp, mayHold: true };
}

/** null: the file is binary. */
function countPartsIn(bytes: Buffer, countIn: (bytes: Uint8Array) => Uint32Array): Uint32Array | null {
  if (isUtf16(bytes)) {
    const text = decodeText(bytes);
    return text === null ? null : countIn(Buffer.from(text)).slice();
  }
  return bytes.subarray(0, sampleBytes).includes(0) ? null : countIn(bytes).slice();
}
