import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../client/call.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { createProgress } from "./progress.ts";

/**
 * Shows a progress bar until the daemon has nothing left to index. Ctrl-C ends the watching only; the daemon
 * carries on.
 * @param limitMs waits no longer
 * @throws DaemonUnreachable when it ends meanwhile, PommelError when it cannot go on (a full disk)
 */
export async function waitForIndex(project: Project, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
  const deadline = performance.now() + limitMs;
  const progress = createProgress({ label: "Indexing", unit: "files" });
  try {
    for (;;) {
      const queue = await call("queue", {}, project, { without: "fail" });
      if (queue.code_is_idle || performance.now() > deadline) return;
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
