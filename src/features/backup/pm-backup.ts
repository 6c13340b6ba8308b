import { basename, dirname, resolve } from "node:path";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatBytes, formatMark } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { formatCount } from "../../terminal/text.ts";
import { givePassphrase } from "../encryption/pm-encrypt.ts";
import type { ListedBackup, RestorePreview } from "./backups.ts";
import { backUp, listBackups, previewRestore, restoreBackup } from "./operation.ts";

/** `pm memory backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  // A final slash says that it is a directory.
  const target = to === undefined ? undefined : resolve(cwd, to) + (/[\\/]$/.test(to) ? "/" : "");
  const { file, bytes, at, isEncrypted, key } = await call(backUp, { to: target }, project);
  output.result({ file, bytes, at: new Date(at).toISOString(), encrypted: isEncrypted }, () =>
    [
      `${formatMark("ok", output.colors)} Backed up the memory to ${file} (${formatBytes(bytes)}).`,
      ...(key ? [`It is encrypted: keep ${basename(key)} beside it, and a copy of the key elsewhere.`] : []),
    ].join("\n"),
  );
}

/** What each is for, as people read it. */
const reasons: Record<ListedBackup["reason"], string> = {
  daily: "daily",
  manual: "pm memory backup",
  migration: "before an update",
  replaced: "before a restore",
};

/** `pm memory backup list` */
export async function listCommand({ cwd, output }: CommandContext): Promise<number> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  const found = await call(listBackups, {}, project);
  output.result({ backups: found.map(toBackupJson) }, () =>
    found.length === 0
      ? "No backups yet. `pm memory backup` makes one; the daemon makes one a day."
      : formatTable(
          [
            { title: "#", isNumber: true },
            { title: "WHEN" },
            { title: "WHY" },
            { title: "SESSIONS", isNumber: true, optional: 1 },
            { title: "NOTES", isNumber: true, optional: 2 },
            { title: "SIZE", isNumber: true, optional: 3 },
            { title: "FILE", wraps: true },
          ],
          found.map(({ file, at, bytes, reason, content }, i) => [
            String(i + 1),
            formatRelativeTime(at),
            reasons[reason],
            content === null ? "damaged" : content === "locked" ? "locked" : String(content.sessions),
            content === null || content === "locked" ? "" : String(content.notes),
            formatBytes(bytes),
            output.columns === undefined ? file : basename(file),
          ]),
          output,
        ) + (output.columns === undefined ? "" : `\n\n${formatFolders(found)}`),
  );
  return found.length === 0 ? 5 : 0;
}

const formatFolders = (found: readonly ListedBackup[]) =>
  [...new Set(found.map(({ file }) => dirname(file)))].map((dir) => `in ${dir}`).join("\n");

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
  output.print(`Restore ${backup}`);
  for (const line of describe(changes)) output.print(`  ${line}`);
  const result = (restored: boolean) => ({ backup, ...changes, restored });
  if (dryRun) {
    output.result(result(false), "\nNothing was changed (--dry-run).");
    return 0;
  }
  if (!yes) {
    if (!canAsk(output)) {
      throw new PommelError(
        "usage",
        "Restoring replaces the memory, and there is no terminal to ask at.",
        "Preview it with --dry-run, then run it with --yes.",
      );
    }
    if (!(await confirm("\nReplace the memory?", false))) {
      output.print("Nothing was changed.");
      return 1;
    }
  }
  await withoutDaemon("pm memory restore", () => call(restoreBackup, { backup, as }, project));
  output.result(
    result(true),
    `\n${formatMark("ok", output.colors)} Restored. \`pm memory undo\` goes back to what was there before.`,
  );
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

function describe({ lost, gained, holds }: RestorePreview): string[] {
  const what = ({ sessions, notes }: { sessions: number; notes: number }) =>
    `${formatCount(sessions, "session")}, ${formatCount(notes, "note")}`;
  const last = holds?.last_at ? `, the last change ${formatRelativeTime(Date.parse(holds.last_at))}` : "";
  const lines =
    holds === null ? [] : [`holds ${what(holds)}, ${formatCount(holds.commits, "commit")}${last}`];
  if (lost === null || gained === null) return [...lines, "the present memory cannot be read, or is missing"];
  return [...lines, `would be lost: ${what(lost)}`, `would come back: ${what(gained)}`];
}
