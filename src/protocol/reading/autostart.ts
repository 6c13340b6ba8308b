import { formatDuration } from "../../base/text/duration.ts";
import type { AutostartStatus } from "../autostart-status.ts";

/** Whether a stopped daemon restarts automatically, and if not, what to do. */
export function describeAutostart(
  status: AutostartStatus,
  now: number = Date.now(),
): [what: string, hint: string] {
  switch (status.state) {
    case "ready":
      return ["The next search or hook starts it.", "`pm daemon start` starts it now."];
    case "off":
      return ["It does not start automatically: daemon.autostart is false.", "Run `pm daemon start`."];
    case "ci":
      return [
        "It does not start automatically in CI.",
        "Run `pm daemon start`, or set POMMEL_DAEMON_AUTOSTART=true in the environment.",
      ];
    case "stopped":
      return [
        "It was stopped with `pm daemon stop` and stays stopped until the next boot.",
        "Run `pm daemon start`.",
      ];
    case "starting":
      return ["It is starting.", "Try again in a moment."];
    case "failed":
      return [describeFailure(status, now), "`pm daemon start` tries now; `pm daemon logs` shows more."];
  }
}

function describeFailure({ failed_starts: count, error, retry_at }: AutostartStatus, now: number): string {
  const starts = count === 1 ? "Its last start" : `Its last ${count} starts`;
  const problem = error === null ? "It exited right after its last start." : `${starts} failed: ${error}`;
  const wait = retry_at === null ? 0 : Date.parse(retry_at) - now;
  return `${problem} ${wait > 0 ? `Pommel tries again in ${formatDuration(wait)}.` : "The next search or hook tries again."}`;
}
