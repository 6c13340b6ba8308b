import { setFlagsFromString } from "node:v8";

/** From this version on V8 has a compiler in between, and waits by itself: later optimising gains nothing there. */
const hasMaglev = 12;

/**
 * Has V8 optimise later, and inline less, in all threads of this process: what reads files and transcripts runs each of many
 * functions for seconds, and in several threads. A quarter of their time went into optimising them.
 */
export function optimiseLater(): void {
  if (Number.parseInt(process.versions.v8, 10) >= hasMaglev) return;
  // Bytes of bytecode that a function executes before it is looked at; V8's own are 66 kB.
  setFlagsFromString("--interrupt-budget=600000");
  // Of bytecode that a function takes in, in all; V8's own are 920.
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=400");
}
