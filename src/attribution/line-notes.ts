import { join } from "node:path";
import { PommelError } from "../base/errors.ts";
import { formatCount } from "../base/text/counted.ts";
import { streamChangedFiles } from "../git/diff/changes.ts";
import { readWorkingFile } from "../git/diff/uncommitted.ts";
import { GitFailure, readGitTextIfAny } from "../git/git.ts";
import { listUntrackedFiles } from "../git/working-files.ts";
import { listStoredNotes, type NotePlace } from "../store/memory/chunks/notes.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { NoteRecord } from "../store/memory/memory-records.ts";
import { type Anchor, findAnchor, makeAnchor, maxAnchoredLines } from "./lines/anchor.ts";

/** Notes on lines: where these are today. */

export interface NoteLines {
  file: string;
  firstLine: number;
  lastLine: number;
  /** changed: they have another text now; gone: nobody finds them, and this is where they were. */
  state: "same" | "changed" | "gone";
}

export interface LineNote {
  record: NoteRecord;
  lines: NoteLines;
}

/** Of a file in the working tree; null: no text, or not there. */
type ReadLines = (file: string) => readonly string[] | null;

function createLineReader(root: string): ReadLines {
  const known = new Map<string, readonly string[] | null>();
  return (file) => {
    let lines = known.get(file);
    if (lines === undefined) {
      const { text } = readWorkingFile(join(root, file));
      lines = text === null ? null : text.split(/\r?\n/);
      known.set(file, lines);
    }
    return lines;
  };
}

/**
 * What a note on lines remembers of them.
 * @param file from the project's root
 * @throws PommelError `not_found` for lines that are not there, `usage` for too many
 */
export async function anchorNote(
  root: string,
  file: string,
  { first, last }: { first: number; last: number },
): Promise<NotePlace> {
  const texts = createLineReader(root)(file);
  if (texts === null) throw new PommelError("not_found", `${file} does not exist, or is not a text file.`);
  const count = texts.at(-1) === "" ? texts.length - 1 : texts.length;
  if (first > count) throw new PommelError("not_found", `${file} has only ${formatCount(count, "line")}.`);
  const lastLine = Math.min(last, count);
  if (lastLine - first >= maxAnchoredLines)
    throw new PommelError("usage", `A note can be about at most ${maxAnchoredLines} lines.`);
  const headCommit = await readGitTextIfAny(root, ["rev-parse", "--verify", "-q", "HEAD^{commit}"]);
  return { ...makeAnchor(file, texts, { firstLine: first, lastLine }), headCommit };
}

/** The lines of notes, by the note's row; those that are on none are missing. */
export async function locateNotes(
  root: string,
  notes: readonly NoteRecord[],
  signal?: AbortSignal,
): Promise<Map<number, NoteLines>> {
  const read = createLineReader(root);
  const found = new Map<number, NoteLines>();
  const changedSince = new Map<string | null, Promise<string[]>>();
  for (const note of notes) {
    const anchor = toAnchor(note);
    if (anchor === null) continue;
    let lines = findIn(anchor, [anchor.path], read);
    if (lines === null) {
      const { headCommit } = note;
      const files = changedSince.get(headCommit) ?? listChangedSince(root, headCommit, signal);
      changedSince.set(headCommit, files);
      lines = findIn(anchor, await files, read);
    }
    found.set(note.id, lines ?? toGone(anchor));
  }
  return found;
}

/** The notes on a file's lines, in their order, and behind them those whose lines it has no more. */
export function listNotesOnFile(memory: Memory, root: string, file: string): LineNote[] {
  const read = createLineReader(root);
  return listStoredNotes(memory, { placed: true })
    .flatMap((record): LineNote[] => {
      const anchor = toAnchor(record);
      if (anchor === null) return [];
      if (anchor.path === file) return [{ record, lines: findIn(anchor, [file], read) ?? toGone(anchor) }];
      // They may have come here; most have not left.
      const here = findIn(anchor, [file], read);
      return here === null || findIn(anchor, [anchor.path], read) !== null ? [] : [{ record, lines: here }];
    })
    .sort((a, b) => rankLines(a.lines) - rankLines(b.lines) || a.lines.firstLine - b.lines.firstLine);
}

const rankLines = ({ state }: NoteLines) => (state === "gone" ? 1 : 0);

/** Those of a file's notes that are on one of some lines. */
export const listNotesOnLines = (
  memory: Memory,
  root: string,
  file: string,
  { first, last }: { first: number; last: number },
): LineNote[] =>
  listNotesOnFile(memory, root, file).filter(
    ({ lines }) => lines.state !== "gone" && lines.firstLine <= last && lines.lastLine >= first,
  );

const toAnchor = ({ path, firstLine, lastLine, lineKeys, keysFrom, isRepeated }: NotePlace): Anchor | null =>
  path === null || firstLine === null || lastLine === null
    ? null
    : { path, firstLine, lastLine, lineKeys, keysFrom, isRepeated };

const toGone = ({ path, firstLine, lastLine }: Anchor): NoteLines => ({
  file: path,
  firstLine,
  lastLine,
  state: "gone",
});

function findIn(anchor: Anchor, files: readonly string[], read: ReadLines): NoteLines | null {
  for (const file of files) {
    const texts = read(file);
    const found = texts === null ? null : findAnchor(anchor, file, texts);
    if (found === null) continue;
    const { firstLine, lastLine, isChanged } = found;
    return { file, firstLine, lastLine, state: isChanged ? "changed" : "same" };
  }
  return null;
}

/** Lines that left a file are looked for in so many others. */
const maxFilesSearched = 200;

/** Files that have lines that they had not at a commit: the renamed first. None without git, or where that commit is not here. */
async function listChangedSince(
  root: string,
  commit: string | null,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (commit === null) return [];
  const renamed: string[] = [];
  const others: string[] = [];
  try {
    for await (const { path, oldPath, isText, status } of streamChangedFiles(
      root,
      { from: commit, to: null },
      { signal },
    ))
      if (isText && status !== "D") (oldPath === null ? others : renamed).push(path);
    for await (const path of listUntrackedFiles(root, signal)) others.push(path);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  return [...renamed, ...others].slice(0, maxFilesSearched);
}
