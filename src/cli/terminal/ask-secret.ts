import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** A line that is not shown while it is written; "" for Ctrl-D. */
export function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  return new Promise((resolve) => {
    const asked = createInterface({ input: process.stdin, output: silent, terminal: true });
    let given = "";
    asked.once("line", (line) => {
      given = line;
      asked.close();
    });
    asked.once("SIGINT", () => {
      process.stderr.write("\n");
      process.exit(130);
    });
    asked.once("close", () => {
      process.stderr.write("\n");
      resolve(given);
    });
  });
}
