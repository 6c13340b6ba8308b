import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { requestText } from "../client/raw-request.ts";
import { codeOf } from "../project/errors.ts";
import { replaceFile } from "../project/files/replace-file.ts";
import type { Project } from "../project/paths.ts";
import { type DaemonRecord, readDaemonRecord, seemsRunning } from "../protocol/daemon-record.ts";

/**
 * Puts an item into the spool, whole or not at all, for its owner only. Its name sorts by time.
 * @param latestOf of items with the same only the last one stays: where no daemon runs, nothing piles up
 * @throws the file system's error
 */
export function writeItem(
  project: Project,
  item: { received_at: number },
  latestOf: string | null = null,
): void {
  const random = Math.random().toString(36).slice(2, 10);
  const unique = `${item.received_at}-${process.pid}-${random}.json`;
  const name = latestOf === null ? unique : `latest-${latestOf.replace(/[^\w-]/g, "_").slice(0, 100)}.json`;
  const file = join(project.spoolDir, name);
  // Names that start with a dot are still being written.
  const options = { draft: join(project.spoolDir, `.${unique}`) };
  const text = JSON.stringify(item);
  try {
    replaceFile(file, text, options);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    mkdirSync(project.spoolDir, { recursive: true, mode: 0o700 });
    replaceFile(file, text, options);
  }
}

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
