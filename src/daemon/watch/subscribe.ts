import { statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { BackendType } from "@parcel/watcher";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { teamDirName } from "../../base/paths.ts";
import type { IgnoreRules } from "../../code/files/ignore.ts";
import { listIgnoredDirectories, scanProject } from "../../code/files/scan.ts";
import { vendoredNames } from "../../code/files/vendored.ts";
import { type Subscribe, type WatchEvent, watchDirectories } from "./directories.ts";

/**
 * Collects items without duplicates and delivers them together: after `debounceMs` without a new one, or when the first
 * has waited `maxWaitMs`, so that an endless stream is delivered as well.
 */
export class Batch<T> {
  private items = new Set<T>();
  private timer: NodeJS.Timeout | undefined;
  private firstAt = 0;

  constructor(
    private readonly debounceMs: number,
    private readonly maxWaitMs: number,
    private readonly handOver: (items: Set<T>) => void,
  ) {}

  add(items: Iterable<T>): void {
    const wasEmpty = this.items.size === 0;
    for (const item of items) this.items.add(item);
    if (this.items.size === 0) return;
    const now = performance.now();
    if (wasEmpty) this.firstAt = now;
    clearTimeout(this.timer);
    const wait = Math.min(this.debounceMs, this.firstAt + this.maxWaitMs - now);
    this.timer = setTimeout(() => this.flush(), Math.max(0, wait));
  }

  /** Drops the collected items. */
  clear(): void {
    clearTimeout(this.timer);
    this.items = new Set();
  }

  private flush(): void {
    const items = this.items;
    this.items = new Set();
    this.handOver(items);
  }
}

/** Without a name, @parcel/watcher looks for watchman first. */
const backends: Partial<Record<NodeJS.Platform, BackendType>> = { darwin: "fs-events", win32: "windows" };

/** The system's own way to watch files. */
export const subscribeNatively: Subscribe = (directory, callback, options) => {
  const subscribe = process.platform === "linux" ? watchDirectories : subscribeInTurn;
  return subscribe(directory, callback, options);
};

/**
 * Subscribes as @parcel/watcher does, but changes subscriptions one at a time. They all share one watcher of the system, which the
 * library gives up with the last subscription. One that is added meanwhile would be lost, and could never be removed. The library
 * is loaded on first use: if its binary is missing, the caller polls.
 */
const subscribeInTurn: Subscribe = async (directory, callback, options) => {
  const { default: watcher } = await import("@parcel/watcher");
  const backend = backends[process.platform];
  const subscription = await runInTurn(() =>
    watcher.subscribe(directory, callback, backend === undefined ? options : { ...options, backend }),
  );
  return { unsubscribe: () => runInTurn(() => subscription.unsubscribe()) };
};

function runInTurn<T>(change: () => Promise<T>): Promise<T> {
  const done = lastChange.then(change);
  lastChange = done.catch(() => {});
  return done;
}
let lastChange: Promise<unknown> = Promise.resolve();

const maxAttempts = 3;
const pauseMs = 100;
/** Errors about the system's limits: trying again does not help. */
const limitReached = /No space left|Too many open files|ENOSPC|EMFILE/i;
const limitHint = "sysctl fs.inotify.max_user_watches and fs.inotify.max_user_instances raise the limits";

/**
 * Subscribes to the changes below `root`, without the directories that the rules leave out. Tries again if the tree
 * changes during the subscription's initial walk.
 * @throws Error what `subscribe` last threw, with advice if a limit of the system was reached
 */
export async function subscribeToTree(
  root: string,
  rules: IgnoreRules,
  subscribe: Subscribe,
  callback: (error: Error | null, events: WatchEvent[]) => void,
): Promise<{ unsubscribe(): Promise<void> }> {
  const yetToCome = [".git", teamDirName, ...vendoredNames].map((name) => join(root, name));
  for (let attempt = 1; ; attempt++) {
    try {
      const ignore = [...new Set([...(await listIgnoredDirectories(root, rules)), ...yetToCome])];
      return await subscribe(root, callback, { ignore });
    } catch (error) {
      const message = getErrorMessage(error);
      if (limitReached.test(message)) throw new Error(`${message} (${limitHint})`, { cause: error });
      if (attempt === maxAttempts) throw error;
      await wait(pauseMs);
    }
  }
}

/** `f_type` of statfs(2) on Linux. On these, the system reports only changes made on this machine. */
const networkFilesystems = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0x786f4256, "vboxsf"],
]);

/** The name of the network file system that holds `directory`, or null if none is detected. */
export function detectNetworkFilesystem(directory: string): string | null {
  if (process.platform !== "linux") return null;
  try {
    // Some systems sign-extend the number.
    return networkFilesystems.get(statfsSync(directory).type >>> 0) ?? null;
  } catch {
    return null;
  }
}

/** How often to look for changes where files cannot be watched. */
export const pollSeconds = 5;

/** Size and time of last change of each file, by path. */
type Stamps = Map<string, string>;

/**
 * Polls the stamp of every file, and delivers the paths of added, changed and removed ones. While the root cannot be
 * read it delivers nothing, least of all that everything was removed. Resolves when the initial state is known.
 */
export async function startPolling(options: {
  root: string;
  rules: IgnoreRules;
  pollSeconds: number;
  onPaths: (paths: string[]) => void;
  log: Logger;
}): Promise<{ close(): Promise<void> }> {
  const { root, rules, onPaths, log } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function readStamps(): Promise<Stamps | null> {
    rules.reload();
    const found: Stamps = new Map();
    try {
      for await (const item of scanProject(root, rules)) {
        if (isClosed) return null;
        if (item.kind === "file") found.set(item.stamp.path, `${item.stamp.size} ${item.stamp.mtimeMs}`);
      }
      return found;
    } catch (error) {
      log.debug(`Polling: ${getErrorMessage(error)}`);
      return null;
    }
  }

  let known: Stamps = (await readStamps()) ?? new Map();

  async function poll(): Promise<void> {
    const now = await readStamps();
    if (now !== null) {
      const changed = [...now.keys()].filter((path) => known.get(path) !== now.get(path));
      const gone = [...known.keys()].filter((path) => !now.has(path));
      known = now;
      if (changed.length + gone.length > 0) onPaths([...changed, ...gone]);
    }
    if (!isClosed) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      running = poll();
    }, options.pollSeconds * 1000);
  }

  let running: Promise<void> = Promise.resolve();
  schedule();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
