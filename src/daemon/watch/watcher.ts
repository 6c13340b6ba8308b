import { existsSync, lstatSync, readdirSync, type Stats, unwatchFile, watchFile } from "node:fs";
import { join, relative, sep } from "node:path";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { IgnoreRules } from "../../code/files/ignore.ts";
import type { Subscribe, WatchEvent } from "./directories.ts";
import {
  Batch,
  detectNetworkFilesystem,
  startPolling,
  subscribeNatively,
  subscribeToTree,
} from "./subscribe.ts";

interface WatchOptions {
  /** Absolute, without symbolic links. */
  root: string;
  /** Read anew by the watcher when an ignore file changes. */
  rules: IgnoreRules;
  /** Changes are delivered after this long without another, and no later than four times this (at least 250). */
  debounceMs: number;
  pollSeconds: number;
  /**
   * Files were added, changed or removed at these paths, which are relative to the root with `/` between the parts. A
   * directory includes everything below it.
   */
  onChange: (paths: string[]) => void;
  /** Called when changes may have been missed, so that the project must be scanned. The reason is for the log. */
  onRescan: (reason: string) => void;
  log: Logger;
  /** For tests. */
  subscribe?: Subscribe;
}

export interface Watcher {
  readonly mode: "native" | "polling";
  /** Why the watcher polls; null if it does not. */
  readonly note: string | null;
  close(): Promise<void>;
}

/** More events at once than this come from a checkout or an install: then a scan is cheaper, and misses nothing. */
const manyEvents = 1000;
/** A scan waits until things have calmed down. Milliseconds. */
const rescanDebounceMs = 200;
const rescanMaxWaitMs = 3000;
/** Here the system reports changes below a directory recursively; elsewhere each directory is watched separately. */
const watchesRecursively = process.platform === "darwin" || process.platform === "win32";

/**
 * Watches a project until closed: by the system's notifications, or by polling if there are none (limit reached,
 * network file system, no binary for this system). Never rejects for lack of those.
 */
export async function watchProject(options: WatchOptions): Promise<Watcher> {
  const watcher = new ProjectWatcher(options);
  await watcher.start();
  return watcher;
}

class ProjectWatcher implements Watcher {
  mode: "native" | "polling" = "native";
  note: string | null = null;
  private isClosed = false;
  private source: { close(): Promise<void> } | null = null;
  private readonly paths: Batch<string>;
  private readonly rescans: Batch<string>;
  /** Starting and stopping of the source, one after the other. */
  private switching: Promise<void> = Promise.resolve();

  constructor(private readonly options: WatchOptions) {
    const { debounceMs } = options;
    this.paths = new Batch(debounceMs, Math.max(4 * debounceMs, 250), (paths) => this.deliver(paths));
    this.rescans = new Batch(rescanDebounceMs, rescanMaxWaitMs, (reasons) =>
      this.rescan([...reasons].join("; ")),
    );
  }

