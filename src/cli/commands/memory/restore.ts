import { basename, resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { withoutDaemon } from "../../../client/without-daemon.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { RestorePreview } from "../../../queries/upkeep/backups.ts";
import { relativeTime } from "../../../text/relative-time.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { givePassphrase } from "./encrypt.ts";

interface RestoreOptions {
  undo?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm memory restore`: shows what changes, asks, and puts a backup in the place of the memory. */
export async function restoreCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { undo = false, dryRun = false, yes = false }: RestoreOptions,
): Promise<number> {
  const project = await findProject(cwd);
  const backup = undo ? await undoOf(project) : await chosen(project, cwd, named);
  for (const what of [{ backup }, {}]) await givePassphrase(output, what);
  const changes = await call("previewRestore", { backup }, project);
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
  await withoutDaemon("pm memory restore", () => call("restore", { backup }, project));
  output.result(
    result(true),
    `\n${tick("ok", output.colors)} Restored. \`pm memory restore --undo\` goes back to what was there before.`,
  );
  return 0;
}

async function undoOf(project: Project): Promise<string> {
  const latest = await call("replacedLast", {}, project);
  if (latest !== null) return latest;
  throw new PommelError(
    "not_found",
    "There is no restore to undo.",
    "`pm memory backup list` lists the backups.",
  );
}

async function chosen(project: Project, cwd: string, named: string | undefined): Promise<string> {
  const all = await call("backups", {}, project);
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
    `${counted(sessions, "session")}, ${counted(notes, "note")}`;
  const last = holds?.last_at ? `, the last change ${relativeTime(Date.parse(holds.last_at))}` : "";
  const lines = holds === null ? [] : [`holds ${what(holds)}, ${counted(holds.commits, "commit")}${last}`];
  if (lost === null || gained === null) return [...lines, "the present memory cannot be read, or is missing"];
  return [...lines, `would be lost: ${what(lost)}`, `would come back: ${what(gained)}`];
}
