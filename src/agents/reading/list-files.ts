import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { TranscriptFile } from "../agent.ts";

interface ListFilesOptions {
  /** Filters files by path. */
  isWanted: (path: string) => boolean;
  /** Names of directories to skip. */
  without?: ReadonlySet<string>;
}

/** Every matching file under a directory, or `path` itself if it is a file, in order of path. */
export async function* listFiles(
  path: string,
  options: ListFilesOptions,
): AsyncGenerator<TranscriptFile, void, undefined> {
  const start = resolve(path);
  const file = await statTranscriptFile(start);
  if (file) yield file;
  else yield* walkDirectory(start, options);
}

async function* walkDirectory(
  dir: string,
  options: ListFilesOptions,
): AsyncGenerator<TranscriptFile, void, undefined> {
  for (const { name, isDirectory } of await readEntries(dir)) {
    const path = join(dir, name);
    if (isDirectory) {
      if (!options.without?.has(name)) yield* walkDirectory(path, options);
    } else if (options.isWanted(path)) {
      const file = await statTranscriptFile(path);
      if (file) yield file;
    }
  }
}

/** Sorted by path, directories with a final slash. Skips links to directories. */
async function readEntries(dir: string): Promise<{ name: string; isDirectory: boolean }[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(dir, { withFileTypes: true });
  } catch {
    return [];
  }
  const keyed = entries.map((entry) => {
    const isDirectory = entry.isDirectory();
    return { name: entry.name, isDirectory, key: isDirectory ? `${entry.name}/` : entry.name };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function statTranscriptFile(path: string): Promise<TranscriptFile | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : null;
  } catch {
    return null;
  }
}
