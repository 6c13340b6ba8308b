import { basename, resolve } from "node:path";
import { withoutDaemon } from "../../../client/without-daemon.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import { backupFolders } from "../../../queries/projects/known-projects.ts";
import { encryptHome } from "../../../store/encryption/convert.ts";
import { envelopeFor, homeEnvelope } from "../../../store/encryption/envelope.ts";
import { contentOf, uidsOf } from "../../../store/memory/backups/backup-content.ts";
import { replacedFiles } from "../../../store/memory/backups/copies.ts";
import { checkBackup, replaceMemory } from "../../../store/memory/backups/restore.ts";
import { relativeTime } from "../../../text/relative-time.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { givePassphrase } from "../encrypt/encrypt.ts";
import { backupsFor } from "./list.ts";

interface RestoreOptions {
  undo?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm restore`: shows what changes, asks, and puts a backup in the place of the memory. */
export async function restoreCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { undo = false, dryRun = false, yes = false }: RestoreOptions,
): Promise<number> {
  const project = await findProject(cwd);
  const backup = undo ? undoOf(project) : chosen(project, cwd, named);
  for (const envelope of [envelopeFor(backup), homeEnvelope()]) await givePassphrase(envelope, output);
  checkBackup(backup);
  const changes = changesBy(project, backup);
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
  const wasEncrypted = homeEnvelope() !== null;
  await withoutDaemon("pm restore", () => {
    replaceMemory(project.memoryDb, backup);
    // What else is stored follows a memory that is encrypted from now on.
    if (!wasEncrypted && homeEnvelope()) encryptHome("", { backups: backupFolders() });
  });
  output.result(
    result(true),
    `\n${tick("ok", output.colors)} Restored. \`pm restore --undo\` goes back to what was there before.`,
  );
  return 0;
}

function undoOf(project: Project): string {
  const [latest] = replacedFiles(project.memoryDb);
  if (latest !== undefined) return latest;
  throw new PommelError("not_found", "There is no restore to undo.", "`pm backup list` lists the backups.");
}

function chosen(project: Project, cwd: string, named: string | undefined): string {
  const all = backupsFor(project);
  if (named === undefined) {
    const newest = all.find(({ reason }) => reason !== "replaced");
    if (newest) return newest.file;
    throw new PommelError("not_found", "There is no backup of this project's memory.", "Name a file.");
  }
  const listed = all[Number(named) - 1] ?? all.find(({ file }) => basename(file) === named);
  return listed?.file ?? resolve(cwd, named);
}

interface Changes {
  /** Of what the memory holds now; null when it cannot be read. */
  lost: { sessions: number; notes: number } | null;
  gained: { sessions: number; notes: number } | null;
  holds: { sessions: number; notes: number; commits: number; last_at: string | null } | null;
}

function changesBy(project: Project, backup: string): Changes {
  const content = contentOf(backup);
  const holds = content && {
    sessions: content.sessions,
    notes: content.notes,
    commits: content.commits,
    last_at: content.lastAt === null ? null : new Date(content.lastAt).toISOString(),
  };
  try {
    const [now, then] = [uidsOf(project.memoryDb), uidsOf(backup)];
    const count = (some: typeof now, others: typeof now) => ({
      sessions: [...some.sessions].filter((uid) => !others.sessions.has(uid)).length,
      notes: [...some.notes].filter((uid) => !others.notes.has(uid)).length,
    });
    return { lost: count(now, then), gained: count(then, now), holds };
  } catch {
    // Damaged or missing: whatever the backup has is gained.
    return { lost: null, gained: null, holds };
  }
}

function describe({ lost, gained, holds }: Changes): string[] {
  const what = ({ sessions, notes }: { sessions: number; notes: number }) =>
    `${counted(sessions, "session")}, ${counted(notes, "note")}`;
  const last = holds?.last_at ? `, the last change ${relativeTime(Date.parse(holds.last_at))}` : "";
  const lines = holds === null ? [] : [`holds ${what(holds)}, ${counted(holds.commits, "commit")}${last}`];
  if (lost === null || gained === null) return [...lines, "the present memory cannot be read, or is missing"];
  return [...lines, `would be lost: ${what(lost)}`, `would come back: ${what(gained)}`];
}
