import { findOrStartDaemon } from "../../../client/connect.ts";
import { stopDaemon } from "../../../client/stop-daemon.ts";
import { loadConfig } from "../../../project/config/config.ts";
import type { CommandContext } from "../../frame.ts";

/** `pm restart`: ends the daemon, if one runs, starts another, and says what runs now. */
export async function restartCommand({ output }: CommandContext): Promise<void> {
  // An invalid configuration must not stop a daemon that works.
  loadConfig(null);
  const stopped = await stopDaemon();
  const { record } = await findOrStartDaemon();
  const { pid, port, version } = record;
  output.result(
    { pid, port, version, stopped_pid: stopped?.pid ?? null },
    `Pommel daemon ${version} ${stopped ? "restarted" : "started"} (PID ${pid}, port ${port}).`,
  );
}
