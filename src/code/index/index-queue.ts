import type { FileStamp } from "../../store/index/records.ts";

/** A finished file, for status. */
interface FinishedFile {
  path: string;
  chunks: number;
  /** Work on it, without waiting. Milliseconds. */
  took: number;
  /** Why nothing of it is indexed, or null. */
  skipped: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface IndexProgress {
  /** Files waiting. */
  pending: number;
  /** A file being worked on, if any. */
  processing: string | null;
  /** Files finished since the queue was last empty, and all of them. */
  done: number;
  total: number;
  rate_chunks_per_sec: number;
  /** null when there is no steady rate yet to judge by. */
  eta_seconds: number | null;
  is_idle: boolean;
  last_error: string | null;
  recent: FinishedFile[];
}

/** Files of so many questions' answers are remembered until they are indexed. */
const maxPreferred = 400;
/** A rate is that of so long, the last; and a time left takes half of it to be judged by. Milliseconds. */
const rateWindow = 10_000;
/** So many times as much may one half of it see as the other, for the rate to count as steady. */
const steadyWithin = 1.5;
const maxRecent = 10;

/**
 * Pending and running files, and the indexing rate. A path is pending at most once, and never runs twice at the same
 * time: a newer version of a running file waits for it. Saved files go before scanned ones, and of these those that a question is
 * about before the others.
 */
export class IndexQueue {
  private readonly saved = new Map<string, FileStamp>();
  private readonly scanned = new Map<string, FileStamp>();
  private readonly running = new Map<string, FileStamp>();
  /** The running ones that were saved. */
  private readonly runningSaved = new Set<string>();
  /** Those of the newest question in front. */
  private preferred: readonly string[] = [];
  private readonly finished: { at: number; chunks: number }[] = [];
  private recent: FinishedFile[] = [];
  private done = 0;
  private startedAt = 0;
  lastError: string | null = null;

  add(stamp: FileStamp, origin: "saved" | "scanned"): void {
    if (this.isIdle()) {
      this.done = 0;
      this.startedAt = Date.now();
      this.finished.length = 0;
    }
    if (origin === "saved") {
      this.scanned.delete(stamp.path);
      this.saved.set(stamp.path, stamp);
    } else if (!this.saved.has(stamp.path)) {
      this.scanned.set(stamp.path, stamp);
    }
  }

  /** Has these go before other scanned files, also those of them that are added later. */
  prefer(paths: readonly string[]): void {
    this.preferred = [...new Set([...paths, ...this.preferred])].slice(0, maxPreferred);
  }

  /** Starts the next file; null when none may run. */
  take(): FileStamp | null {
    const saved = this.start(this.saved, this.saved.keys());
    if (saved !== null) this.runningSaved.add(saved.path);
    return saved ?? this.start(this.scanned, this.preferred) ?? this.start(this.scanned, this.scanned.keys());
  }

  /** @param paths the order in which they are tried */
  private start(waiting: Map<string, FileStamp>, paths: Iterable<string>): FileStamp | null {
    for (const path of paths) {
      const stamp = waiting.get(path);
      if (stamp === undefined || this.running.has(path)) continue;
      waiting.delete(path);
      this.running.set(path, stamp);
      return stamp;
    }
    return null;
  }

  finish(path: string, { chunks, took, skipped }: Omit<FinishedFile, "path" | "at">): void {
    const now = Date.now();
    this.end(path);
    this.done++;
    this.finished.push({ at: now, chunks });
    while (this.finished.length > 0 && this.finished[0]!.at < now - rateWindow) this.finished.shift();
    this.recent = [{ path, chunks, took, skipped, at: now }, ...this.recent].slice(0, maxRecent);
  }

  /** Has running files at or below a path looked at again: what was read of them may be gone by now. */
  repeat(path: string): void {
    for (const [running, stamp] of this.running) {
      if (running === path || running.startsWith(`${path}/`)) this.add(stamp, "saved");
    }
  }

  /** Requeues an unfinished file unless a newer version is pending. */
  putBack(path: string): void {
    const stamp = this.running.get(path);
    this.end(path);
    if (stamp && !this.saved.has(path)) this.scanned.set(path, stamp);
  }

  private end(path: string): void {
    this.running.delete(path);
    this.runningSaved.delete(path);
    if (this.isIdle()) this.preferred = [];
  }

  /** Whether saved files run, and no more of them wait. */
  isSaveRunning(): boolean {
    return this.runningSaved.size > 0 && this.saved.size === 0;
  }

  /** Files that wait or run. */
  get pending(): number {
    return this.saved.size + this.scanned.size + this.running.size;
  }

  isIdle(): boolean {
    return this.pending === 0;
  }

  progress(): IndexProgress {
    const now = Date.now();
    const { pending } = this;
    const windowMs = Math.max(Math.min(now - this.startedAt, rateWindow), 1);
    const window = windowMs / 1000;
    const lately = this.finished.filter(({ at }) => at >= now - rateWindow);
    const filesPerSecond = lately.length / window;
    const after = lately.filter(({ at }) => at > now - windowMs / 2).length;
    const [less = 0, more = 0] = [after, lately.length - after].sort((one, other) => one - other);
    const isSteady = windowMs >= rateWindow / 2 && less > 0 && more <= steadyWithin * less;
    return {
      pending,
      processing: this.running.keys().next().value ?? null,
      done: this.done,
      total: this.done + pending,
      rate_chunks_per_sec:
        Math.round((lately.reduce((sum, { chunks }) => sum + chunks, 0) / window) * 10) / 10,
      eta_seconds: pending === 0 ? 0 : isSteady ? Math.ceil(pending / filesPerSecond) : null,
      is_idle: pending === 0,
      last_error: this.lastError,
      recent: this.recent,
    };
  }
}
