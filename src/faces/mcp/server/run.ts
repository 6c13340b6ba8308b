import { readFileSync } from "node:fs";
import { locateBuiltFile } from "../../../base/built-file.ts";
import { getErrorMessage } from "../../../base/errors.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { setOwnChannel } from "../../../protocol/channel.ts";
import { type FirstAnswers, greet } from "./greet.ts";

/** When to start the daemon: the agent has its first answers by then, and has asked nothing of the daemon yet. Milliseconds. */
const startDaemonAfterMs = 500;

/**
 * Serves MCP on stdin and stdout until one of them closes or a signal comes. Then the process ends, and with it all unfinished
 * calls. Only the protocol is written to stdout.
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
  // Each answer that waits for the client to read it adds a listener.
  stdout.setMaxListeners(0);
  // A call with an unexpected error must not end the others.
  process.on("uncaughtException", reportError).on("unhandledRejection", reportError);

  setTimeout(() => void startMissingDaemon(), startDaemonAfterMs).unref();
  const { unread, answered } = await greet(stdin, stdout, readFirstAnswers());
  stdin.unshift(unread);
  const { serve } = await import("./serve.ts");
  serve({ cwd, isAcross, answered, onError: reportError });
  stdin.resume();
}

/** The recorded answers; none if Pommel was not built: then the library answers. */
function readFirstAnswers(): FirstAnswers {
  try {
    return JSON.parse(readFileSync(locateBuiltFile("mcp-first-answers.json"), "utf8")) as FirstAnswers;
  } catch {
    return {};
  }
}

function reportError(error: unknown): void {
  // Write only the first line, never the text of requests or answers.
  const [said = ""] = getErrorMessage(error).split("\n", 1);
  // A message that begins with a bracket lists the faults of a request.
  const what = said === "[" ? "skipped a message outside the protocol" : said.slice(0, 300);
  process.stderr.write(`pm mcp: ${what}\n`);
}
