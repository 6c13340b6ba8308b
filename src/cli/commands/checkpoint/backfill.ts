import { findProject } from "../../../git/projects/find-project.ts";
import { silentLog } from "../../../project/log.ts";
import { backfillHere } from "../../../queries/checkpoints/backfill.ts";
import type { CommandContext } from "../../frame.ts";
import { humanDuration } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { counted } from "../../terminal/text.ts";

/** Shell convention for "ended by SIGINT". */
const interruptedCode = 130;

interface Options {
  since?: string;
  limit?: number;
  all?: boolean;
}

/** `pm checkpoint backfill`: does it here, whether a daemon runs or not. */
export async function checkpointBackfillCommand(
  { cwd, output }: CommandContext,
  options: Options,
): Promise<number> {
  const project = await findProject(cwd);
  const started = Date.now();
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const progress = createProgress({ label: "Reading history", unit: "commits" });
  const report = await backfillHere(project, {
    ...options,
    signal: interruption.signal,
    onProgress: (done, total) => progress.update(done, total),
    log: { ...silentLog, warn: output.note, error: output.note },
  }).finally(progress.finish);
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
