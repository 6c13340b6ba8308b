import { statSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig } from "../../../project/config/config.ts";
import { findProject, type Project } from "../../../project/paths.ts";
import { backUp, backupFolder } from "../../../store/memory/backups/backups.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, tick } from "../../terminal/output.ts";

/** `pm backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = findProject(cwd);
  const { file, bytes, at } = backUp(project.memoryDb, targetOf(project, cwd, to));
  output.result(
    { file, bytes, at: new Date(at).toISOString() },
    `${tick("ok", output.colors)} Backed up the memory to ${file} (${humanBytes(bytes)}).`,
  );
}

function targetOf(project: Project, cwd: string, to: string | undefined) {
  const reason = "manual" as const;
  if (to === undefined) return { folder: folderOf(project), reason };
  const path = resolve(cwd, to);
  const isFolder = /[\\/]$/.test(to) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? { folder: path, reason } : { file: path };
}

/** Where this project's backups lie. */
export const folderOf = (project: Project): string =>
  backupFolder(project.memoryDb, loadConfig(project).config["backup.folder"]);
