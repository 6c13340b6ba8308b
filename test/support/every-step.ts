import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What changes files or their names, and returns when that is done. */
const changing = [
  "writeFileSync",
  "appendFileSync",
  "openSync",
  "copyFileSync",
  "linkSync",
  "renameSync",
  "rmSync",
  "unlinkSync",
  "mkdirSync",
  "mkdtempSync",
  "truncateSync",
  "chmodSync",
  "fsyncSync",
] as const;

/**
 * Runs `work`, and keeps what a kill would leave of a directory before each of its calls that change files, and at its end. What
 * SQLite does is not seen: that is tried by `npm run test:faults`.
 * @returns copies of the directory, in order
 */
export function statesOf(dir: string, work: () => void): string[] {
  const original = { ...fs };
  const states: string[] = [];
  const to = original.mkdtempSync(join(tmpdir(), "pommel-states-"));
  // Loaded before the calls are replaced, which it would keep.
  original.cpSync(dir, join(to, "first"), { recursive: true });
  let isCopying = false;
  const keep = () => {
    if (isCopying) return;
    isCopying = true;
    const state = join(to, String(states.length));
    original.cpSync(dir, state, { recursive: true, preserveTimestamps: true });
    linkAgain(dir, state);
    states.push(state);
    isCopying = false;
  };
  /** Copies of two names of one file are two files. */
  const linkAgain = (from: string, state: string) => {
    const first = new Map<number, string>();
    for (const name of original.readdirSync(from, { recursive: true, encoding: "utf8" })) {
      const stat = original.statSync(join(from, name));
      const { ino, nlink } = stat;
      const known = first.get(ino);
      if (stat.isFile() && nlink > 1 && known !== undefined) {
        original.rmSync(join(state, name), { recursive: true });
        original.linkSync(join(state, known), join(state, name));
      }
      first.set(ino, name);
    }
  };
  for (const name of changing) {
    const call = original[name] as (...given: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        keep();
        return call(...given);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    for (const name of changing) Object.assign(fs, { [name]: original[name] });
    syncBuiltinESMExports();
  }
  keep();
  return states;
}
