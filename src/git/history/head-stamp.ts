import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { gitDirectoryOf } from "../git-dir.ts";

/**
 * A text that is another one whenever HEAD is at another commit, read from git's own files (gitrepository-layout): git
 * itself takes as long to start as a search may take.
 * @returns null outside of a working tree
 */
export function headStamp(dir: string): string | null {
  const gitDir = gitDirectoryOf(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
    if (branch === undefined) return head;
    const common = resolve(gitDir, textOf(join(gitDir, "commondir")) ?? ".");
    const loose = textOf(join(gitDir, branch)) ?? textOf(join(common, branch));
    // Where branches are not files of their own they lie in one of these, and move when it is written.
    const tables = [
      join(common, "packed-refs"),
      ...[gitDir, common].map((dir) => join(dir, "reftable", "tables.list")),
    ];
    return `${branch} ${loose ?? tables.map(changeOf).join()}`;
  } catch {
    return null;
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function changeOf(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
  return `${mtimeMs}/${size}`;
}
