import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { syncFact, teamProject } from "../../store/memory/sharing.ts";

/**
 * Pushes the memory through the remote of the last `git push`, without asking the user anything. A temporary failure
 * (no network, say) is recorded, and the next push tries again.
 * @param work called when the sync begins
 */
export function makeBackgroundSync(
  config: Config,
  work: () => ScrubbingWork,
  log: Logger,
): (remote: string, signal: AbortSignal) => Promise<void> {
  return async (remote, signal) => {
    if (!config["sync.on_push"] || remote !== config["sync.remote"]) return;
    // Most never need it.
    const { syncMemory } = await import("../../sync/sync.ts");
    const { syncSettings } = await import("../../features/share/share-git.ts");
    const now = work();
    const { trouble, pushed } = await syncMemory(now, await syncSettings(now.root, config), { signal });
    if (trouble !== null) log.warn(`sharing through ${remote}: ${trouble.message}`);
    else log.info(pushed ? `shared through ${remote}` : `nothing new to share through ${remote}`);
  };
}

interface TeamShareOptions {
  config: Config;
  /** Called when the sharing begins. */
  work: () => ScrubbingWork;
  isResting: () => boolean;
  log: Logger;
}

/** Often enough that colleagues find today's sessions. Milliseconds. */
const intervalMs = 300_000;

/** Shares the memory with the team while nothing else is done, if `pm share team on` asked for it. */
export class TeamShare {
  private timer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  private running: Promise<void> | null = null;
  private lastProblem = "";

  constructor(private readonly options: TeamShareOptions) {}

  begin(): void {
    if (this.options.config["memory.share"] === "") return;
    this.timer = setInterval(() => this.look(), intervalMs).unref();
  }

  private look(): void {
    if (!this.options.isResting()) return;
    this.running ??= this.share().finally(() => {
      this.running = null;
    });
  }

  private async share(): Promise<void> {
    const { config, log } = this.options;
    try {
      const work = this.options.work();
      if (syncFact(work.memory, teamProject) === null) return;
      // Most never need it.
      const { shareWithTeam } = await import("../../sync/team/team.ts");
      const { buildTeamSettings } = await import("../../features/share/share-team.ts");
      const settings = await buildTeamSettings(work.root, config);
      const { imported, shared } = await shareWithTeam(work, settings, { signal: this.stop.signal });
      this.lastProblem = "";
      const news = imported.sessions + imported.annotations + shared.sessions + shared.annotations;
      if (news > 0) log.info(`team: ${shared.sessions} sessions shared, ${imported.sessions} imported`);
    } catch (error) {
      if (this.stop.signal.aborted) return;
      const problem = getErrorMessage(error);
      if (problem !== this.lastProblem) log.warn(`team: ${problem}`);
      this.lastProblem = problem;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.running;
  }
}
