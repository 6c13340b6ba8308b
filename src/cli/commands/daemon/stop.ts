import { recordStopped } from "../../../client/autostart.ts";
import { findOrStartDaemon } from "../../../client/connect.ts";
import { stopDaemon } from "../../../client/stop-daemon.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { messageOf } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";

const staysSo = "It stays stopped until `pm daemon start` or the next boot.";

/**
 * `pm daemon stop`: ends the daemon, waits until it is gone, and lets nothing but `pm daemon start` and the next boot bring it back. Fine
 * when none runs.
 */
export async function stopCommand({ output }: CommandContext): Promise<void> {
  try {
    // First: nothing may start it while it ends.
    recordStopped();
  } catch (error) {
    // A full disk, say.
    output.note(
      `warning: The stop could not be recorded, so the daemon may start again: ${messageOf(error)}.`,
    );
  }
  const stopped = await stopDaemon();
  if (!stopped) {
    output.result({ stopped: false, pid: null, how: null }, `The Pommel daemon is not running. ${staysSo}`);
    return;
  }
  const { pid, how } = stopped;
  const remark = {
    asked: "",
    terminated: " It did not answer and was sent SIGTERM.",
    killed: " It did not exit and was killed.",
  };
  output.result(
    { stopped: true, ...stopped },
    `Pommel daemon stopped (PID ${pid}).${remark[how]} ${staysSo}`,
  );
}

/** `pm daemon restart`: ends the daemon, if one runs, starts another, and says what runs now. */
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
