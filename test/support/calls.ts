import { readFileSync } from "node:fs";
import { preloaded } from "./preloaded.ts";

/**
 * Programs that die at a named call instead of after a while: which one it is, is the same on every machine. Calls are those
 * that change something: a file, a database, or anything through another program.
 */

const watching = preloaded("kill-at-call.cjs");

/** Environment of a program that dies by SIGKILL before its `n`-th call. */
export const killedAtCall = (n: number) => ({ ...watching, POMMEL_TEST_KILL_AT: String(n) });

/** Environment of a program that writes how many calls it made to `file` when it ends. */
export const countingCalls = (file: string) => ({ ...watching, POMMEL_TEST_COUNT_TO: file });

/** What a program that counted its calls has written. */
export const callsIn = (file: string): number => Number(readFileSync(file, "utf8"));

/** So many of the calls, evenly spread, the last one among them. */
export const spread = (calls: number, points: number): number[] =>
  Array.from({ length: points }, (_, i) => Math.ceil((calls * (i + 1)) / points));
