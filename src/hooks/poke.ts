import { readDaemonRecord } from "../client/daemon-record.ts";
import { requestText } from "../client/raw-request.ts";
import type { Project } from "../project/paths.ts";

/** A connection to this machine is made in less than one, or not at all. Milliseconds. */
const patienceMs = 20;

/**
 * Tells the daemon that something lies in the spool. Waits until the request is handed to the system, not for an
 * answer, and fails in silence: the daemon looks into the spool by itself, too.
 */
export async function pokeDaemon(project: Project): Promise<void> {
  const record = readDaemonRecord(project);
  if (!record) return;
  const { connect } = await import("node:net");
  const request = requestText(record, "/spool", "");
  await new Promise<void>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: record.port });
    const timer = setTimeout(done, patienceMs);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
    socket.on("error", done);
    socket.write(request, done);
  });
}
