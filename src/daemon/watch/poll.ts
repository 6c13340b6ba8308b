import type { IgnoreRules } from "../../code/files/ignore.ts";
import { scanProject } from "../../code/files/scan.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";

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

  async function stamps(): Promise<Stamps | null> {
    rules.reload();
    const found: Stamps = new Map();
    try {
      for await (const item of scanProject(root, rules)) {
        if (isClosed) return null;
        if (item.kind === "file") found.set(item.stamp.path, `${item.stamp.size} ${item.stamp.mtimeMs}`);
      }
      return found;
    } catch (error) {
      log.debug(`Polling: ${messageOf(error)}`);
      return null;
    }
  }

  let known: Stamps = (await stamps()) ?? new Map();

  async function poll(): Promise<void> {
    const now = await stamps();
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
