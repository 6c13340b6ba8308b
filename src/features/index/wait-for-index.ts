import { setTimeout as sleep } from "node:timers/promises";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { askAgain } from "../../client/ask-again.ts";
import { call } from "../../client/call.ts";
import { createProgress } from "../../terminal/progress.ts";
import { showQueue } from "../jobs/operation.ts";

/**
 * Shows a progress bar until the daemon has nothing left to index. Ctrl-C ends the watching only; the daemon
 * carries on.
 * @throws DaemonUnreachable when it ends meanwhile, PommelError when it cannot go on (a full disk)
 */
export async function waitForIndex(project: Project): Promise<void> {
  const progress = createProgress({ label: "Indexing", unit: "files" });
  try {
    for (;;) {
      const queue = await askAgain(() => call(showQueue, {}, project, { without: "fail" }));
      if (queue.code_is_idle) return;
      if (queue.last_error !== null) {
        const hint = "The daemon retries automatically; see `pm status`.";
        throw new PommelError("internal", queue.last_error, hint);
      }
      progress.update(queue.done, queue.total);
      await sleep(50);
    }
  } finally {
    progress.finish();
  }
}
