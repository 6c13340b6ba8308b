import { basename, resolve } from "node:path";
import { doneLine, line } from "../../answers/document.ts";
import { exitCode, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { agree } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import type { ListedBackup } from "./backups.ts";
import { backUp, listBackups, previewRestore, restoreBackup } from "./operation.ts";
import { wordBackups, wordRestore } from "./words.ts";

/** `pm memory backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  // A final slash says that it is a directory.
  const target = to === undefined ? undefined : resolve(cwd, to) + (/[\\/]$/.test(to) ? "/" : "");
  const { file, bytes, at, isEncrypted, key } = await call(backUp, { to: target }, project);
  showAnswer(output, { file, bytes, at: new Date(at).toISOString(), encrypted: isEncrypted }, () => [
    [
      doneLine("Backed up the memory to ", { text: file }, ` (${formatBytes(bytes)}).`),
      ...(key
        ? [
            line(
              "It is encrypted: keep ",
              { text: basename(key) },
              " beside it, and a copy of the key elsewhere.",
            ),
          ]
        : []),
    ],
  ]);
}

/** `pm memory backup list` */
export async function listCommand({ cwd, output }: CommandContext): Promise<number> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  const found = await call(listBackups, {}, project);
  showAnswer(output, { backups: found.map(toBackupJson) }, () =>
    wordBackups(found, output.columns !== undefined),
  );
  return found.length === 0 ? exitCode.notFound : exitCode.ok;
}

function toBackupJson({ file, at, bytes, reason, content }: ListedBackup) {
  return {
    file,
    at: new Date(at).toISOString(),
    reason,
    bytes,
    ...(content === null || content === "locked"
      ? { readable: false, locked: content === "locked" }
      : {
          readable: true,
          schema: content.schema,
          sessions: content.sessions,
          notes: content.notes,
          commits: content.commits,
          last_at: content.lastAt === null ? null : new Date(content.lastAt).toISOString(),
        }),
  };
}

interface RestoreOptions {
  as?: string;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm memory restore`: shows what changes, asks, and puts a backup in the place of the memory. */
export async function restoreCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { as, dryRun = false, yes = false }: RestoreOptions,
): Promise<number> {
  const project = await findProject(cwd);
  const backup = await chooseBackup(project, cwd, named);
  for (const what of [{ backup }, {}]) await givePassphrase(output, what);
  const changes = await call(previewRestore, { backup, as }, project);
  output.print(renderDocument(wordRestore(backup, changes), { screen: output }));
  const result = (restored: boolean) => ({ backup, ...changes, restored });
  if (dryRun) {
    output.result(result(false), "\nNothing was changed (--dry-run).");
    return 0;
  }
  const what = "Restoring replaces the memory and asks first";
  if (!yes && !(await agree(output, what, "\nReplace the memory?"))) return 1;
  await withoutDaemon("pm memory restore", () => call(restoreBackup, { backup, as }, project));
  const done = doneLine("Restored. `pm memory undo` goes back to what was there before.");
  showAnswer(output, result(true), () => [[line(""), done]]);
  return 0;
}

async function chooseBackup(project: Project, cwd: string, named: string | undefined): Promise<string> {
  const all = await call(listBackups, {}, project);
  if (named === undefined) {
    const newest = all.find(({ reason }) => reason !== "replaced");
    if (newest) return newest.file;
    throw new PommelError("not_found", "There is no backup of this project's memory.", "Name a file.");
  }
  const listed = all[Number(named) - 1] ?? all.find(({ file }) => basename(file) === named);
  return listed?.file ?? resolve(cwd, named);
}
