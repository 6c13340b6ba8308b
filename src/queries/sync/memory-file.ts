import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Project } from "../../project/paths.ts";
import { exportMemory, importMemory, type MemoryImport } from "../../sync/memory-file.ts";
import { changing } from "../changing.ts";
import type { Running } from "../operations.ts";
import { shareAuthor } from "./sync.ts";

/** Gets the next lines, and how many of the memory's things they complete. */
export type WriteLines = (text: string, done: number, total: number) => void;

/**
 * A project's whole memory as lines of JSON, piece by piece.
 * @returns the number of records
 * @throws PommelError `no_memory`, and what `write` throws
 */
export async function exportProject(project: Project, write: WriteLines): Promise<number> {
  return exportAs(await nameIn(project), project, write);
}

/** Undefined where this person has no name: then records without one are this person's. */
const nameIn = async (project: Project) => (await shareAuthor(project.root)) ?? undefined;

function exportAs(me: string | undefined, project: Project, write: WriteLines): Promise<number> {
  return changing(project, async (work) => {
    let lines = 0;
    for (const { text, done, total } of exportMemory({ work, filter: true, me })) {
      write(text, done, total);
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
      // Lets Ctrl-C through.
      if (done % 20 === 0) await setImmediate();
    }
    // Without the first line and the last.
    return lines - 2;
  });
}

export interface MemoryImportRequest {
  /** What `pm memory export --all` wrote; absolute. */
  file: string;
  /** Only read it. */
  dryRun: boolean;
}

/** Imports such lines from a file; counts its kilobytes, and lines. @throws PommelError `unreadable` */
export async function importFile(
  project: Project,
  { file, dryRun }: MemoryImportRequest,
  { onProgress }: Running,
): Promise<MemoryImport> {
  const { size } = statSync(file);
  const stream = createReadStream(file);
  try {
    return await importAs(await nameIn(project), project, linesOf(stream), {
      dryRun,
      onProgress: (lines) =>
        onProgress?.(Math.round(stream.bytesRead / 1000), Math.ceil(size / 1000), `${lines} lines`),
    });
  } finally {
    stream.destroy();
  }
}

/** Opened by the first reader: an interface loses the lines that it reads before somebody waits for them. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
}

function importAs(
  me: string | undefined,
  project: Project,
  lines: AsyncIterable<string>,
  options: Parameters<typeof importMemory>[2],
): Promise<MemoryImport> {
  return changing(project, (work) => importMemory({ work, filter: true, me }, lines, options), {
    create: true,
  });
}

/** Puts what one project remembers into the memory of another, which keeps its own. @throws PommelError as the two above */
export async function copyMemory(from: Project, into: Project): Promise<MemoryImport> {
  const lines: string[] = [];
  await exportAs(
    undefined,
    from,
    (text) => void lines.push(...text.split("\n").filter((line) => line !== "")),
  );
  return importAs(undefined, into, Readable.from(lines), {});
}
