import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { Project } from "../../project/paths.ts";
import type { Output } from "../output.ts";

/** Where a person is asked. */
interface Dialogue {
  input: Readable & { isTTY?: boolean | undefined };
  /** Not stdout: that is the result's. */
  output: Writable & { isTTY?: boolean | undefined };
}

/**
 * Asks a person at a terminal whether to start the daemon, and does so on "y". Asks nobody else: not a pipe, not a
 * script that wants JSON.
 */
export async function offerDaemon(
  project: Project,
  output: Output,
  { input, output: screen }: Dialogue = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (output.json || !input.isTTY || !screen.isTTY) return;
  const dialogue = createInterface({ input, output: screen });
  // Ctrl-D is a no, like everything that is not a yes.
  const ended = new Promise<string>((resolve) => dialogue.once("close", () => resolve("")));
  const question = "\nStart the daemon, so that the index follows your changes? [y/N] ";
  const reply = await Promise.race([dialogue.question(question), ended]);
  dialogue.close();
  if (!/^y(es)?$/i.test(reply.trim())) return;
  const { findOrStartDaemon } = await import("../../client/connect.ts");
  const { record } = await findOrStartDaemon(project);
  output.note(`Pommel daemon started (PID ${record.pid}, port ${record.port}).`);
}
