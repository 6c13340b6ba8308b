import { askDaemon, DaemonUnreachable } from "../../../client/daemon-client.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { silentLog } from "../../../project/log.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { humanDuration, nothingIndexed, type Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { waitForIndex } from "../../terminal/wait-for-index.ts";

/** Shell convention for "ended by SIGINT". */
const interruptedCode = 130;

/** `pm reindex`: has the daemon do it and watches, or does it here when none runs. */
export async function reindexCommand(
  { cwd, output }: CommandContext,
  options: { path?: string[] },
): Promise<number> {
  const project = await findProject(cwd);
  const paths = options.path ?? [];
  try {
    return await reindexByDaemon(project, paths, output);
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return await reindexHere(project, paths, output);
  }
}

async function reindexByDaemon(project: Project, paths: string[], output: Output): Promise<number> {
  const started = Date.now();
  await askDaemon(project, "index", paths.length > 0 ? { paths } : { full: true });
  await waitForIndex(project);
  const { index } = await askDaemon(project, "status", {}, 30_000);
  const took_ms = Date.now() - started;
  output.result(
    { by: "daemon", total_files: index.total_files, total_chunks: index.total_chunks, took_ms },
    `Reindexed in ${humanDuration(took_ms)}: the index holds ${index.total_files} files, ` +
      `${index.total_chunks} chunks.`,
  );
  if (index.total_files === 0) output.note(`${nothingIndexed}.`);
  return 0;
}

async function reindexHere(project: Project, paths: string[], output: Output): Promise<number> {
  const { reindexInProcess } = await import("../../../client/reindex-in-process.ts");
  const started = Date.now();
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const log = { ...silentLog, warn: output.note, error: output.note };
  const progress = createProgress({ label: "Indexing", unit: "files" });
  const onProgress = (done: number, total: number) => progress.update(done, total);
  const { signal } = interruption;
  const report = await reindexInProcess(project, { paths, onProgress, signal, log }).finally(progress.finish);
  const interrupted = interruption.signal.aborted;
  const took_ms = Date.now() - started;
  const { indexed, unchanged, removed, skipped, failed } = report;
  const counts = `${indexed} ${indexed === 1 ? "file" : "files"} indexed, ${removed} removed, ${skipped} skipped, ${failed} failed`;
  output.result(
    { by: "command", ...report, interrupted, took_ms },
    interrupted
      ? `Interrupted: ${counts}. Run it again to continue.`
      : `Done in ${humanDuration(took_ms)}: ${counts}.`,
  );
  const holdsNone = indexed + unchanged + skipped + failed === 0;
  if (holdsNone && !interrupted) output.note(`${nothingIndexed}.`);
  return interrupted ? interruptedCode : 0;
}
