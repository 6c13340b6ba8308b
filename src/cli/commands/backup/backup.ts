import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { findProject } from "../../../git/projects/find-project.ts";
import { loadConfig } from "../../../project/config/config.ts";
import type { Project } from "../../../project/paths.ts";
import { envelopeFor, homeEnvelope, ownEnvelope } from "../../../store/encryption/envelope.ts";
import { backUp } from "../../../store/memory/backups/backups.ts";
import { backupFolder, freeName } from "../../../store/memory/backups/copies.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, tick } from "../../terminal/output.ts";
import { givePassphrase } from "../encrypt/encrypt.ts";

/** `pm backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = await findProject(cwd);
  await givePassphrase(homeEnvelope(), output);
  const { file, bytes, at } = backUp(project.memoryDb, targetOf(project, cwd, to));
  const key = existsSync(ownEnvelope(file)) ? ownEnvelope(file) : null;
  output.result({ file, bytes, at: new Date(at).toISOString(), encrypted: envelopeFor(file) !== null }, () =>
    [
      `${tick("ok", output.colors)} Backed up the memory to ${file} (${humanBytes(bytes)}).`,
      ...(key ? [`It is encrypted: keep ${basename(key)} beside it, and a copy of the key elsewhere.`] : []),
    ].join("\n"),
  );
}

function targetOf(project: Project, cwd: string, to: string | undefined) {
  const reason = "manual" as const;
  if (to === undefined) return { folder: folderOf(project), reason };
  const path = resolve(cwd, to);
  const isFolder = /[\\/]$/.test(to) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return { file: isFolder ? freeName(path, reason) : path };
}

/** Where this project's backups lie. */
export const folderOf = (project: Project): string =>
  backupFolder(project.memoryDb, loadConfig(project).config["backup.folder"]);
