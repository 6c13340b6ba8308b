import { writeSync } from "node:fs";

/** Says on stderr, in one line, what `pm hook <name>` could not do. */
export function warn(name: string, problem: string): void {
  try {
    // Names come from a command line; whatever they are, the warning stays one line.
    writeSync(2, `warning: pm hook ${JSON.stringify(name).slice(1, -1)}: ${problem}.\n`);
  } catch {
    // Nobody reads it.
  }
}
