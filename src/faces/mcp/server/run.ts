import { readFileSync } from "node:fs";
import { locateBuiltFile } from "../../../base/built-file.ts";
import { getErrorMessage } from "../../../base/errors.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { setOwnChannel } from "../../../protocol/channel.ts";
import { type FirstAnswers, greet } from "./greet.ts";

/** The agent has its first answers by then, and has asked nothing of the daemon yet. Milliseconds. */
const startDaemonAfterMs = 500;

/**
 * Serves MCP on stdin and stdout until stdin closes, a signal comes or stdout is closed; then the process ends, and
 * with it the calls that are still worked on. Nothing but the protocol is written to stdout.
 * @param isAcross whether searches look in all projects of this machine
 */
export async function runMcp(cwd: string, isAcross = false): Promise<void> {
  setOwnChannel("mcp");
  const { stdin, stdout } = process;
  const end = () => process.exit(0);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  stdin.on("end", end).on("close", end).on("error", end);
  // The client is gone: there is no one to report to.
  stdout.on("error", end);
  // Each answer that waits to be read listens for that.
  stdout.setMaxListeners(0);
  // One call that goes wrong in an unforeseen way must not take the others along.
  process.on("uncaughtException", reportError).on("unhandledRejection", reportError);

  setTimeout(() => void startMissingDaemon(), startDaemonAfterMs).unref();
  const { unread, answered } = await greet(stdin, stdout, readFirstAnswers());
  stdin.unshift(unread);
  const { serve } = await import("./serve.ts");
  serve({ cwd, isAcross, answered, onError: reportError });
  stdin.resume();
}

/** None where Pommel was not built: then the library answers. */
function readFirstAnswers(): FirstAnswers {
  try {
    return JSON.parse(readFileSync(locateBuiltFile("mcp-first-answers.json"), "utf8")) as FirstAnswers;
  } catch {
    return {};
  }
}

function reportError(error: unknown): void {
  // Names the event, never the text of requests or answers.
  const [said = ""] = getErrorMessage(error).split("\n", 1);
  // A list of a message's faults begins with a bracket.
  const what = said === "[" ? "skipped a message outside the protocol" : said.slice(0, 300);
  process.stderr.write(`pm mcp: ${what}\n`);
}
