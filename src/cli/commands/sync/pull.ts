import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk } from "../../terminal/ask.ts";
import { passphraseAsker, syncProgress } from "./dialogue.ts";
import { reportText, reportTrouble, syncResult } from "./report.ts";

/** `pm pull`: imports what others shared. */
export async function pullCommand(
  { cwd, output }: CommandContext,
  { dryRun = false, force = false }: { dryRun?: boolean; force?: boolean },
): Promise<undefined> {
  const project = await findProject(cwd);
  const progress = syncProgress();
  const asked = { dryRun, force, mayAsk: canAsk(output), askPassphrase: passphraseAsker(output) };
  const how = { onProgress: progress.onProgress, onNote: output.note };
  const report = await call("sync", { ...asked, direction: "pull" }, project, how).finally(progress.finish);
  reportTrouble({ ...report, leftOut: 0, waiting: 0 }, output);
  const text = reportText(report, { dryRun }, output.colors);
  output.result(syncResult(report, { dryRun, filter: true }), text);
}
