import { findProject } from "../../../git/projects/find-project.ts";
import { syncProject } from "../../../queries/sync/sync.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk } from "../../terminal/confirm.ts";
import { syncDialogue, syncProgress } from "./dialogue.ts";
import { reportText, reportTrouble, syncResult } from "./report.ts";

/** `pm pull`: imports what others shared. */
export async function pullCommand(
  { cwd, output }: CommandContext,
  { dryRun = false, force = false }: { dryRun?: boolean; force?: boolean },
): Promise<undefined> {
  const project = await findProject(cwd);
  const progress = syncProgress();
  const report = await syncProject(
    project,
    { direction: "pull", dryRun, force, mayAsk: canAsk(output), onProgress: progress.onProgress },
    syncDialogue(output),
  ).finally(progress.finish);
  reportTrouble({ ...report, leftOut: 0, waiting: 0 }, output);
  const text = reportText(report, { dryRun }, output.colors);
  output.result(syncResult(report, { dryRun, filter: true }), text);
}
