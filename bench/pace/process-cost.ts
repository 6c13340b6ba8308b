/** What processes cost, as Linux counts it. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Cost {
  cpuSeconds: number;
  /** The most that the process itself held, and the sum of that and the same of those that it started. */
  ownMb: number;
  peakMb: number;
  writtenMb: number;
  /** CPU seconds by the name of the thread. */
  threads: Map<string, number>;
}

const ticksPerSecond = 100;
/** How often a process is looked at that ends by itself. Milliseconds. */
const sampleMs = 20;

const read = (path: string) => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};

/** The fields of proc(5)'s `stat` from the third on: the second, a name, may hold anything. */
const statFields = (text: string) => text.slice(text.lastIndexOf(")") + 2).split(" ");
const ticksAt = (fields: readonly string[], at: number) =>
  Number(fields[at] ?? 0) + Number(fields[at + 1] ?? 0);

function childrenOf(pid: number): number[] {
  const tasks = namesIn(`/proc/${pid}/task`);
  return tasks
    .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" ").map(Number))
    .filter(Boolean);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** What a process and its living descendants have cost so far; those that have ended count with who waited for them. */
function readCost(pid: number): Cost {
  const cost: Cost = { cpuSeconds: 0, ownMb: 0, peakMb: 0, writtenMb: 0, threads: new Map() };
  const seen = new Set<number>();
  const add = (one: number) => {
    if (seen.has(one)) return;
    seen.add(one);
    const fields = statFields(read(`/proc/${one}/stat`));
    cost.cpuSeconds += (ticksAt(fields, 11) + ticksAt(fields, 13)) / ticksPerSecond;
    const heldMb = Number(/^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${one}/status`))?.[1] ?? 0) / 1024;
    cost.peakMb += heldMb;
    if (one === pid) cost.ownMb = heldMb;
    cost.writtenMb += Number(/^write_bytes: (\d+)/m.exec(read(`/proc/${one}/io`))?.[1] ?? 0) / 1e6;
    if (one === pid) {
      for (const task of namesIn(`/proc/${one}/task`)) {
        const text = read(`/proc/${one}/task/${task}/stat`);
        const name = Number(task) === one ? "main" : text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
        cost.threads.set(
          name,
          (cost.threads.get(name) ?? 0) + ticksAt(statFields(text), 11) / ticksPerSecond,
        );
      }
    }
    for (const child of childrenOf(one)) add(child);
  };
  add(pid);
  return cost;
}

/** Looks again and again until it is stopped, as threads and processes that have ended tell nothing any more. */
export function watchCost(pid: number, everyMs = sampleMs): { stop: () => Cost } {
  /** By thread: what was seen of it last, where its like may end and be started again. */
  const most: Cost = { cpuSeconds: 0, ownMb: 0, peakMb: 0, writtenMb: 0, threads: new Map() };
  const look = () => {
    const now = readCost(pid);
    most.cpuSeconds = Math.max(most.cpuSeconds, now.cpuSeconds);
    most.ownMb = Math.max(most.ownMb, now.ownMb);
    most.peakMb = Math.max(most.peakMb, now.peakMb);
    most.writtenMb = Math.max(most.writtenMb, now.writtenMb);
    for (const [name, seconds] of now.threads)
      most.threads.set(name, Math.max(most.threads.get(name) ?? 0, seconds));
  };
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

/** Between two looks. A look is a question to the daemon, so they become rarer: on a busy machine they would cost more than its work. Milliseconds. */
const minPauseMs = 50;
const pausePerElapsed = 0.02;

/** Waits until something is so; what it took is known to 2 %. @throws after `withinMs` */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  what: string,
  withinMs = 3_600_000,
): Promise<void> {
  const start = performance.now();
  while (!(await isSo())) {
    const elapsed = performance.now() - start;
    if (elapsed > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await sleep(Math.max(minPauseMs, elapsed * pausePerElapsed));
  }
}
