import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { TranscriptFile } from "../agent.ts";

/** Where Claude Code keeps its transcripts. */
export function roots(env: NodeJS.ProcessEnv = process.env): string[] {
  const config = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
  return [resolve(config, "projects")];
}

/** Outputs of tools that are too long for the transcript; nothing else may be there. */
const toolResults = "tool-results";

export function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") && !path.split(sep).includes(toolResults);
}

/** A client's transcripts of one place lie in a folder of `projects`. */
export function directoryOf(path: string): string | null {
  const directory = dirname(path);
  return basename(dirname(directory)) === "projects" ? directory : null;
}

/** Every `.jsonl` under a directory, or the one file that `path` is, in order of path. */
export async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const start = resolve(path);
  const file = await asFile(start);
  if (file) yield file;
  else yield* under(start);
}

async function* under(dir: string): AsyncGenerator<TranscriptFile, void, undefined> {
  for (const { name, isDirectory } of await entriesOf(dir)) {
    const path = join(dir, name);
    if (isDirectory) {
      if (name !== toolResults) yield* under(path);
    } else if (name.endsWith(".jsonl")) {
      const file = await asFile(path);
      if (file) yield file;
    }
  }
}

/** In the order that their paths have, where a directory's goes on with a slash. Links to directories are left out. */
async function entriesOf(dir: string): Promise<{ name: string; isDirectory: boolean }[]> {
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

async function asFile(path: string): Promise<TranscriptFile | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : null;
  } catch {
    return null;
  }
}
