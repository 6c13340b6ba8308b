import { connect } from "node:net";
import { readDaemonRecord } from "../client/daemon-record.ts";
import type { RequestOf, ResponseOf } from "../client/protocol.ts";
import { requestText } from "../client/raw-request.ts";
import { findProjectIfAny } from "../project/paths.ts";
import { version } from "../project/version.ts";
import { settingsOf } from "./forwarded.ts";
import { ownStreams } from "./streams.ts";

/** A daemon that takes longer hangs, or has much to do; the command is then run here. Milliseconds. */
const timeoutMs = 10_000;

/**
 * Has the project's daemon run a command that only reads. There it is loaded, and so are the databases; here, parsing
 * the command line alone would take half as long as Node's start.
 * @param args the command line
 * @returns the exit code, or null when the command is to be run here: no daemon of this version answers, or it does not
 *   run this command
 */
export async function forward(args: readonly string[]): Promise<number | null> {
  try {
    return await askDaemonToRun(args);
  } catch {
    // What is wrong here is wrong in the command, too, which says it.
    return null;
  }
}

async function askDaemonToRun(args: readonly string[]): Promise<number | null> {
  const project = findProjectIfAny();
  const record = project && readDaemonRecord(project);
  if (record?.version !== version) return null;
  const request: RequestOf<"command"> = {
    args: [...args],
    cwd: process.cwd(),
    columns: ownStreams.columns ?? null,
    color: [ownStreams.hasColor(1), ownStreams.hasColor(2)],
    settings: settingsOf(process.env),
  };
  const answer = await exchange(record.port, requestText(record, "/command", JSON.stringify(request)));
  if (!answer?.startsWith("HTTP/1.1 200 ")) return null;
  // The daemon has this program's version, so that the shape is certain.
  const body = answer.slice(answer.indexOf("\r\n\r\n"));
  const { exit_code, output } = JSON.parse(body) as ResponseOf<"command">;
  for (const [fd, text] of output) ownStreams.write(fd, text);
  return exit_code;
}

/** Sends `request` and reads to the end; null when nobody answers in time. */
function exchange(port: number, request: string): Promise<string | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect({ host: "127.0.0.1", port });
    const end = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => end(null));
    socket.on("error", () => end(null));
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.on("end", () => end(Buffer.concat(parts).toString("utf8")));
    socket.write(request);
  });
}
