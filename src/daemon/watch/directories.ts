import { type FSWatcher, lstatSync, readdirSync, type Stats, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface WatchEvent {
  /** Absolute. */
  path: string;
  type: "create" | "update" | "delete";
}

/** The same signature as `subscribe` of @parcel/watcher. */
export type Subscribe = (
  directory: string,
  callback: (error: Error | null, events: WatchEvent[]) => unknown,
  options: { ignore: string[] },
) => Promise<{ unsubscribe(): Promise<void> }>;

/** Events within this time are reported together. Milliseconds. */
const collectedMs = 10;
/** Directories that are watched without a pause for other work. */
const perTurn = 100;

/**
 * Watches each directory of a tree with `fs.watch` (docs/decisions/0027-node-watches-on-linux.md). For Linux.
 *
 * It reports the system's events. A directory that appears is watched, and the directories in it are reported, but not its files.
 */
export const watchDirectories: Subscribe = async (directory, callback, { ignore }) => {
  const tree = new WatchedTree(directory, new Set(ignore), callback);
  try {
    await tree.start();
  } catch (error) {
    tree.close();
    throw error;
  }
  return { unsubscribe: async () => tree.close() };
};

/** Errors of one directory, which do not keep others from being watched. */
const singleDirectoryErrorCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

interface Watched {
  watcher: FSWatcher;
  identity: string | null;
  /** Paths of directories in it that are watched. */
  below: Set<string>;
}

class WatchedTree {
  private readonly directories = new Map<string, Watched>();
  private events = new Map<string, WatchEvent>();
  private timer: NodeJS.Timeout | undefined;
  private isStarted = false;
  private isClosed = false;

  constructor(
    private readonly root: string,
    private readonly ignored: ReadonlySet<string>,
    private readonly callback: Parameters<Subscribe>[1],
  ) {}

  /** @throws Error the directory is not there; a limit of the system is reached */
  async start(): Promise<void> {
    await this.add(this.root, null);
    this.isStarted = true;
  }

  /** Watches a directory and all below it that are not ignored. */
  private async add(directory: string, parent: Watched | null): Promise<void> {
    const todo: { path: string; parent: Watched | null }[] = [{ path: directory, parent }];
    for (let done = 1; ; done++) {
      const next = todo.pop();
      if (next === undefined || this.isClosed) return;
      const { path } = next;
      if (this.isStarted && path !== directory) this.report(path, "create");
      const watched = this.watch(path, next.parent);
      if (watched !== null) {
        for (const child of listDirectories(path))
          if (!this.ignored.has(child)) todo.push({ path: child, parent: watched });
      }
      if (done % perTurn === 0) await nextTurn();
    }
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const { watcher } of this.directories.values()) watcher.close();
    this.directories.clear();
  }

  /** @returns null for a directory below the root that has gone meanwhile, or is not ours to read */
  private watch(path: string, parent: Watched | null): Watched | null {
    try {
      // Watch before reading, so that nothing is missed that appears meanwhile.
      const watcher = watch(path, { persistent: false });
      this.remove(path);
      const watched = { watcher, identity: readFileIdentity(path), below: new Set<string>() };
      this.directories.set(path, watched);
      parent?.below.add(path);
      watcher.on("change", (type, name) => this.onEvent(path, type, String(name ?? "")));
      watcher.on("error", (error) => this.fail(error));
      return watched;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (path !== this.root && singleDirectoryErrorCodes.has(code ?? "")) return null;
      throw error;
    }
  }

  private remove(path: string): void {
    const watched = this.directories.get(path);
    if (watched === undefined) return;
    this.directories.delete(path);
    this.directories.get(dirname(path))?.below.delete(path);
    watched.watcher.close();
    for (const child of watched.below) this.remove(child);
  }

  private onEvent(directory: string, type: string, name: string): void {
    const watched = this.directories.get(directory);
    if (this.isClosed || watched === undefined) return;
    const path = join(directory, name);
    if (this.ignored.has(path)) return;
    if (type === "change") {
      this.report(path, "update");
      return;
    }
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      this.remove(path);
      this.report(path, "delete");
      // An event with the directory's own name may be about the directory itself.
      if (name === basename(directory) && readFileIdentity(directory) !== watched.identity)
        this.onGone(directory);
    } else {
      this.report(path, "create");
      if (stats.isDirectory() && this.directories.get(path)?.identity !== formatIdentity(stats)) {
        this.add(path, watched).catch((error: Error) => this.fail(error));
      }
    }
  }

  /** The directory is gone or was replaced. Its parent reports that; only for the root is it reported here. */
  private onGone(directory: string): void {
    this.remove(directory);
    if (directory === this.root) this.report(directory, "delete");
  }

  private report(path: string, type: WatchEvent["type"]): void {
    this.events.set(path, { path, type });
    this.timer ??= setTimeout(() => this.deliver(null), collectedMs);
  }

  private fail(error: Error): void {
    if (!this.isClosed) this.deliver(error);
  }

  private deliver(error: Error | null): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const events = [...this.events.values()];
    this.events = new Map();
    this.callback(error, events);
  }
}

/** Differs for a directory that replaced another. The inode alone would not do, because its number may be used again. */
const formatIdentity = ({ ino, birthtimeMs }: Stats) => `${ino} ${birthtimeMs}`;

/** The identity of what is at `path`; null if there is nothing. */
function readFileIdentity(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : formatIdentity(stats);
}

function listDirectories(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name));
  } catch {
    // The directory is gone or not readable, so nothing in it can be watched.
    return [];
  }
}
