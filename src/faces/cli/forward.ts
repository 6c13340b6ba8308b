import { writeSync } from "node:fs";
import type { commandRequest, commandResponse } from "../../answers/daemon/operation.ts";
import { getErrorCode } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { exchange, formatRequest } from "../../client/raw-request.ts";
import { readDaemonRecord } from "../../protocol/daemon-record.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  isTerminal,
  leaveOnClosedPipe,
  neutralizeControls,
  shouldColor,
  shouldLink,
  showInPager,
} from "../../terminal/streams.ts";

/** The commands that a daemon may run for `pm`, some of them only with certain options: see `query` in frame.ts. */
export const commandsRunByDaemon: ReadonlySet<string> = new Set([
  "blame",
  "checkpoint",
  "code",
  "cost",
  "daemon queue",
  "dead-ends",
  "digest",
  "event",
  "how",
  "recall",
  "memory decisions",
  "memory lost",
  "memory notes",
  "radar",
  "review",
  "rules",
  "search",
  "session",
  "status",
  "why",
]);

/** Whether `names` has a command or its group. */
export function hasCommand(names: ReadonlySet<string>, [group = "", command = ""]: readonly string[]) {
  return names.has(group) || names.has(`${group} ${command}`);
}

/** The environment variables that a command's answer depends on. A daemon with other values does not run the command. */
export function pickRelevantEnv(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const names = Object.keys(env).filter(
    (name) =>
      /^(?:POMMEL_\w+|XDG_(?:CACHE|CONFIG|DATA)_HOME|HOME|TZ)$/.test(name) &&
      name !== "POMMEL_DAEMON_AUTOSTART" &&
      // This process runs the pager itself.
      name !== "POMMEL_PAGER" &&
      // An empty XDG variable counts as unset.
      !(name.startsWith("XDG_") && env[name] === ""),
  );
  return Object.fromEntries(names.sort().map((name) => [name, env[name]]));
}

/** A daemon that takes longer hangs or is busy: then this process runs the command. Milliseconds. */
const timeoutMs = 10_000;

/**
 * Asks the daemon to run a command that only reads. The daemon has the command's code and the databases loaded; in this process,
 * parsing the command line alone would take half as long as the start of Node.
 * @param args the command line
 * @returns the exit code; null if this process must run the command, because no daemon of this version answers or the daemon
 *   does not run it; "timeout" if the daemon did not answer in time
 */
export async function forward(args: readonly string[]): Promise<number | "timeout" | null> {
  try {
    return await askDaemonToRun(args);
  } catch {
    // The command will hit the same error, and report it.
    return null;
  }
}

async function askDaemonToRun(args: readonly string[]): Promise<number | "timeout" | null> {
  if (readDaemonRecord()?.version !== version) return null;
  const hasTerminal = isTerminal(1);
  const color: [boolean, boolean] = [shouldColor(1), shouldColor(2)];
  const request: Shaped<typeof commandRequest> = {
    args: [...args],
    cwd: process.cwd(),
    columns: hasTerminal ? process.stdout.columns : null,
    color,
    links: hasTerminal && shouldLink(),
    settings: pickRelevantEnv(process.env),
  };
  const asked = formatRequest("/command", JSON.stringify(request));
  const answer = await exchange(asked, { timeoutMs });
  if (answer === "timeout") return answer;
  if (answer?.status !== 200) return null;
  const answered = parseCommandAnswer(answer.body);
  if (answered === null) return null;
  const { exit_code } = answered;
  // Pommel's daemon has done this already, but something else may listen on the socket.
  const output = answered.output.map(([fd, text]) => [fd, neutralizeControls(text, color[fd - 1]!)] as const);
  const shown = hasTerminal ? output.filter(([fd]) => fd === 1) : [];
  for (const [fd, text] of output) if (fd === 2 || !hasTerminal) write(fd, Buffer.from(text));
  const text = shown.map(([, part]) => part).join("");
  if (text !== "" && !(await showInPager(text, args))) write(1, Buffer.from(text));
  return exit_code;
}

/** Checks the whole answer before any of it is printed. By hand, because a schema library loads slower than the daemon answers. */
function parseCommandAnswer(body: string): Shaped<typeof commandResponse> | null {
  const { exit_code: code, output } = JSON.parse(body) as Partial<Shaped<typeof commandResponse>>;
  const isPart = (part: unknown) =>
    Array.isArray(part) && (part[0] === 1 || part[0] === 2) && typeof part[1] === "string";
  const isFine = (code === null || Number.isInteger(code)) && Array.isArray(output) && output.every(isPart);
  return isFine ? { exit_code: code ?? null, output } : null;
}

/** The descriptors for which `process.stdout` or `process.stderr` has taken over. */
const queued = new Set<1 | 2>();

/** Writes without `process.stdout`, which takes a millisecond to create. */
function write(fd: 1 | 2, bytes: Uint8Array): void {
  let written = 0;
  try {
    // Pending output comes first.
    while (written < bytes.length && !queued.has(fd)) written += writeSync(fd, bytes, written);
  } catch (error) {
    // The reader has closed the pipe, as in `pm search x | head`.
    if (getErrorCode(error) === "EPIPE") process.exit(0);
    // The pipe is full and does not block.
    queued.add(fd);
    leaveOnClosedPipe();
  }
  if (written < bytes.length) (fd === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
}
