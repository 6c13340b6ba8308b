import { createHash } from "node:crypto";
import { readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { gitBuffer } from "../git.ts";
import { plain } from "../plain.ts";
import { type BytePath, fileAt, isPlainText, kindOf, shownPath } from "./byte-paths.ts";
import type { TreeChange, TreeEntry } from "./obstacles.ts";

/**
 * A restore that is killed leaves some files of the commit and some of before, and an index that knows of none of that.
 * A note in git's own directory tells such files from what somebody wrote.
 */
const note = z.object({ head: z.nullable(z.string()), commit: z.string() });
type Note = z.infer<typeof note>;

const noteIn = (gitDir: string) => join(gitDir, "pommel-rewind.json");

export function beginRestore(gitDir: string, begun: Note): void {
  writeFileSync(noteIn(gitDir), JSON.stringify(begun));
}

export function endRestore(gitDir: string): void {
  rmSync(noteIn(gitDir), { force: true });
}

/** The restore that did not come to its end; null: there is none. */
export function interruptedRestore(gitDir: string): Note | null {
  try {
    return note.parse(JSON.parse(readFileSync(noteIn(gitDir), "utf8")));
  } catch {
    return null;
  }
}

/**
 * Whether files hold nothing but what an interrupted restore left there: the content of before or of after, the
 * beginning of the latter, or nothing.
 * @throws GitFailure
 */
export async function isLeftOver(
  top: string,
  paths: readonly BytePath[],
  changes: readonly TreeChange[],
): Promise<boolean> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  for (const path of new Set(paths)) {
    const change = byPath.get(path);
    if (!change || !(await isOneOf(top, path, change))) return false;
  }
  return true;
}

async function isOneOf(top: string, path: BytePath, { from, to }: TreeChange): Promise<boolean> {
  const file = fileAt(top, path);
  const kind = kindOf(file);
  if (kind === null) return true;
  if (kind === "link") {
    const target = readlinkSync(file, { encoding: "buffer" });
    return [from, to].some((entry) => entry?.isLink && idOf(target, entry.id) === entry.id);
  }
  if (kind !== "file" || !isPlainText(path)) return false;
  const content = readFileSync(file);
  const after = await checkedOut(top, path, to);
  if (after?.subarray(0, content.length).equals(content)) return true;
  return (await checkedOut(top, path, from))?.equals(content) ?? false;
}

/** The bytes of a file as a checkout writes them, with line ends and filters. */
async function checkedOut(top: string, path: BytePath, entry: TreeEntry | null): Promise<Buffer | null> {
  if (!entry || entry.isLink || entry.isSubmodule) return null;
  return gitBuffer(top, [...plain, "cat-file", "--filters", `--path=${shownPath(path)}`, entry.id]);
}

/** The object id that git gives to a blob; SHA-1 or SHA-256, as `like`. */
function idOf(content: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}
