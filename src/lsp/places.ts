import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { findProjectIfAny } from "../git/projects/find-project.ts";
import type { Project } from "../project/paths.ts";
import { locate } from "../queries/blame/file-place.ts";
import { type Lines, savedLines } from "./lines.ts";

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
export async function placeOf(document: TextDocument): Promise<Place | null> {
  const path = pathOf(document.uri);
  if (path === null) return null;
  try {
    const saved = await readFile(path, "utf8");
    const project = await findProjectIfAny(dirname(path));
    if (project === null) return null;
    const lastLine = Math.max(saved.replace(/\r?\n$/, "").split("\n").length, 1);
    const lines = savedLines(document.getText(), saved);
    return { project, file: locate(project, project.root, path), lines, lastLine };
  } catch {
    // Not saved yet, deleted since, or not to be read: nothing is known of it.
    return null;
  }
}

/** The file of a URI; null for what is no file: an editor's own buffers, a file inside an archive. */
export function pathOf(uri: string): string | null {
  if (!uri.startsWith("file:")) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}
