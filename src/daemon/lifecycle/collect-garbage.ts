import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Gives back the memory of what is no longer used. V8 does not of itself when a process falls idle: tens of megabytes
 * that a burst of work has left would stay for as long as nothing happens.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
