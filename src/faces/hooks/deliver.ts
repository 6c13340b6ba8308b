import { connect } from "node:net";
import { join } from "node:path";
import { getErrorCode } from "../../base/errors.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { isOwnSocket, locateDaemonFiles, locateSocket, makeDirectory } from "../../base/home.ts";
import { formatRequest } from "../../client/raw-request.ts";
import { toFileName } from "../../protocol/ready-context.ts";
import { readPublicKey, seal } from "../../protocol/sealed-text.ts";

/**
 * Writes an item to the spool atomically, mode 0600; sealed if the home is encrypted. The names of items sort by time.
 * @param latestOf only the latest item with this key is kept, so that items do not pile up without a daemon
 * @throws the file system's error
 */
export function writeItem(item: { received_at: number }, latestOf: string | null = null): void {
  const { spoolDir } = locateDaemonFiles();
  const random = Math.random().toString(36).slice(2, 10);
  const unique = `${item.received_at}-${process.pid}-${random}.json`;
  const name = latestOf === null ? unique : `latest-${toFileName(latestOf)}.json`;
  const file = join(spoolDir, name);
  // Names that start with a dot are still being written.
  const options = { draft: join(spoolDir, `.${unique}`) };
  const publicKey = readPublicKey();
  const text = publicKey === null ? JSON.stringify(item) : seal(JSON.stringify(item), publicKey);
  try {
    replaceFile(file, text, options);
  } catch (error) {
    if (getErrorCode(error) !== "ENOENT") throw error;
    makeDirectory(spoolDir);
    replaceFile(file, text, options);
  }
}

/** A local connection takes less than 1 ms. Milliseconds. */
const timeoutMs = 20;

/**
 * Notifies the daemon of new items in the spool, and starts one if none runs. Waits until the request is sent, not for
 * an answer, and ignores failures: the daemon also polls the spool.
 */
export async function notifyDaemon(): Promise<void> {
  if (await canSend()) return;
  const { startInBackground } = await import("../../client/autostart.ts");
  await startInBackground();
}

/** Whether the daemon listens; a timeout counts as a busy daemon. */
async function canSend(): Promise<boolean> {
  const path = locateSocket();
  if (!isOwnSocket(path)) return false;
  return new Promise((resolve) => {
    const socket = connect({ path });
    const timer = setTimeout(() => resolve(true), timeoutMs);
    const done = (isThere: boolean) => {
      clearTimeout(timer);
      resolve(isThere);
    };
    socket.on("error", () => done(false));
    socket.write(formatRequest("/spool", ""), (error) => done(!error));
  });
}
