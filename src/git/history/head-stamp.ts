import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { commonDirectoryOf, gitDirectoryOf } from "../git-dir.ts";

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
    const common = commonDirectoryOf(gitDir);
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

/** What a file of git's says, without the break at its end; null where it is not there. */
export function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

/** Another text whenever a file, or what lies in a directory, changes. Git replaces its files: each is a new one. */
export function changeOf(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}/${stat.size}/${stat.ino}` : "";
  } catch {
    return "unreadable";
  }
}
