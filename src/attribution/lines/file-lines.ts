import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { memoize } from "../../base/text/memoize.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import type { ChangedFile } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import type { CurrentLine } from "./align.ts";
import {
  type BareLine,
  choosePlainLineReader,
  findCells,
  plainLines,
  printedLines,
  toBareLine,
} from "./line-keys.ts";

/** A changed file, ready to be compared with written lines. */
export interface FileToAttribute {
  change: ChangedFile;
  /** The new version without blank lines; only the added lines where the whole could not be read. */
  lines: CurrentLine[];
  /** The removed lines of each hunk, without blank lines. */
  removed: RemovedLine[][];
  /** Lines that nobody wrote, from 1: what a notebook's cells printed. */
  printed: ReadonlySet<number>;
  /** Of a notebook: the first and the last line of each cell, from 1. */
  cells: readonly [first: number, last: number][];
}

/** Lines that are kept bare for the next versions of their files. */
const maxBare = 50_000;

/** `toBareLine`, which remembers lines: most lines of a file are those of its version before. */
export const createBareMaker = (): MakeBare => memoize(maxBare, toBareLine);

export type MakeBare = typeof toBareLine;

export interface RemovedLine extends BareLine {
  /** In the old version, from 1. */
  line: number;
}

/** Beyond these limits only added lines are read, without their context. Files; bytes of all. */
const maxFiles = 400;
const maxBytes = 32 * 1024 * 1024;

interface FileSources {
  root: string;
  readObjects?: ReadObjects | undefined;
  makeBare?: MakeBare | undefined;
}

/** Reads the new versions of a change's text files. */
export async function readFilesToAttribute(
  { root, readObjects, makeBare = createBareMaker() }: FileSources,
  hash: string | null,
  changes: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<FileToAttribute[]> {
  const texts = changes.filter(({ isText, hunks }) => isText && hunks.length > 0);
  const whole =
    texts.length > maxFiles
      ? new Map<string, string>()
      : hash === null
        ? await readWorkingTexts(root, texts)
        : await readCommittedTexts({ root, readObjects }, hash, texts, signal);
  return texts.map((change) => buildFileToAttribute(change, whole.get(change.path) ?? null, makeBare));
}

function buildFileToAttribute(change: ChangedFile, text: string | null, makeBare: MakeBare): FileToAttribute {
  const plain = choosePlainLineReader(change.path);
  const added = new Map<number, string>();
  for (const { newStart, added: lines } of change.hunks) {
    lines.forEach((line, i) => {
      added.set(newStart + i, line);
    });
  }
  const lines: CurrentLine[] = [];
  const take = (line: number, content: string, isAdded: boolean) => {
    const { key, bare, weight } = makeBare(content);
    if (key !== 0) lines.push({ key, bare, weight, line, isAdded });
  };
  const all = text === null ? null : text.split("\n");
  // The file may have changed since the hunks were made.
  const isSame = all !== null && [...added].every(([line, content]) => all[line - 1] === content);
  const printed = new Set(isSame ? [...printedLines(change.path, all)].map((i) => i + 1) : []);
  if (isSame) {
    plainLines(change.path, all).forEach((content, i) => {
      take(i + 1, content, added.has(i + 1));
    });
  } else {
    for (const [line, content] of [...added].sort(([a], [b]) => a - b)) take(line, plain(content), true);
  }
  const removed = change.hunks.map(({ oldStart, removed: taken }) =>
    taken.flatMap((content, i) => {
      const bare = makeBare(plain(content));
      return bare.key === 0 ? [] : [{ ...bare, line: oldStart + i }];
    }),
  );
  const cells = isSame ? findCells(change.path, all) : [];
  return { change, lines, removed, printed, cells };
}

async function readWorkingTexts(root: string, changes: readonly ChangedFile[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of changes) {
    const text = await readFile(join(root, path), "utf8").catch(() => null);
    if (text !== null && text.length <= maxBytes) texts.set(path, text);
  }
  return texts;
}

/** Files that are asked for at once. */
const filesAtOnce = 50;

/** Nothing where all of them together are too large. A name with a line feed cannot be asked for, and is left out. */
async function readCommittedTexts(
  { root, readObjects }: { root: string; readObjects?: ReadObjects | undefined },
  hash: string,
  changes: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const paths = changes.map(({ path }) => path).filter((path) => !/[\n\uFFFD]/.test(path));
  const readAll = async (read: ReadObjects) => {
    const texts = new Map<string, string>();
    const { prefix } = await findPlaceInRepository(root, signal);
    let size = 0;
    for (let start = 0; start < paths.length; start += filesAtOnce) {
      const some = paths.slice(start, start + filesAtOnce);
      const makeBlobName = (path: string) => `${hash}:${prefix}${path}`;
      const found = await read(some.map(makeBlobName));
      for (const path of some) {
        const bytes = found.get(makeBlobName(path));
        if (bytes === undefined) continue;
        size += bytes.length;
        if (size > maxBytes) return new Map<string, string>();
        texts.set(path, bytes.toString());
      }
    }
    return texts;
  };
  try {
    if (readObjects) return await readAll(readObjects);
    return await withObjects(root, { maxBytes, type: "blob", signal }, readAll);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return new Map();
  }
}
