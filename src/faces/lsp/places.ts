import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { diffArrays } from "diff";
import { type Range, type SymbolInformation, SymbolKind } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { locate } from "../../answers/file-place.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { searchCode } from "../../features/search/operation.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";

/**
 * Where the lines of a text being edited stand in the saved file, and the other way round. Both count from 1; null: the line
 * was written, or deleted, since the file was saved.
 */
export interface Lines {
  toSaved(line: number): number | null;
  fromSaved(line: number): number | null;
}

/** Beyond so many changed lines, no line but those before and after all changes is looked for. */
const maxEdits = 2000;

const unchanged: Lines = { toSaved: (line) => line, fromSaved: (line) => line };

export function mapSavedLines(edited: string, saved: string): Lines {
  if (edited === saved) return unchanged;
  const [now, then] = [splitLines(edited), splitLines(saved)];
  const start = countSharedStart(now, then);
  const end = countSharedEnd(now, then, Math.min(now.length, then.length) - start);
  const toSaved = new Map<number, number>();
  const fromSaved = new Map<number, number>();
  const pair = (at: number, before: number) => {
    toSaved.set(at + 1, before + 1);
    fromSaved.set(before + 1, at + 1);
  };
  for (let i = 0; i < start; i++) pair(i, i);
  for (let i = 1; i <= end; i++) pair(now.length - i, then.length - i);
  const changes = diffArrays(then.slice(start, then.length - end), now.slice(start, now.length - end), {
    maxEditLength: maxEdits,
  });
  let at = start;
  let before = start;
  for (const { added, removed, count = 0 } of changes ?? []) {
    if (!added && !removed) for (let i = 0; i < count; i++) pair(at + i, before + i);
    if (!removed) at += count;
    if (!added) before += count;
  }
  return {
    toSaved: (line) => toSaved.get(line) ?? null,
    fromSaved: (line) => fromSaved.get(line) ?? null,
  };
}

const splitLines = (text: string) => text.split(/\r\n|\n|\r/);

function countSharedStart(a: readonly string[], b: readonly string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

function countSharedEnd(a: readonly string[], b: readonly string[], most: number): number {
  let i = 0;
  while (i < most && a[a.length - 1 - i] === b[b.length - 1 - i]) i++;
  return i;
}

/** Lines of a document, inclusive, from 0. Editors cut a range at the end of its last line. */
export const toWholeLineRange = (first: number, last: number): Range => ({
  start: { line: first, character: 0 },
  end: { line: last, character: 2 ** 31 - 1 },
});

/** A document as Pommel knows it: a file of a project, and where its lines stand in the saved file. */
export interface Place {
  project: Project;
  /** From the project's root. */
  file: string;
  lines: Lines;
  /** Of the saved file. */
  lastLine: number;
}

/** The place of an open document; null for one that is no saved file of a project. */
export async function findDocumentPlace(document: TextDocument): Promise<Place | null> {
  const path = toFilePath(document.uri);
  if (path === null) return null;
  try {
    const saved = await readFile(path, "utf8");
    const project = await findProjectIfAny(dirname(path));
    if (project === null) return null;
    const lastLine = Math.max(saved.replace(/\r?\n$/, "").split("\n").length, 1);
    const lines = mapSavedLines(document.getText(), saved);
    return { project, file: locate(project, project.root, path), lines, lastLine };
  } catch {
    // Not saved yet, deleted since, or not to be read: nothing is known of it.
    return null;
  }
}

/** The file of a URI; null for what is no file: an editor's own buffers, a file inside an archive. */
export function toFilePath(uri: string): string | null {
  if (!uri.startsWith("file:")) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

const kindOf: Readonly<Record<string, SymbolKind>> = {
  function: SymbolKind.Function,
  method: SymbolKind.Method,
  class: SymbolKind.Class,
  interface: SymbolKind.Interface,
  enum: SymbolKind.Enum,
  struct: SymbolKind.Struct,
  module: SymbolKind.Module,
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
};

/** Code that does what a query says, best first. */
export async function searchSymbols(project: Project, q: string): Promise<SymbolInformation[]> {
  const { results } = await call(searchCode, { q, by: "chunk", limit: 20 }, project);
  return results.map(({ file, name, kind, parent_name, start_line, end_line }) => ({
    name: name || basename(file),
    kind: kindOf[kind] ?? SymbolKind.File,
    containerName: parent_name ?? file,
    location: {
      uri: pathToFileURL(join(project.root, file)).href,
      range: toWholeLineRange(start_line - 1, end_line - 1),
    },
  }));
}
