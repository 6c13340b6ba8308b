import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listUntrackedFiles } from "../working-files.ts";
import { streamChangedFiles } from "./changes.ts";
import type { ChangedFile } from "./changes-types.ts";

/** Larger files of a working tree are not read. Bytes. */
export const maxWorkingBytes = 2_000_000;

/**
 * What is not committed, files that git does not track included: these have all of their lines added, or none where they are no
 * text or too large.
 * @param paths only files at or below them
 * @throws GitFailure
 */
export async function listUncommittedChanges(
  root: string,
  { paths, signal }: { paths?: readonly string[] | undefined; signal?: AbortSignal | undefined } = {},
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  for await (const file of streamChangedFiles(root, { from: "HEAD", to: null }, { paths, signal }))
    files.push(file);
  for await (const path of listUntrackedFiles(root, signal, paths)) {
    const { text, isTooLarge } = readWorkingFile(join(root, path));
    const added = text === null ? [] : splitIntoLines(text);
    const hunks = added.length === 0 ? [] : [{ oldStart: 1, newStart: 1, removed: [], added }];
    const facts = { path, oldPath: null, status: "A" as const, isText: text !== null, hunks };
    files.push({ ...facts, ...(isTooLarge && { isTooLarge }) });
  }
  return files;
}

/** Without a text: no text, too large, or gone by now. */
export function readWorkingFile(file: string): { text: string | null; isTooLarge?: true } {
  try {
    // Of a link git has the path that it leads to: what is there may be anybody's.
    const facts = lstatSync(file);
    if (!facts.isFile()) return { text: null };
    if (facts.size > maxWorkingBytes) return { text: null, isTooLarge: true };
    const text = readFileSync(file, "utf8");
    return { text: text.includes("\0") ? null : text };
  } catch {
    return { text: null };
  }
}

export const splitIntoLines = (text: string): string[] => text.replace(/\n$/, "").split("\n");