  async start(): Promise<void> {
    const { root, rules, pollSeconds } = this.options;
    const filesystem = detectNetworkFilesystem(root);
    if (filesystem === null) await this.subscribe();
    else await this.poll(`${filesystem} does not report changes from other machines`);
    for (const file of rules.outsideFiles) {
      watchFile(file, { interval: pollSeconds * 1000, persistent: false }, this.onOutsideFile);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.paths.clear();
    this.rescans.clear();
    for (const file of this.options.rules.outsideFiles) unwatchFile(file, this.onOutsideFile);
    await this.switching;
    await this.stopSource();
  }

  private async subscribe(): Promise<void> {
    const { root, rules, subscribe = subscribeNatively } = this.options;
    try {
      const subscription = await subscribeToTree(root, rules, subscribe, (error, events) =>
        this.onEvents(error, events),
      );
      this.source = { close: () => subscription.unsubscribe() };
    } catch (error) {
      await this.poll(getErrorMessage(error));
    }
  }

  private async poll(why: string): Promise<void> {
    const { root, rules, pollSeconds, log } = this.options;
    this.mode = "polling";
    this.note = `Polling for changes every ${pollSeconds} s, because files cannot be watched: ${why}`;
    log.warn(this.note);
    const onPaths = (paths: string[]) => this.paths.add(paths);
    this.source = await startPolling({ root, rules, pollSeconds, onPaths, log });
  }

  private async stopSource(): Promise<void> {
    const source = this.source;
    this.source = null;
    try {
      await source?.close();
    } catch (error) {
      this.options.log.debug(`Unsubscribing: ${getErrorMessage(error)}`);
    }
  }

  private onEvents(error: Error | null, events: WatchEvent[]): void {
    if (this.isClosed) return;
    if (error !== null) this.rescans.add([`the system lost track of changes (${error.message})`]);
    const { root } = this.options;
    // Of the root itself, only the deletion matters, not a change of its permissions.
    const relevant = events.filter(({ path, type }) => path !== root || type === "delete");
    this.paths.add(relevant.map(({ path }) => relative(root, path).split(sep).join("/")));
  }

  private readonly onOutsideFile = (now: Stats, before: Stats): void => {
    // This is also called once for a file that does not exist.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) this.onRulesChanged();
  };

  private onRulesChanged(): void {
    this.options.rules.reload();
    this.rescans.add(["the ignore rules changed"]);
  }

  private deliver(paths: Set<string>): void {
    const { root, rules } = this.options;
    if (paths.delete("")) this.onRootEvent();
    if (paths.size >= manyEvents) {
      this.rescans.add(["many files changed at once"]);
      return;
    }
    if ([...paths].some((path) => rules.isIgnoreFile(path))) this.onRulesChanged();

    const directories = new Set([...paths].filter((path) => isDirectoryAt(join(root, path))));
    // A directory that was moved here may contain ignore files.
    if (directories.size > 0) rules.reload();
    const kept = [...paths].filter((path) => !rules.ignores(path, directories.has(path)));
    if (kept.some((path) => directories.has(path) && this.hasUnseen(path, paths))) {
      this.rescans.add(["new directories are not watched yet"]);
    }
    if (kept.length > 0) this.call(() => this.options.onChange(kept));
  }

  /**
   * Whether a new directory contains directories that were not reported themselves: it was moved here, or they were
   * made before it could be watched. Changes in them would be missed, or reported at their old place.
   */
  private hasUnseen(directory: string, reported: Set<string>): boolean {
    if (watchesRecursively || this.mode === "polling") return false;
    const { root, rules } = this.options;
    try {
      const judge = rules.within(directory);
      return readdirSync(join(root, directory), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && judge(entry.name, true) === null)
        .some(({ name }) => !reported.has(`${directory}/${name}`));
    } catch {
      return false;
    }
  }

  private onRootEvent(): void {
    if (existsSync(this.options.root)) {
      this.rescans.add(["the project's directory was replaced"]);
      return;
    }
    const why = "the project's directory was moved or deleted";
    this.switchSource(() => this.poll(why));
    this.call(() => this.options.onRescan(why));
  }

  private rescan(reason: string): void {
    this.options.log.info(`Scanning the project again: ${reason}`);
    // A new subscription uses the current directories and rules. The scan runs after it, and finds what changed before
    // it was active.
    if (this.mode === "native") this.switchSource(() => this.subscribe());
    this.switching = this.switching.then(() => this.call(() => this.options.onRescan(reason)));
  }

  private switchSource(start: () => Promise<void>): void {
    this.switching = this.switching.then(async () => {
      await this.stopSource();
      if (!this.isClosed) await start();
    });
  }

  private call(callback: () => void): void {
    if (this.isClosed) return;
    try {
      callback();
    } catch (error) {
      this.options.log.error(`Indexing changes failed: ${getErrorMessage(error)}`);
    }
  }
}

function isDirectoryAt(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
