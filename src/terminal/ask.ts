import { createInterface as createLineReader } from "node:readline";
import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { PommelError } from "../base/errors.ts";
import { interruptedCode } from "./interruption.ts";
import type { Output } from "./output.ts";

/** The streams through which a person is asked. */
export interface Dialogue {
  input: Readable & { isTTY?: boolean | undefined };
  /** Not stdout, which carries only the result. */
  output: Writable & { isTTY?: boolean | undefined };
}

const makeTerminalDialogue = (): Dialogue => ({ input: process.stdin, output: process.stderr });

/** Whether there is a person to ask: not behind a pipe, not behind a script that wants JSON. */
export function canAsk(
  output: Output,
  { input, output: screen }: Dialogue = makeTerminalDialogue(),
): boolean {
  return !output.json && input.isTTY === true && screen.isTTY === true;
}

/**
 * Asks a question that is answered with yes or no.
 * @param byDefault what Enter alone means; Ctrl-D always means no
 */
export async function confirm(
  question: string,
  byDefault: boolean,
  { input, output: screen }: Dialogue = makeTerminalDialogue(),
): Promise<boolean> {
  const dialogue = createInterface({ input, output: screen });
  const ended = new Promise<string>((resolve) => dialogue.once("close", () => resolve("no")));
  const asked = dialogue.question(`${question} ${byDefault ? "[Y/n]" : "[y/N]"} `);
  const reply = (await Promise.race([asked, ended])).trim();
  dialogue.close();
  return reply === "" ? byDefault : /^y(es)?$/i.test(reply);
}

/**
 * Asks a person to agree, and prints a note if they do not.
 * @param what the beginning of the error's message: "Forgetting asks first"
 * @throws PommelError `usage` if nobody can be asked
 */
export async function agree(output: Output, what: string, question: string): Promise<boolean> {
  if (!canAsk(output)) {
    throw new PommelError(
      "usage",
      `${what}, but there is no terminal.`,
      "Preview it with --dry-run, then run it with --yes.",
    );
  }
  const isAgreed = await confirm(question, false);
  if (!isAgreed) output.print("Nothing was changed.");
  return isAgreed;
}

/** Reads a line without showing what is typed; "" for Ctrl-D. */
export function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  return new Promise((resolve) => {
    const asked = createLineReader({ input: process.stdin, output: silent, terminal: true });
    let given = "";
    asked.once("line", (line) => {
      given = line;
      asked.close();
    });
    asked.once("SIGINT", () => {
      process.stderr.write("\n");
      process.exit(interruptedCode);
    });
    asked.once("close", () => {
      process.stderr.write("\n");
      resolve(given);
    });
  });
}
