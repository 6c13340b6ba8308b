import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { isLikelyRunning, readDaemonRecord } from "../../protocol/daemon-record.ts";
import { showQueue } from "./operation.ts";
import { describeWork, type RunningDaemon } from "./words.ts";

/** Whoever reads what is being done now waits no longer for it. Milliseconds. */
const timeoutMs = 2000;

/** The daemon that runs; null where none does. */
export async function readRunning(project: Project): Promise<RunningDaemon | null> {
  const record = readDaemonRecord();
  if (!isLikelyRunning(record)) return null;
  const queue = await call(showQueue, {}, project, { without: "fail", timeout: timeoutMs }).catch(() => null);
  return { pid: record.pid, work: queue === null ? null : describeWork(queue, queue.sessions) };
}
