import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { BackfillRequest } from "../../../queries/checkpoints/backfill.ts";
import type { CommandContext } from "../../frame.ts";
import { interruptedCode, interruption } from "../../terminal/interruption.ts";
import { humanDuration } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { counted } from "../../terminal/text.ts";

/** `pm checkpoint backfill` */
export async function checkpointBackfillCommand(
  { cwd, output }: CommandContext,
  options: BackfillRequest,
): Promise<number> {
  const project = await findProject(cwd);
  const started = Date.now();
  const progress = createProgress({ label: "Reading history", unit: "commits" });
  const how = { signal: interruption(), onProgress: progress.update, onNote: output.note };
  const report = await call("backfill", options, project, how).finally(progress.finish);
  if (report.isShallow) {
    output.note("This clone is shallow: `git fetch --unshallow` fetches the rest.");
  }
  const took_ms = Date.now() - started;
  output.result(
    {
      commits: report.commits,
      looked_at: report.lookedAt,
      checkpoints: report.checkpoints,
      interrupted: report.isInterrupted,
      shallow: report.isShallow,
      took_ms,
    },
    () => {
      if (report.commits === 0) {
        return options.all
          ? "No commits yet."
          : "No commits since the first recorded session. --all analyses the whole history.";
      }
      const known = report.commits - report.lookedAt;
      const before =
        known > 0 && !report.isInterrupted ? ` ${counted(known, "commit")} analysed before.` : "";
      if (report.lookedAt === 0 && !report.isInterrupted) return `Nothing new.${before}`;
      const counts = `${counted(report.lookedAt, "commit")} analysed, ${counted(report.checkpoints, "checkpoint")} found`;
      if (report.isInterrupted) return `Interrupted: ${counts}. Run it again to continue.`;
      return `Done in ${humanDuration(took_ms)}: ${counts}.${before}`;
    },
  );
  return report.isInterrupted ? interruptedCode : 0;
}
