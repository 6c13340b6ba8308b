import { setTimeout as sleep } from "node:timers/promises";
import { askDaemon, DaemonUnreachable } from "../../client/daemon-client.ts";
import { PommelError } from "../../project/errors.ts";
import { silentLog } from "../../project/log.ts";
import { findProject, type Project } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { humanDuration, type Output } from "../output.ts";
import { createProgress, type Progress } from "../progress.ts";

/** Shell convention for "ended by SIGINT". */
const interruptedCode = 130;

/** `pm reindex`: has the daemon do it and watches, or does it here when none runs. */
export async function reindexCommand(
  { cwd, output }: CommandContext,
  options: { path?: string[] },
): Promise<number> {
  const project = findProject(cwd);
  const paths = options.path ?? [];
  const progress = createProgress({ label: "Indexing", unit: "files" });
  try {
    return await reindexByDaemon(project, paths, progress, output);
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return await reindexHere(project, paths, progress, output);
  } finally {
    progress.finish();
  }
}

/** Ctrl-C ends the watching only; the daemon carries on. */
async function reindexByDaemon(
  project: Project,
  paths: string[],
  progress: Progress,
  output: Output,
): Promise<number> {
  const started = Date.now();
  await askDaemon(project, "index", paths.length > 0 ? { paths } : { full: true });
  for (;;) {
    const queue = await askDaemon(project, "queue", {});
    if (queue.is_idle) break;
    if (queue.last_error !== null) {
      throw new PommelError(
        "internal",
        queue.last_error,
        "The daemon tries again by itself; see `pm status`.",
      );
    }
    progress.update(queue.done, queue.total);
    await sleep(100);
  }
  progress.finish();
  const { index } = await askDaemon(project, "status", {}, 30_000);
  const took_ms = Date.now() - started;
  output.result(
    { by: "daemon", total_files: index.total_files, total_chunks: index.total_chunks, took_ms },
    `Indexed again in ${humanDuration(took_ms)}: the index holds ${index.total_files} files, ` +
      `${index.total_chunks} chunks.`,
  );
  return 0;
}

async function reindexHere(
  project: Project,
  paths: string[],
  progress: Progress,
  output: Output,
): Promise<number> {
  const { reindexInProcess } = await import("../../client/reindex-in-process.ts");
  const started = Date.now();
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const log = { ...silentLog, warn: output.note, error: output.note };
  const onProgress = (done: number, total: number) => progress.update(done, total);
  const report = await reindexInProcess(project, { paths, onProgress, signal: interruption.signal, log });
  progress.finish();
  const interrupted = interruption.signal.aborted;
  const took_ms = Date.now() - started;
  const { indexed, removed, skipped, failed } = report;
  const counts = `${indexed} files indexed, ${removed} removed, ${skipped} left out, ${failed} failed`;
  output.result(
    { by: "command", ...report, interrupted, took_ms },
    interrupted
      ? `Interrupted: ${counts}. What is indexed stays; run it again to go on.`
      : `Done in ${humanDuration(took_ms)}: ${counts}.`,
  );
  return interrupted ? interruptedCode : 0;
}
