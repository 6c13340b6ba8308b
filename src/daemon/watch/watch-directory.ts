import { statSync } from "node:fs";
import { join } from "node:path";
import type { Agent, TranscriptFile } from "../../agents/agent.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Subscribe, WatchEvent } from "./directories.ts";
import { Batch, detectNetworkFilesystem, subscribeNatively } from "./subscribe.ts";

interface DirectoryWatchOptions {
  /** The absolute path; it need not exist yet. If it is a file, it is polled. */
  directory: string;
  isRelevant: (path: string) => boolean;
  /** Lists the files in the directory, in case the system cannot watch it. */
  list: () => AsyncIterable<TranscriptFile>;
  /** Names of subdirectories that are not watched. */
  ignored?: readonly string[];
  pollSeconds: number;
  /** Called with files that were added, changed or removed. */
  onChange: (paths: string[]) => void;
  /** Called when changes may have been missed, and at the beginning for the files that exist already. */
  onRescan: () => void;
  log: Logger;
  /** For tests. */
  subscribe?: Subscribe;
}

export interface DirectoryWatch {
  readonly directory: string;
  /** Resolves when the directory is watched, or does not exist yet. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** Delay after a file's last change, and maximum delay after its first. Milliseconds. */
const debounceMs = 300;
const maxWaitMs = 1000;
/** How often to check whether a directory appeared or was replaced. Milliseconds. */
const pollIntervalMs = 2000;

/** Watches a directory outside of the project, whether it exists or not, until closed. */
export function watchDirectory(options: DirectoryWatchOptions): DirectoryWatch {
  const { directory, isRelevant, list, ignored = [], pollSeconds, onChange, onRescan, log } = options;
  const subscribe = options.subscribe ?? subscribeNatively;
  const changes = new Batch<string>(debounceMs, maxWaitMs, (paths) => onChange([...paths]));
  // Files written before a new directory was watched were missed, and its subdirectories are not watched.
  const newDirectories = new Batch<string>(debounceMs, maxWaitMs, () => {
    void runInTurn(stopWatching);
    void lookNow();
  });
  let watched: { inode: number; stop: () => Promise<void> } | null = null;
  let stamps: Map<string, string> | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isPolling = false;
  let isFirst = true;
  let fileStamp: string | null = null;

  async function look(): Promise<void> {
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats?.isFile()) {
      lookAtFile(`${stats.size} ${stats.mtimeMs}`);
      return;
    }
    const inode = stats?.ino ?? null;
    if (watched !== null && inode !== watched.inode) await stopWatching();
    if (isClosed) return;
    if (inode === null) {
      if (isFirst) onRescan();
      isFirst = false;
      return;
    }
    isFirst = false;
    if (isPolling) await poll();
    else if (watched === null) await start(inode);
  }

  function lookAtFile(stamp: string): void {
    if (isClosed || stamp === fileStamp) return;
    if (fileStamp === null) onRescan();
    else onChange([directory]);
    fileStamp = stamp;
    isFirst = false;
  }

  async function stopWatching(): Promise<void> {
    const stop = watched?.stop;
    watched = null;
    await stop?.().catch((error: unknown) => log.debug(`${directory}: ${getErrorMessage(error)}`));
  }

  async function start(inode: number): Promise<void> {
    try {
      const filesystem = detectNetworkFilesystem(directory);
      if (filesystem !== null) throw new Error(`${filesystem} does not report changes from other machines`);
      const subscription = await subscribe(
        directory,
        (error, events) => {
          if (isClosed) return;
          // The system has lost events.
          if (error !== null) newDirectories.add([directory]);
          changes.add(events.map(({ path }) => path).filter(isRelevant));
          newDirectories.add(events.filter(isNewDirectory).map(({ path }) => path));
        },
        { ignore: ignored.map((name) => join(directory, name)) },
      );
      watched = { inode, stop: () => subscription.unsubscribe() };
      onRescan();
    } catch (error) {
      isPolling = true;
      log.warn(
        `Polling ${directory} every ${pollSeconds} s, because it cannot be watched: ${getErrorMessage(error)}`,
      );
      await poll();
    }
  }

  async function poll(): Promise<void> {
    const now = new Map<string, string>();
    for await (const { path, size, mtimeMs } of list()) now.set(path, `${size} ${mtimeMs}`);
    const before = stamps;
    stamps = now;
    if (before === null) onRescan();
    else onChange([...now.keys()].filter((path) => now.get(path) !== before.get(path)));
  }

  function lookLater(): void {
    if (isClosed) return;
    timer = setTimeout(() => lookNow(), isPolling ? pollSeconds * 1000 : pollIntervalMs).unref();
  }

  function lookNow(): Promise<void> {
    clearTimeout(timer);
    return runInTurn(look).then(lookLater);
  }

  /** Runs pieces of work one after the other. */
  function runInTurn(work: () => Promise<void>): Promise<void> {
    running = running
      .then(work)
      .catch((error: unknown) => log.debug(`${directory}: ${getErrorMessage(error)}`));
    return running;
  }

  return {
    directory,
    begin: lookNow,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      changes.clear();
      newDirectories.clear();
      await running;
      await stopWatching();
    },
  };
}

/** Watches a place where an agent keeps transcripts, or a database with them. */
export const watchTranscripts = (
  agent: Agent,
  directory: string,
  how: Pick<DirectoryWatchOptions, "pollSeconds" | "onChange" | "onRescan" | "log">,
): DirectoryWatch =>
  watchDirectory({
    directory,
    isRelevant: (path) => agent.isTranscript(path) || agent.database?.isPart(path) === true,
    list: () => agent.list(directory),
    ignored: agent.unwatched ?? [],
    ...how,
  });

function isNewDirectory({ path, type }: WatchEvent): boolean {
  if (type !== "create") return false;
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
