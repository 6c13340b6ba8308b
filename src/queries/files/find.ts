import { filesIn } from "../../git/working-files.ts";
import type { Project } from "../../project/paths.ts";
import type { FilesAnswer } from "../../protocol/operations/files.ts";
import type { RequestOf } from "../../protocol/routes.ts";

const listed = 20;

/** Finds files by letters of their paths, as editors do: those whose names begin with them first. @throws GitFailure */
export async function findFiles(
  { root }: Project,
  { q, limit = listed }: RequestOf<"files">,
  signal?: AbortSignal,
): Promise<FilesAnswer> {
  const letters = q.trim().toLowerCase().replace(/\s+/g, "");
  const found = (await filesIn(root, signal)).flatMap((path) => {
    const score = fitOf(letters, path);
    return score === null ? [] : [{ path, score }];
  });
  found.sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return { files: found.slice(0, limit).map(({ path }) => path), total: found.length };
}

/** How well a path fits letters that it has in their order: more is better; null: it has not. */
export function fitOf(letters: string, path: string): number | null {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (name.startsWith(letters)) return 4;
  if (name.includes(letters)) return 3;
  if (lower.includes(letters)) return 2;
  let at = -1;
  let breaks = 0;
  for (const letter of letters) {
    const next = lower.indexOf(letter, at + 1);
    if (next === -1) return null;
    if (next !== at + 1) breaks++;
    at = next;
  }
  return 1 - breaks / (letters.length + 1);
}
