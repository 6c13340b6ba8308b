import { startMissingDaemon } from "../../client/start-missing-daemon.ts";
import { messageOf } from "../../project/errors.ts";
import { setOwnDoor } from "../../protocol/door.ts";
import { boundedTransport } from "./bounded-transport.ts";
import { StdioServerTransport, serveStdio } from "./sdk.ts";
import { createServer } from "./server.ts";

/** No genuine request is longer than this. Bytes. */
const maxRequestLength = 4 * 1024 * 1024;
/** As much as may wait to be read by the client before the next call is answered. Bytes. */
const maxUnread = 256 * 1024;
/** The agent has its first answers by then, and has asked nothing of the daemon yet. Milliseconds. */
const startDaemonAfterMs = 500;

/**
 * Serves MCP on stdin and stdout until stdin closes, a signal comes or stdout is closed; then the process ends, and
 * with it the calls that are still worked on. Nothing but the protocol is written to stdout.
 */
export function runMcp(cwd: string, isAcross: boolean): void {
  setOwnDoor("mcp");
  const { stdin, stdout } = process;
  const end = () => process.exit(0);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  stdin.on("end", end).on("close", end).on("error", end);
  // The client is gone: there is no one to report to.
  stdout.on("error", end);
  // Each answer that waits to be read listens for that.
  stdout.setMaxListeners(0);
  // One call that goes wrong in an unforeseen way must not take the others along.
  process.on("uncaughtException", complain).on("unhandledRejection", complain);

  serveStdio(() => createServer({ cwd, isAcross, untilRead }), {
    transport: boundedTransport(
      new StdioServerTransport(stdin, stdout, { maxBufferSize: maxRequestLength }),
      {
        pause: () => stdin.pause(),
        resume: () => stdin.resume(),
        onFlood(open) {
          complain(new Error(`${open} requests wait for answers to be read`));
          process.exit(1);
        },
        onClosed: () => process.exit(1),
      },
    ),
    onerror: complain,
  });

  setTimeout(() => void startMissingDaemon(), startDaemonAfterMs).unref();

  async function untilRead(): Promise<void> {
    while (stdout.writableLength > maxUnread) {
      await new Promise((resolve) => stdout.once("drain", resolve));
    }
  }
}

function complain(error: unknown): void {
  // Names the event, never the text of requests or answers.
  const [said = ""] = messageOf(error).split("\n", 1);
  // A list of a message's faults begins with a bracket.
  const what = said === "[" ? "skipped a message outside the protocol" : said.slice(0, 300);
  process.stderr.write(`pm mcp: ${what}\n`);
}
