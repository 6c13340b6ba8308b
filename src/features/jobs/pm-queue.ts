import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import type { UnreachableReason } from "../../client/daemon-client.ts";
import { findProject, lookUpProject } from "../../git/projects/find-project.ts";
import { drawProgressBar } from "../../terminal/chart.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import {
  formatBytes,
  formatDuration,
  formatMark,
  nothingIndexed,
  type Screen,
} from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { fitToWidth, formatCount, formatWhen, toOneLine, wrapWithIndent } from "../../terminal/text.ts";
import { agreeToIndex } from "../index/agree-to-index.ts";
import { indexFiles } from "../index/operation.ts";
import { waitForIndex } from "../index/wait-for-index.ts";
import { showStatus } from "../status/operation.ts";
import type { JobsStatus } from "./operation.ts";
import { retryJobs, showQueue } from "./operation.ts";
import { describeWaiting } from "./words.ts";

/** `pm daemon reindex`: has the daemon do it and watches, or does it here when none runs. */
export async function reindexCommand(
  { cwd, output }: CommandContext,
  options: { path?: string[] },
): Promise<number> {
  const project = await findProject(cwd);
  await agreeToIndex(project, output);
  const paths = options.path ?? [];
  const started = Date.now();
  const progress = createProgress({ label: "Indexing", unit: "files" });
  // Where the daemon does it, Ctrl-C ends this command alone.
  const controller = new AbortController();
  const { signal } = controller;
  const onHere = () => makeInterruptionSignal(controller);
  const how = { without: "here", onHere, signal, onProgress: progress.update, onNote: output.note } as const;
  const asked = paths.length > 0 ? { paths } : { full: true };
  const { done } = await call(indexFiles, asked, project, how).finally(progress.finish);
  if (done === undefined) {
    await waitForIndex(project);
    const { index } = await call(showStatus, {}, project, { without: "fail", timeout: 30_000 });
    const took_ms = Date.now() - started;
    output.result(
      { by: "daemon", total_files: index.total_files, total_chunks: index.total_chunks, took_ms },
      `Reindexed in ${formatDuration(took_ms)}: the index holds ${index.total_files} files, ` +
        `${index.total_chunks} chunks.`,
    );
    if (index.total_files === 0) output.note(`${nothingIndexed}.`);
    return 0;
  }
  const interrupted = signal.aborted;
  const took_ms = Date.now() - started;
  const { indexed, unchanged, removed, skipped, failed } = done;
  const counts = `${indexed} ${indexed === 1 ? "file" : "files"} indexed, ${removed} removed, ${skipped} skipped, ${failed} failed`;
  output.result(
    { by: "command", ...done, interrupted, took_ms },
    interrupted
      ? `Interrupted: ${counts}. Run it again to continue.`
      : `Done in ${formatDuration(took_ms)}: ${counts}.`,
  );
  const holdsNone = indexed + unchanged + skipped + failed === 0;
  if (holdsNone && !interrupted) output.note(`${nothingIndexed}.`);
  return interrupted ? interruptedCode : 0;
}

/** The JSON of `pm daemon queue`: the state of the queue, and whether a daemon works on it. */
type QueueReport = JobsStatus & { daemon_running: boolean };

/** `pm daemon queue`: pending, running, failed and last finished jobs. */
export async function queueCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await lookUpProject(cwd);
  const report = await queueReport(project);
  output.result(report, () => renderQueue(report, output));
}

async function queueReport(project: Project): Promise<QueueReport> {
  let isRunning = true;
  // One that is too busy to answer works on the queue all the same.
  const onHere = (why: UnreachableReason) => {
    isRunning = why === "timeout";
  };
  const { sessions } = await call(showQueue, {}, project, { without: "here", onHere });
  return { ...sessions, daemon_running: isRunning };
}

/** `pm daemon queue retry [ids...]` */
export async function queueRetryCommand({ cwd, output }: CommandContext, ids: number[] = []): Promise<void> {
  const jobs = await changeFailedJobs(await findProject(cwd), ids, false);
  output.result({ jobs }, jobs === 0 ? "No failed jobs." : `${formatCount(jobs, "job")} will be retried.`);
}

