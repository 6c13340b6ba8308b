import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Range, type SymbolInformation, SymbolKind } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { locate } from "../../answers/file-place.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { searchCode } from "../../features/search/operation.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import { mapSavedLines, type SavedLines } from "./saved-lines.ts";

/** Lines of a document, inclusive, from 0. Editors cut a range at the end of its last line. */
export const toWholeLineRange = (first: number, last: number): Range => ({
  start: { line: first, character: 0 },
  end: { line: last, character: 2 ** 31 - 1 },
});

/** A document as Pommel knows it: a file of a project, and where its lines stand in the saved file. */
export interface DocumentFile {
  project: Project;
  /** From the project's root. */
  file: string;
  lines: SavedLines;
  /** Of the saved file. */
  lastLine: number;
}

/** The place of an open document; null if it is not a saved file of a project. */
export async function findDocumentPlace(document: TextDocument): Promise<DocumentFile | null> {
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
    // The file is not saved yet, was deleted, or cannot be read.
    return null;
  }
}

/** The file of a URI; null if it is not a file: an editor's own buffer, or a file inside an archive. */
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
