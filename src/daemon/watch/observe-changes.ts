import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { computeLineKey, plainLines } from "../../attribution/lines/line-keys.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { GitFailure } from "../../git/git.ts";
import { findGitDirectory, locateHeadLog } from "../../git/git-dir.ts";
import { measureLog, readMovesSince } from "../../git/history/head.ts";
import { readBlobs } from "../../git/objects.ts";
import { listUncommittedFiles } from "../../git/working-files.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { saveObservation } from "../../store/memory/observations.ts";
import { KeysOfFiles } from "./keys-of-files.ts";

interface ObserverOptions {
  root: string;
  /** The memory to record in; null if there is none. */
  memory: () => Memory | null;
  log: Logger;
  /** Delay between a file's change and its reading. Milliseconds. */
  debounceMs?: number;
}

/** More changed files at once than this come from a checkout, a build or a formatter. */
const manyFiles = 50;
/** Maximum number of uncommitted files whose content is read, and whose names are kept. */
const maxUncommitted = 200;
const maxNames = 5000;
/** Larger files are not written by hand. Bytes. */
const largestFile = 1_048_576;
/** If a file appears whose last change is older than this, it was moved here or unpacked. Milliseconds. */
const staleMs = 600_000;

/**
 * Records when lines appear in files, as evidence of who was at work then. Looks at files some time after they changed,
 * with the lowest priority.
 */
export class ChangeObserver {
  private readonly known = new KeysOfFiles();
  private waiting = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly stop = new AbortController();
  /** The reflog of HEAD and the length already seen; null outside of a working tree. */
  private head: { log: string; length: number } | null;

  constructor(private readonly options: ObserverOptions) {
    const directory = findGitDirectory(options.root);
    this.head = directory === null ? null : { log: locateHeadLog(directory), length: 0 };
    if (this.head) this.head.length = measureLog(this.head.log);
  }

  /**
   * Records the uncommitted lines as already there, so that they do not count as new later. Call it at the beginning, and after
   * missed changes. Resolves when all files are read.
   */
  takeStock(): Promise<void> {
    return this.runInTurn(async () => {
      this.known.clear();
      if (this.head === null) return;
      this.head.length = measureLog(this.head.log);
      let n = 0;
      for await (const path of listUncommittedFiles(this.options.root, this.stop.signal)) {
        if (++n > maxNames) return;
        const file = n > maxUncommitted ? null : this.read(path);
        if (file === null) this.known.forget(path, { isUnclear: true });
        else this.known.replace(path, file.keys());
        await nextTurn();
      }
    });
  }

  /** Call this when files were added, changed or removed at these paths, which are relative to the root. */
  observe(paths: readonly string[]): void {
    if (this.head === null || this.stop.signal.aborted) return;
    for (const path of paths) this.waiting.add(path);
    this.timer ??= setTimeout(() => void this.waitUntilSettled(), this.options.debounceMs ?? 750).unref();
  }

  /** Resolves when everything seen so far is stored. */
  waitUntilSettled(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const paths = [...this.waiting];
    this.waiting = new Set();
    if (paths.length === 0 || this.head === null) return this.running;
    return this.runInTurn(() => this.look(paths));
  }

  /** Runs pieces of work one after the other. */
  private runInTurn(work: () => Promise<void>): Promise<void> {
    this.running = this.running.then(work).catch((error: unknown) => {
      if (!this.stop.signal.aborted) this.options.log.debug(`cannot read changes: ${getErrorMessage(error)}`);
    });
    return this.running;
  }

  async close(): Promise<void> {
    this.stop.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private async look(paths: readonly string[]): Promise<void> {
    const memory = this.options.memory();
    const head = this.findBaseCommit();
    // Changes by git are in its history, and changes of many files at once are not hand-written.
    if (memory === null || head === "moved" || paths.length > manyFiles) {
      for (const path of paths) this.known.forget(path, { isUnclear: head !== "moved" });
      return;
    }
    const files = paths.flatMap((path) => this.read(path) ?? []);
    await this.compareWithHead(
      files.map(({ path }) => path),
      head,
    );
    for (const file of files) {
      if (this.stop.signal.aborted) return;
      const { path, at } = file;
      const keys = this.known.replace(path, file.keys());
      if (keys.length > 0) saveObservation(memory, { path, at, keys });
      await nextTurn();
    }
  }

  /** For files that are not known yet, takes the commit's content as the earlier one. */
  private async compareWithHead(paths: readonly string[], head: string): Promise<void> {
    // Git reads names line by line.
    for (const path of paths) {
      if (path.includes("\n") && !this.known.has(path)) this.known.forget(path, { isUnclear: true });
    }
    const unknown = paths.filter((path) => !this.known.has(path));
    try {
      const asked = { longest: 2 * largestFile, signal: this.stop.signal };
      for await (const { path, bytes } of readBlobs(this.options.root, head, unknown, asked)) {
        this.known.replace(path, bytes === null ? [] : computeLineKeys(path, bytes));
        await nextTurn();
      }
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      // No commit yet: everything is new.
      if (error.reason === "not_installed") this.head = null;
    }
  }

  private read(path: string): { path: string; at: number; keys: () => Uint32Array } | null {
    const file = join(this.options.root, path);
    try {
      const stats = lstatSync(file);
      if (!stats.isFile() || stats.size > largestFile) return null;
      const bytes = readFileSync(file);
      if (bytes.subarray(0, 8000).includes(0)) return null;
      const now = Date.now();
      const at = now - stats.mtimeMs < staleMs ? Math.min(stats.mtimeMs, now) : now;
      return { path, at, keys: () => computeLineKeys(path, bytes) };
    } catch {
      this.known.forget(path, { isUnclear: false });
      return null;
    }
  }

  /** The commit to compare with: the last one before those made since; "moved" if git itself changed the files. */
  private findBaseCommit(): string {
    const head = this.head!;
    const moves = readMovesSince(head.log, head.length);
    head.length = measureLog(head.log);
    if (moves === null || moves.some(({ action }) => !action.startsWith("commit"))) return "moved";
    const before = moves[0]?.from ?? "HEAD";
    return before;
  }
}

function computeLineKeys(path: string, bytes: Buffer): Uint32Array {
  return Uint32Array.from(plainLines(path, bytes.toString().split("\n")), computeLineKey);
}