/** `pm daemon queue drop [ids...]` */
export async function queueDropCommand({ cwd, output }: CommandContext, ids: number[] = []): Promise<void> {
  const jobs = await changeFailedJobs(await findProject(cwd), ids, true);
  output.result({ jobs }, jobs === 0 ? "No failed jobs." : `Discarded ${formatCount(jobs, "job")}.`);
}

/** @throws PommelError `not_found` when none of the named jobs failed */
async function changeFailedJobs(project: Project, ids: readonly number[], drop: boolean): Promise<number> {
  const request = { drop, ...(ids.length > 0 && { ids: [...ids] }) };
  const { jobs } = await call(retryJobs, request, project);
  if (jobs === 0 && ids.length > 0) {
    throw new PommelError(
      "not_found",
      `No failed job ${ids.join(" or ")}.`,
      "`pm daemon queue` shows their numbers.",
    );
  }
  return jobs;
}

const recentShown = 5;
const recentColumns: Column[] = [
  { title: "" },
  { title: "", wraps: true },
  { title: "", isNumber: true, optional: 2 },
  { title: "", isNumber: true, optional: 1 },
  { title: "" },
];
const barWidth = 20;
const outcomeMarks = { done: "ok", gone: "warn", dead: "fail" } as const;

export function renderQueue(report: QueueReport, screen: Screen): string {
  const { colors, columns } = screen;
  const { pending, running, dead, recent, eta_seconds: eta, rate_chunks_per_sec: rate } = report;
  const lines: string[] = [];
  if (report.is_idle) {
    // Summaries wait until their session has been quiet for a minute.
    const later =
      pending === 0 ? "The queue is empty." : `${formatCount(pending, "job")} for later, nothing to do now.`;
    lines.push(`${formatMark("ok", colors)} ${later}`);
  } else {
    const speed = [
      rate > 0 ? `${rate} chunks/s` : "",
      eta === null || eta === 0 ? "" : `about ${formatDuration(eta * 1000)} left`,
    ].filter((part) => part !== "");
    const counts = `${formatCount(pending, "job")} pending, ${running.length} running`;
    lines.push([counts, ...speed].join(", "));
    if (!report.daemon_running)
      lines.push(colors.warn("No daemon is running: `pm daemon start` resumes the work."));
  }
  for (const { kind, subject, done, total, waits_for } of running) {
    const size =
      total === 0
        ? ""
        : kind === "transcript"
          ? `${formatBytes(done)} of ${formatBytes(total)}`
          : `${done} of ${total}`;
    const facts = [size, describeWaiting({ waits_for })].filter((fact) => fact !== "").join(", ");
    lines.push(
      `  ${drawProgressBar(total === 0 ? 0 : done / total, barWidth)} ${kind} ${fitToWidth(subject, (columns ?? 0) - 56, screen)}  ${facts}`.trimEnd(),
    );
  }
  if (dead.length > 0) {
    lines.push("", colors.bold("Failed"));
    for (const { id, kind, subject, attempts, error } of dead) {
      lines.push(`  ${formatMark("fail", colors)} ${id}  ${kind} ${toOneLine(subject)}`);
      lines.push(
        ...wrapWithIndent(
          `      ${toOneLine(error ?? "?")} (${formatCount(attempts, "attempt")})`,
          screen,
          6,
        ).map(colors.dim),
      );
    }
    lines.push("  pm daemon queue retry    retry them      pm daemon queue drop    discard them");
  }
  if (recent.length > 0) {
    const rows = recent
      .slice(0, recentShown)
      .map(({ kind, subject, outcome, chunks, took_ms, at }) => [
        `  ${formatMark(outcomeMarks[outcome], colors)} ${kind}`,
        toOneLine(subject),
        outcome === "gone" ? "deleted before it was read" : formatCount(chunks, "chunk"),
        formatDuration(took_ms),
        formatWhen(at, screen),
      ]);
    lines.push("", colors.bold("Lately"), formatTable(recentColumns, rows, screen));
  }
  return lines.join("\n");
}
