import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** Of `getEnvironmentData`, which threads share: how many threads of this process read many sessions now. */
const readersName = "pommel.readers";

function shareReaders(): Int32Array {
  const known = getEnvironmentData(readersName);
  if (known instanceof SharedArrayBuffer) return new Int32Array(known);
  const made = new SharedArrayBuffer(4);
  setEnvironmentData(readersName, made as never);
  return new Int32Array(made);
}

/**
 * To be called by the main thread before the threads start that `isCrowded` is asked in: those know of what is counted later.
 * @param change how many more, or fewer, threads read many sessions
 */
export const countReaders = (change: -1 | 0 | 1): void => void Atomics.add(shareReaders(), 0, change);

/** Whether many sessions are being read: what else runs in this process makes do with less memory meanwhile. */
export const isCrowded = (): boolean => Atomics.load(shareReaders(), 0) > 0;
