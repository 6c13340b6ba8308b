import type { Project } from "../project/paths.ts";
import { readDaemonRecord, seemsRunning } from "../protocol/daemon-record.ts";

/**
 * Starts the daemon of a project in the background if its process does not exist. Sends no request, so it costs next to
 * nothing, and never fails.
 * @param find the project, if there is one; may throw
 */
export async function startMissingDaemon(find: () => Project | null): Promise<void> {
  try {
    const project = find();
    if (project === null || seemsRunning(readDaemonRecord(project))) return;
    const { startInBackground } = await import("./autostart.ts");
    await startInBackground(project);
  } catch {
    // No project here, or none any more.
  }
}
