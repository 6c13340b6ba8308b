import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Project } from "../../project/paths.ts";
import { exportMemory } from "../../sync/memory-file/export-memory.ts";
import { importMemory, type MemoryImport } from "../../sync/memory-file/import-memory.ts";
import { changing } from "../changing.ts";

/**
 * A project's whole memory as lines of JSON, piece by piece. Read in this process: a daemon may write meanwhile.
 * @param write gets the next lines, and how many of the memory's things they complete
 * @returns the number of records
 * @throws PommelError `no_memory`, and what `write` throws
 */
export function exportProject(
  project: Project,
  write: (text: string, done: number, total: number) => void,
): Promise<number> {
  return changing(project, async (work) => {
    let lines = 0;
    for (const { text, done, total } of exportMemory({ work, filter: true })) {
      write(text, done, total);
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
      // Lets Ctrl-C through.
      if (done % 20 === 0) await setImmediate();
    }
    // Without the first line and the last.
    return lines - 2;
  });
}

/** Imports such lines into a project, whose daemon sees them with its next query. @throws PommelError `unreadable` */
export function importProject(
  project: Project,
  lines: AsyncIterable<string>,
  options: Parameters<typeof importMemory>[2],
): Promise<MemoryImport> {
  return changing(project, (work) => importMemory({ work, filter: true }, lines, options), {
    create: true,
  });
}

/** Puts what one project remembers into the memory of another, which keeps its own. @throws PommelError as the two above */
export async function copyMemory(from: Project, into: Project): Promise<MemoryImport> {
  const lines: string[] = [];
  await exportProject(from, (text) => void lines.push(...text.split("\n").filter((line) => line !== "")));
  return importProject(into, Readable.from(lines), {});
}
