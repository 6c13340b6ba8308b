import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Project } from "../base/paths.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import {
  exportMemory,
  formatSignatureLine,
  importMemory,
  type MemoryImport,
  parseSignatureLine,
} from "../sync/memory-file.ts";
import { openSigning, type PersonSigning } from "../sync/origin/open-signing.ts";
import { SignedRecords } from "../sync/origin/signed-records.ts";
import { changeMemory } from "./changing.ts";
import type { RunContext } from "./operation.ts";

/** Receives the next lines, and how many of the memory's things are exported so far. */
export type WriteLines = (text: string, done: number, total: number) => void;

/**
 * A project's whole memory as lines of JSON, piece by piece.
 * @returns the number of records
 * @throws PommelError `no_memory`, and what `write` throws
 */
export async function exportProject(project: Project, write: WriteLines): Promise<number> {
  return exportAs(await openSigning(project.root), project, write);
}

/** @param by who signs the export; null: nobody, because it is a copy within one home */
function exportAs(by: PersonSigning | null, project: Project, write: WriteLines): Promise<number> {
  return changeMemory(project, async (work) => {
    const signed = by === null ? undefined : new SignedRecords(work.memory, by, by.name);
    let lines = 0;
    for (const { text, done, total, isLast } of exportMemory({ work, filter: true, me: by?.name }, signed)) {
      const list = isLast ? await signed?.sign() : null;
      if (list) write(formatSignatureLine(list), done, total);
      write(text, done, total);
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
      // Give a signal such as Ctrl-C a chance to be handled.
      if (done % 20 === 0) await setImmediate();
    }
    // The first and the last line are no records.
    return lines - 2;
  });
}

export interface MemoryImportRequest {
  /** What `pm memory export --all` wrote; absolute. */
  file: string;
  /** Only read it. */
  dryRun: boolean;
}

/** Imports what `exportProject` wrote. Its progress counts kilobytes, and lines. @throws PommelError `unreadable` */
export async function importFile(
  project: Project,
  { file, dryRun }: MemoryImportRequest,
  { onProgress }: RunContext,
): Promise<MemoryImport> {
  const { size } = statSync(file);
  const stream = createReadStream(file);
  try {
    const signing = await openSigning(project.root, { isTrial: true });
    return await importAs({ signing, file }, project, readStreamLines(stream), {
      dryRun,
      onProgress: (lines) =>
        onProgress?.(Math.round(stream.bytesRead / 1000), Math.ceil(size / 1000), `${lines} lines`),
    });
  } finally {
    stream.destroy();
  }
}

/** Opens the interface only when somebody reads: it loses lines that arrive before that. */
async function* readStreamLines(stream: Readable): AsyncGenerator<string> {
  yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
}

/** @param from a file, whose records belong to those who signed them; null: a copy within one home */
function importAs(
  from: { signing: PersonSigning; file: string } | null,
  project: Project,
  lines: AsyncIterable<string>,
  options: Parameters<typeof importMemory>[2],
): Promise<MemoryImport> {
  const change = async (work: ScrubbingWork) => {
    if (from === null) return importMemory({ work, filter: true }, lines, options);
    const signed = new SignedRecords(work.memory, from.signing, from.signing.name);
    if (!options?.dryRun) await acceptSignedLists(signed, from.file);
    return importMemory({ work, filter: true, authorshipOf: signed.authorshipOf }, lines, options);
  };
  return changeMemory(project, change, { create: true });
}

/** Reads the signed lists first: they stand at the end of a file, and say whose the records before them are. */
async function acceptSignedLists(signed: SignedRecords, file: string): Promise<void> {
  for await (const line of readStreamLines(createReadStream(file))) {
    const list = parseSignatureLine(line);
    if (list !== null) signed.accept(list);
  }
}

/** Adds one project's memory to another's. @throws PommelError as `exportProject` and `importFile` */
export async function copyMemory(from: Project, into: Project): Promise<MemoryImport> {
  const lines: string[] = [];
  await exportAs(null, from, (text) => void lines.push(...text.split("\n").filter((line) => line !== "")));
  return importAs(null, into, Readable.from(lines), {});
}
