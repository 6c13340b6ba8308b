import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Project } from "../../project/paths.ts";

/** `.pommel/hooks.json`: what installing hooks made, so that removing them leaves no trace. */

const edit = z.object({ offset: z.number(), remove: z.number(), put: z.string() });

const installed = z.object({
  /** The file, and its directory, did not exist. */
  created_file: z.boolean(),
  created_dir: z.boolean(),
  /** Containers that stood there without holding anything: `"hooks": {}`, and events with an empty array. */
  empty_hooks: z.boolean(),
  empty_events: z.array(z.string()),
  /** SHA-256 of the file as we left it: while it is the same, `undo` restores what was before byte for byte. */
  sha256: z.string(),
  undo: z.nullable(z.array(edit)),
});
export type InstalledFile = z.infer<typeof installed>;

const record = z.object({
  /** Somebody said `pm disable`: `pm init` leaves it at that. */
  disabled: z.boolean(),
  /** By the path of the settings file from the project's root, with slashes. */
  files: z.record(z.string(), installed),
});
export type InstallRecord = z.infer<typeof record>;

const fileOf = (project: Project) => join(project.stateDir, "hooks.json");

/** What the record says; that nothing is known, when there is none or it makes no sense. */
export function readRecord(project: Project): InstallRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(fileOf(project), "utf8")));
  } catch {
    return { disabled: false, files: {} };
  }
}

/** Nothing to remember is no file. */
export function writeRecord(project: Project, next: InstallRecord): void {
  const file = fileOf(project);
  if (!next.disabled && Object.keys(next.files).length === 0) {
    rmSync(file, { force: true });
    return;
  }
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
