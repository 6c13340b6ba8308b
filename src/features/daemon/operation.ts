import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { Project } from "../../base/paths.ts";
import type { Output } from "../../terminal/output.ts";

/** The JSON of `pm daemon start`. */
export interface StartReport {
  pid: number;
  port: number;
  already_running: boolean;
  /** Files that are new or have changed; null while they are still being looked for. */
  files_to_index: number | null;
  /** null when it is too early for an estimate. */
  eta_seconds: number | null;
  /** Sessions from before Pommel came here; null while they are still being looked for. */
  past_sessions: { sessions: number; bytes: number; agents?: string[] | undefined } | null;
}

/** Starts the daemon unless it runs, and tells a person what happens now. */
export const startDaemon = defineLocalOperation(async () => {
  const { startDaemonAndReport } = await import("./pm-start.ts");
  return (project: Project | null, { output }: { output: Output }) => startDaemonAndReport(project, output);
});
