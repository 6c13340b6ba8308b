import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { addTo } from "../../../base/multimap.ts";
import type { IgnoreRules } from "../../../code/files/ignore.ts";
import { readSource } from "../../../code/files/read-source.ts";
import type { FileStamp } from "../../../store/index/records.ts";
import { shuffleBySeed } from "./pairs.ts";

/** Limits of a copy. */
const largestCopy = { files: 20_000, bytes: 300_000_000 };

/**
 * The files to copy: all, or over the limits whole directories, chosen by the seed.
 * @param stamps scanned files small enough to be indexed
 */
export function chooseFilesToCopy(
  stamps: readonly FileStamp[],
  seed: string,
  most = largestCopy,
): FileStamp[] {
  const perDirectory = new Map<string, FileStamp[]>();
  for (const stamp of stamps) {
    const directory = dirname(stamp.path);
    addTo(perDirectory, directory, stamp);
  }
  const chosen: FileStamp[] = [];
  let bytes = 0;
  for (const directory of orderDirectories(stamps, [...perDirectory.keys()], seed, most)) {
    const files = perDirectory.get(directory)!;
    const size = sumSizes(files);
    if (chosen.length + files.length > most.files || bytes + size > most.bytes) continue;
    chosen.push(...files);
    bytes += size;
  }
  return chosen;
}

function orderDirectories(
  stamps: readonly FileStamp[],
  directories: string[],
  seed: string,
  most: typeof largestCopy,
) {
  const isSmall = stamps.length <= most.files && sumSizes(stamps) <= most.bytes;
  return isSmall ? directories : shuffleBySeed(directories, `${seed} directories`);
}

function sumSizes(stamps: readonly FileStamp[]): number {
  return stamps.reduce((sum, { size }) => sum + size, 0);
}

interface CopyOptions {
  from: string;
  to: string;
  stamps: readonly FileStamp[];
  maxFileSize: number;
  /** Transforms a file's text. */
  change: (path: string, text: string) => string;
  onProgress: (done: number) => void;
  signal?: AbortSignal | undefined;
}

/** Copies the indexable files; no binaries, and nothing that holds secrets by its name. */
export async function copySources(options: CopyOptions): Promise<void> {
  const { from, to, stamps, maxFileSize, change, onProgress, signal } = options;
  for (const [done, stamp] of stamps.entries()) {
    const source = readSource(join(from, stamp.path), stamp, { maxFileSize });
    if (source.kind === "text") {
      const target = join(to, stamp.path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, change(stamp.path, source.text));
    }
    if (done % 100 > 0) continue;
    onProgress(done);
    signal?.throwIfAborted();
    await nextTurn();
  }
}

/** Ignores nothing. */
export const everything: IgnoreRules = {
  ignores: () => false,
  ignoresByName: () => false,
  check: () => null,
  within: () => () => null,
  isIgnoreFile: () => false,
  outsideFiles: [],
  reload() {},
};
