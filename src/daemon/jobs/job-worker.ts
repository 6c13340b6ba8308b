import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { getErrorCode, getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { Rerun } from "../../base/rerun.ts";
import { isDamaged } from "../../store/sqlite/database.ts";

/** An id that distinguishes this process's jobs from those of all others, even of a later process with the same pid. */
export function makeJobOwner(): string {
  return [process.pid, readOwnStart(), randomBytes(4).toString("hex")].join("-");
}

let ownStart: string | undefined;
/** As `readProcessStart`, of this process, which is asked for with every job. */
const readOwnStart = (): string => (ownStart ??= readProcessStart(process.pid));

/** Whether the process that an owner names still runs. */
export function isOwnerAlive(owner: string): boolean {
  const [, pid, beginning] = /^(\d+)-(\d*)-[0-9a-f]{8}$/.exec(owner) ?? [];
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return beginning === "" || beginning === readOwnStart();
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    if (getErrorCode(error) !== "EPERM") return false;
  }
  return beginning === "" || readProcessStart(Number(pid)) === beginning;
}

/**
 * The start time of a process, in the system's own ticks (proc(5), field 22); "" if the system does not provide it, "0"
 * for a zombie.
 */
function readProcessStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may contain spaces and brackets.
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(state) ? "0" : (fields[18] ?? "");
  } catch {
    return "";
  }
}

interface WorkerOptions {
  /**
   * Does the next due job; false if none is due. If it is interrupted, the job can be resumed.
   * @throws an error that keeps all jobs from being done
   */
  next: (signal: AbortSignal) => Promise<boolean>;
  /** When the next waiting job can be begun; null when none can. Milliseconds since the epoch. */
  nextDue: () => number | null;
  /** Called if the database is damaged; the worker has stopped. */
  onCorrupt: (error: unknown) => void;
  log: Logger;
  /** The first wait when no job can run; doubles up to `maxPauseMs`. Milliseconds. */
  pauseMs?: number;
}

/** How often to look for jobs of other processes, and of dead ones. Milliseconds. */
const pollIntervalMs = 30_000;
/** The least wait: a due job may have to wait because its subject is being worked on elsewhere. Milliseconds. */
const shortestWaitMs = 500;
const maxPauseMs = 300_000;

const stopping = new Error("The worker stops.");

/** Processes the queue of a memory, one thing at a time, when it is woken, and when something is due. */
export class JobWorker {
  private readonly runs = new Rerun(() => this.doDueJobs());
  private timer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  private failures = 0;
  /** What prevents all jobs from running; null if nothing does. */
  trouble: string | null = null;

  constructor(private readonly options: WorkerOptions) {}

  /** Call this when there may be something to do. */
  wake(): void {
    if (this.stop.signal.aborted) return;
    clearTimeout(this.timer);
    void this.runs.request().then(() => this.scheduleWake());
  }

  /** Whether a job is being done, or could be now. */
  isBusy(): boolean {
    return this.runs.isRunning;
  }

  /** Interrupts the current job where it can be resumed, and puts it back. */
  async close(): Promise<void> {
    this.stop.abort(stopping);
    clearTimeout(this.timer);
    await this.runs.cancel();
  }

  private async doDueJobs(): Promise<void> {
    const { signal } = this.stop;
    try {
      while (!signal.aborted && (await this.options.next(signal))) {
        this.resetTrouble();
        await nextTurn();
      }
      this.resetTrouble();
    } catch (error) {
      if (signal.aborted) return;
      if (isDamaged(error)) {
        this.stop.abort(stopping);
        this.options.onCorrupt(error);
        return;
      }
      await this.waitAfterFailure(error);
    }
  }

  private resetTrouble(): void {
    this.trouble = null;
    this.failures = 0;
  }

  /** Reports the problem and waits, longer each time. Pending work is safe in the database. */
  private async waitAfterFailure(error: unknown): Promise<void> {
    const wait = Math.min((this.options.pauseMs ?? 2000) * 2 ** this.failures++, maxPauseMs);
    const trouble = getErrorMessage(error);
    if (trouble !== this.trouble) {
      this.options.log.error(`sessions are not imported, next try in ${wait / 1000} s: ${trouble}`);
    }
    this.trouble = trouble;
    this.wake();
    await sleep(wait, undefined, { signal: this.stop.signal, ref: false }).catch(() => {});
  }

  private scheduleWake(): void {
    clearTimeout(this.timer);
    if (this.stop.signal.aborted) return;
    let wait = pollIntervalMs;
    try {
      const due = this.options.nextDue();
      if (due !== null) wait = Math.min(Math.max(due - Date.now(), shortestWaitMs), pollIntervalMs);
    } catch {
      // The next attempt reports the problem.
    }
    this.timer = setTimeout(() => this.wake(), wait).unref();
  }
}
