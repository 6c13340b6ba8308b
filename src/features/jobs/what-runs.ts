import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { isLikelyRunning, readDaemonRecord } from "../../protocol/daemon-record.ts";
import type { Palette } from "../../terminal/palette.ts";
import { showQueue } from "./operation.ts";
import { describeWork } from "./words.ts";

/** Whoever reads what is being done now waits no longer for it. Milliseconds. */
const timeoutMs = 2000;

/** What the daemon that runs is at for a project, a paragraph for people; null where none runs. */
export async function describeRunning(project: Project, colors: Palette): Promise<string | null> {
  const record = readDaemonRecord();
  if (!isLikelyRunning(record)) return null;
  const queue = await call(showQueue, {}, project, { without: "fail", timeout: timeoutMs }).catch(() => null);
  // One that is too busy to say what it does.
  if (queue === null) return `The daemon runs (PID ${record.pid}) and is busy; \`pm status\` says with what.`;
  const work = describeWork(queue, queue.sessions);
  if (work.length === 0) return `The daemon runs (PID ${record.pid}), and has nothing to do.`;
  return [
    `In the background, by the daemon (PID ${record.pid}):`,
    ...work.map((line) => `  ${line}`),
    colors.dim("  pm status --watch shows how far it is"),
  ].join("\n");
}
