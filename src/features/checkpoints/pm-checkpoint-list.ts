import { toStoredPaths } from "../../answers/file-place.ts";
import { explainError } from "../../base/errors.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { call } from "../../client/call.ts";
import { findHistoryProblem } from "../../git/history/history.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { createProgress } from "../../terminal/progress.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { BackfillRequest } from "./checkpoints.ts";
import { backfill, type CheckpointsRequest, listCheckpoints } from "./operation.ts";
import { wordBackfill, wordCheckpoints } from "./words.ts";

/** `pm checkpoint list` */
export async function checkpointListCommand(
  { cwd, output }: CommandContext,
  request: CheckpointsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const [path] = request.file === undefined ? [] : toStoredPaths(project, cwd, [request.file]);
  // The whole project is no filter.
  const file = path === "**" ? undefined : path;
  const answer = await call(listCheckpoints, { ...request, file }, project);
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  const problem = answer.total === 0 ? await findHistoryProblem(project.root) : null;
  if (problem?.isBroken) throw problem;
  output.result(answer, () =>
    problem === null
      ? renderDocument(wordCheckpoints(answer, request), { screen: output, pageOf })
      : explainError(problem),
  );
}

/** `pm checkpoint backfill` */
export async function checkpointBackfillCommand(
  { cwd, output }: CommandContext,
  options: BackfillRequest,
): Promise<number> {
  const project = await findProject(cwd);
  const started = Date.now();
  const progress = createProgress({ label: "Reading history", unit: "commits" });
  const how = { signal: makeInterruptionSignal(), onProgress: progress.update, onNote: output.note };
  const report = await call(backfill, options, project, how).finally(progress.finish);
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
    () => wordBackfill(report, options.all === true, formatDuration(took_ms)),
  );
  return report.isInterrupted ? interruptedCode : 0;
}
