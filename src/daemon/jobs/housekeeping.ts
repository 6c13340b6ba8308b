import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { dayMs } from "../../base/text/day.ts";
import { buildCurrentCut, buildCutSettings } from "../../sessions/chunks/cut-rules.ts";
import { findDueCare, takeCareInThread } from "../../store/memory/backups/care.ts";
import { locateBackupFolder } from "../../store/memory/backups/copies.ts";
import { emptyTrash } from "../../store/memory/backups/put-in-place.ts";
import { countSessionChunks, mergeTerms } from "../../store/memory/chunks/chunks.ts";
import { sampleStorage } from "../../store/memory/daily-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { dropObservations } from "../../store/memory/observations.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { cutCounts, indexAllSessions } from "../../store/memory/sessions/session-index.ts";
import { retainedAt } from "./session-jobs.ts";

interface HousekeepingOptions {
  memory: Memory;
  config: Config;
  isResting: () => boolean;
  scrubVersion: () => string;
  enqueue: (kind: "scrub" | "recut" | "retain", subject: string) => void;
  onFailure: (error: unknown) => void;
  log: Logger;
}

const pollIntervalMs = 600_000;
/** Observations of lines are dropped after this time: by then the lines are committed. Milliseconds. */
const observedMs = 30 * dayMs;
/** Free pages are released in steps of this size, with other work in between. */
const pagesAtOnce = 500;
const maxPages = 20_000;

/**
 * Regular maintenance of a memory: applies new rules and settings, prunes old sessions, records the size, indexes sessions and merges
 * lists of words, frees unused pages.
 */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;
  /** Steps of long work that wait for their turn. */
  private readonly pending = new Set<NodeJS.Immediate>();

  constructor(private readonly options: HousekeepingOptions) {}

  begin(): void {
    this.look();
    this.applyCutRules();
    this.timer = setInterval(() => this.look(), pollIntervalMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
    for (const step of this.pending) clearImmediate(step);
  }

  private look(): void {
    for (const task of [
      this.applyRules,
      this.applyRetention,
      this.dropSeen,
      this.noteSize,
      this.maintainTerms,
      this.giveBack,
    ]) {
      this.tryTask(() => task.call(this));
    }
  }

  /** Lets others have their turn before the next step of long work. */
  private scheduleStep(step: () => void): void {
    const pending = setImmediate(() => {
      this.pending.delete(pending);
      this.tryTask(step);
    });
    this.pending.add(pending);
  }

  private tryTask(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.options.log.warn(`memory maintenance failed: ${getErrorMessage(error)}`);
      this.options.onFailure(error);
    }
  }

  /** Scrubs again what was stored under other rules. */
  private applyRules(): void {
    const { memory, scrubVersion, enqueue } = this.options;
    const version = scrubVersion();
    if (memory.readMeta(scrubbedBy) === version) return;
    if (countSessionChunks(memory) === 0) memory.setMeta(scrubbedBy, version);
    else enqueue("scrub", "memory");
  }

  /**
   * Cuts sessions again that were cut by other rules or settings. Call it when settings change. Nothing checks for this at other
   * times, because two checkouts with different settings would undo each other's work for ever.
   */
  applyCutRules(): void {
    const { memory, config, enqueue } = this.options;
    this.tryTask(() => {
      if (cutCounts(memory, buildCurrentCut(buildCutSettings(config))).outdated > 0)
        enqueue("recut", "memory");
    });
  }

  private applyRetention(): void {
    const { memory, config, enqueue } = this.options;
    if (config["sessions.retention_days"] === 0) return;
    if (Date.now() - Number(memory.readMeta(retainedAt) ?? 0) > dayMs) enqueue("retain", "sessions");
  }

  private dropSeen(): void {
    dropObservations(this.options.memory, Date.now() - observedMs);
  }

  private noteSize(): void {
    sampleStorage(this.options.memory);
  }

  /** Runs even while sessions continue and the queue is never empty, because every turn rebuilds a session's last chunks. */
  private maintainTerms(): void {
    const { memory } = this.options;
    indexAllSessions(memory);
    const merge = () => {
      if (mergeTerms(memory)) this.scheduleStep(merge);
    };
    merge();
  }

  private giveBack(): void {
    const { memory, isResting } = this.options;
    const { free, total } = memory.countPages();
    if (!isResting() || free * 20 < total) return;
    let left = Math.min(free, maxPages);
    const step = () => {
      memory.vacuum(pagesAtOnce);
      left -= pagesAtOnce;
      if (left > 0 && isResting()) this.scheduleStep(step);
    };
    step();
  }
}

interface CareOptions {
  memoryDb: string;
  config: Config;
  isResting: () => boolean;
  /** Called if a check finds the memory damaged. */
  onFailure: (error: unknown) => void;
  log: Logger;
}

/** How often to look for care that is due. If the daemon ends sooner, the next one does it. Milliseconds. */
const lookMs = 600_000;

/** Backs up and checks the memory while nothing else is done. */
export class MemoryCare {
  private timer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  private running: Promise<void> | null = null;
  private lastProblem = "";

  constructor(private readonly options: CareOptions) {}

  begin(): void {
    this.timer = setInterval(() => this.look(), lookMs).unref();
  }

  /** Starts what is due, one thing at a time. */
  look(): void {
    if (!this.options.isResting()) return;
    this.running ??= this.takeCare().finally(() => {
      this.running = null;
    });
  }

  private async takeCare(): Promise<void> {
    const { memoryDb, config, onFailure, log } = this.options;
    const folder = locateBackupFolder(memoryDb, config["backup.folder"]);
    const intervalMs = config["backup.keep"] > 0 ? dayMs : null;
    try {
      const emptied = emptyTrash();
      if (emptied.length > 0) log.info(`deleted from the trash: ${emptied.join(", ")}`);
      const kind = findDueCare(memoryDb, folder, intervalMs);
      if (kind === null) return;
      const task = { memoryDb, folder, keep: config["backup.keep"], kind };
      const done = await takeCareInThread(task, this.stop.signal);
      this.lastProblem = "";
      if (done !== null) log.info(done);
    } catch (error) {
      const problem = getErrorMessage(error);
      if (problem !== this.lastProblem) log.warn(`memory.db is not backed up: ${problem}`);
      this.lastProblem = problem;
      onFailure(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.running;
  }
}
