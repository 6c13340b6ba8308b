import type { Config } from "../../project/config/settings.ts";
import type { Logger } from "../../project/log.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";

/**
 * Pushes the memory through the remote of the last `git push`, without asking the user anything. A temporary failure
 * (no network, say) is recorded, and the next push tries again.
 * @param work as it is when it begins
 */
export function backgroundSync(
  config: Config,
  work: () => ScrubbingWork,
  log: Logger,
): (remote: string, signal: AbortSignal) => Promise<void> {
  return async (remote, signal) => {
    if (!config["sync.on_push"] || remote !== config["sync.remote"]) return;
    // Most never need it.
    const { syncMemory } = await import("../../sync/sync.ts");
    const { syncSettings } = await import("../../queries/sync/sync.ts");
    const now = work();
    const { trouble, pushed } = await syncMemory(now, await syncSettings(now.root, config), { signal });
    if (trouble !== null) log.warn(`sharing through ${remote}: ${trouble.message}`);
    else log.info(pushed ? `shared through ${remote}` : `nothing new to share through ${remote}`);
  };
}
