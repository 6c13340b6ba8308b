import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { SyncRequest } from "../../../queries/sync/sync.ts";
import type { SyncReport } from "../../../sync/report.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { Output } from "../../terminal/output.ts";
import { passphraseAsker, syncProgress } from "./dialogue.ts";
import { reportText, reportTrouble, syncResult } from "./report.ts";

interface ShareGitOptions {
  pull?: boolean;
  force?: boolean;
  dryRun?: boolean;
  /** false with `--no-filter`. */
  filter: boolean;
  allowPublic?: boolean;
  everything?: boolean;
  /** How often `--yes` was given. */
  yes?: number;
}

/** `pm share git`: imports what others shared, and shares what is new here. */
export async function shareGitCommand(
  { cwd, output }: CommandContext,
  options: ShareGitOptions,
): Promise<number | undefined> {
  const { dryRun = false, filter, allowPublic = false, everything = false, yes = 0, force = false } = options;
  if (options.pull) return pull(cwd, { dryRun, force }, output);
  if (force) throw new PommelError("usage", "--force is for --pull.", "Omit it, or add --pull.");
  if (!filter && !dryRun && !(await isSure(output, yes))) {
    output.print("Nothing was shared.");
    return 1;
  }
  const report = await exchange(cwd, { dryRun, filter, allowPublic, everything }, output);
  reportTrouble(report, output);
  const text = reportText(report, { dryRun }, output.colors);
  output.result(syncResult(report, { dryRun, filter }), text);
  return report.trouble === null ? undefined : 1;
}

/** Sharing cannot be undone, so leaving the filter out needs a second confirmation. */
async function isSure(output: Output, yes: number): Promise<boolean> {
  if (yes >= 2) return true;
  if (!canAsk(output)) {
    throw new PommelError(
      "usage",
      "--no-filter may share secrets that newer rules find, and there is no terminal to ask at.",
      "Omit --no-filter, or pass --yes twice.",
    );
  }
  const first = "Share sessions without scrubbing them by the current rules?";
  const second = "Anyone who can read the remote can read them, for good. Are you sure?";
  return (await confirm(first, false)) && (await confirm(second, false));
}

async function pull(
  cwd: string,
  { dryRun, force }: { dryRun: boolean; force: boolean },
  output: Output,
): Promise<undefined> {
  const report = await exchange(cwd, { direction: "pull", dryRun, force }, output);
  reportTrouble({ ...report, leftOut: 0, waiting: 0 }, output);
  const text = reportText(report, { dryRun }, output.colors);
  output.result(syncResult(report, { dryRun, filter: true }), text);
}

async function exchange(cwd: string, request: SyncRequest, output: Output): Promise<SyncReport> {
  const project = await findProject(cwd);
  const progress = syncProgress();
  const asked = { ...request, mayAsk: canAsk(output), askPassphrase: passphraseAsker(output) };
  const how = { onProgress: progress.onProgress, onNote: output.note };
  return call("sync", asked, project, how).finally(progress.finish);
}
