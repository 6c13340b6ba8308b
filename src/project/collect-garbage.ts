import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Returns unused memory to the system. V8 does not when a process becomes idle: tens of megabytes from a burst of work
 * would stay until the next one.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

/** A collection holds up answers for 50 to 100 ms. Milliseconds. */
const everyMs = 300_000;
/** CPU time of the process without which there is next to no garbage. Microseconds. */
const worthwhile = 5_000_000;

/**
 * Collects garbage during work that never rests, too: V8 would let it become several times of what is in use.
 * @returns stops it
 */
export function collectWhileBusy(): () => void {
  let before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if (user + system < worthwhile) return;
    before = process.cpuUsage();
    collectGarbage();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** What a thread may hold beyond twice of what was left last time; and, when it has nothing to do, beyond that. Bytes. */
const mayGrowBy = 48_000_000;
const mayKeep = 24_000_000;
let left = 0;

/** Collects the garbage of this thread if it is a lot: V8 would let a new thread gather 200 MB first. */
export function collectWhenGrown(): void {
  collectBeyond(2 * left + mayGrowBy);
}

/** The same after work: what that held is garbage now, and would stay until the next is done. */
export function collectAfterWork(): void {
  collectBeyond(left + mayKeep);
}

function collectBeyond(bytes: number): void {
  if (held() < bytes) return;
  collectGarbage();
  left = held();
}

function held(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
