import { stopDaemon } from "../../client/stop-daemon.ts";
import { findProject } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";

/** `pm stop`: ends the daemon and waits until it is gone. Fine when none runs. */
export async function stopCommand({ cwd, output }: CommandContext): Promise<void> {
  const stopped = await stopDaemon(findProject(cwd));
  if (!stopped) {
    output.result({ stopped: false, pid: null, how: null }, "The Pommel daemon is not running.");
    return;
  }
  const { pid, how } = stopped;
  const remark = {
    asked: "",
    terminated: " It did not answer and was sent SIGTERM.",
    killed: " It did not end by itself and was killed.",
  };
  output.result({ stopped: true, ...stopped }, `Pommel daemon stopped (PID ${pid}).${remark[how]}`);
}
