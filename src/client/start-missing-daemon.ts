import { isLikelyRunning, readDaemonRecord } from "../protocol/daemon-record.ts";

/**
 * Starts the daemon in the background if its process does not exist. Sends no request, so it costs next to nothing, and
 * never fails.
 */
export async function startMissingDaemon(): Promise<void> {
  if (isLikelyRunning(readDaemonRecord())) return;
  const { startInBackground } = await import("./autostart.ts");
  await startInBackground();
}
