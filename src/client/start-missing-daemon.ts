import type { Project } from "../project/paths.ts";
import { readDaemonRecord, seemsRunning } from "./daemon-record.ts";

/** Starts the daemon of `project` in the background if its process is not there. Asks nobody, so it costs next to nothing. */
export async function startMissingDaemon(project: Project): Promise<void> {
  if (seemsRunning(readDaemonRecord(project))) return;
  const { startInBackground } = await import("./autostart.ts");
  startInBackground(project);
}
