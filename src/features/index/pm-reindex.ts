import { formatDuration } from "../../base/text/duration.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { agreeToIndex } from "../../terminal/agree-to-index.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import { createProgress } from "../../terminal/progress.ts";
import { showStatus } from "../status/operation.ts";
import { nothingIndexed } from "../status/words.ts";
import { indexFiles, waitForIndex } from "./operation.ts";

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
    await call(waitForIndex, {}, project);
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
