import v8 from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Returns unused memory to the system. V8 does not when a process becomes idle: tens of megabytes from a burst of work
 * would stay until the next one.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    v8.setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

/** What is between two collections of those who rest. Milliseconds. */
const betweenRestsMs = 30_000;
let restedAt = Number.NEGATIVE_INFINITY;
let isDue = false;

/**
 * Returns unused memory to the system, soon: ten projects that come to rest one after the other need one collection, which
 * holds up answers for 50 to 300 ms, and not ten.
 */
export function collectAtRest(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(
    () => {
      isDue = false;
      restedAt = performance.now();
      collectGarbage();
      // The second collection returns to the system what the first one freed.
      setTimeout(collectGarbage, 1000).unref();
    },
    Math.max(0, restedAt + betweenRestsMs - performance.now()),
  ).unref();
}

/** Between two collections of work that never rests. Milliseconds. */
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
  if (measureHeldBytes() < bytes) return;
  collectGarbage();
  left = measureHeldBytes();
}

function measureHeldBytes(): number {
  const { used_heap_size, external_memory } = v8.getHeapStatistics();
  return used_heap_size + external_memory;
}
