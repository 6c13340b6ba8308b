import { readDaemonRecord } from "../client/daemon-record.ts";
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
  const request = [
    "POST /spool HTTP/1.1",
    `Host: 127.0.0.1:${record.port}`,
    `Authorization: Bearer ${record.token}`,
    "Content-Length: 0",
    "Connection: close",
  ];
  await new Promise<void>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: record.port });
    const timer = setTimeout(done, patienceMs);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
    socket.on("error", done);
    socket.write(`${request.join("\r\n")}\r\n\r\n`, done);
  });
}
