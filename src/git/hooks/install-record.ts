import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { writeJson } from "../../project/files/replace-file.ts";
import type { Project } from "../../project/paths.ts";

/**
 * `.pommel/git-hooks.json`: where hooks of git were installed. What a hook was before can be told from the hook itself,
 * with the few exceptions that are here.
 */
const record = z.object({
  /** Somebody said `pm disable`: `pm init` leaves it at that. */
  disabled: z.boolean(),
  /** The directories whose hooks were changed, from the project's root, with slashes. */
  dirs: z.array(z.string()),
  /** Those that did not exist, as `dirs`; a parent comes before what is in it. */
  created_dirs: z.array(z.string()),
  /** The hooks, as `dirs`, whose last line had no end, and got one so that ours could follow. */
  ended: z.array(z.string()),
});
export type GitHooksRecord = z.infer<typeof record>;

const fileOf = (project: Project) => join(project.stateDir, "git-hooks.json");

/** What the record says; that nothing is known, when there is none or it makes no sense. */
export function readRecord(project: Project): GitHooksRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(fileOf(project), "utf8")));
  } catch {
    return { disabled: false, dirs: [], created_dirs: [], ended: [] };
  }
}

/** Nothing to remember is no file. */
export function writeRecord(project: Project, next: GitHooksRecord): void {
  const file = fileOf(project);
  if (!next.disabled && next.dirs.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  writeJson(file, next);
}
