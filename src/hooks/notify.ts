import { requestText } from "../client/raw-request.ts";
import type { Project } from "../project/paths.ts";
import { type DaemonRecord, readDaemonRecord, seemsRunning } from "../protocol/daemon-record.ts";

/** A connection to this machine is made in less than one, or not at all. Milliseconds. */
const timeoutMs = 20;

/**
 * Notifies the daemon that something lies in the spool, and starts one where none runs. Waits until the request is handed
 * to the system, not for an answer, and fails in silence: the daemon looks into the spool by itself, too.
 */
export async function notifyDaemon(project: Project): Promise<void> {
  const record = readDaemonRecord(project);
  if (seemsRunning(record) && (await canSend(record))) return;
  const { startInBackground } = await import("../client/autostart.ts");
  await startInBackground(project);
}

/** Whether anybody listens where the daemon should be; one that is too busy to accept does. */
async function canSend(record: DaemonRecord): Promise<boolean> {
  const { connect } = await import("node:net");
  const request = requestText(record, "/spool", "");
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: record.port });
    const timer = setTimeout(() => resolve(true), timeoutMs);
    const done = (isThere: boolean) => {
      clearTimeout(timer);
      resolve(isThere);
    };
    socket.on("error", () => done(false));
    socket.write(request, (error) => done(!error));
  });
}
