import { join } from "node:path";
import { withMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { hookParts } from "../../features/hook-parts.ts";

/** One change rarely comes alone. Milliseconds. */
const debounceMs = 40;
/** Between one making and the next it rests as many times as long as that took. */
const restsTimes = 1;

interface HookPartsOptions {
  project: Project;
  /** As it is now. */
  config: Config;
  log: Logger;
}

/** Names the state of what a checkout says itself that parts are made from. */
export const describeRepositoryFiles = (root: string): string =>
  Object.values(hookParts)
    .flatMap(({ repositoryFile }) => repositoryFile ?? [])
    .map((file) => readChangeStamp(join(root, file)))
    .join();

/** Has what features' parts in hooks go by written down for all checkouts of a project. */
export class HookPartsReady {
  private timer: NodeJS.Timeout | undefined;
  private nextAt = 0;
  private isClosed = false;
  private making: Promise<void> = Promise.resolve();

  constructor(private readonly options: HookPartsOptions) {}

  /** All of it. */
  async makeAll(): Promise<void> {
    await this.make(Object.keys(hookParts));
  }

  /** What a session did, a file or a commit has changed: what follows that is written anew, soon. */
  follow(): void {
    const following = Object.entries(hookParts).flatMap(([feature, { followsWork, setting }]) =>
      followsWork && this.options.config[setting] ? [feature] : [],
    );
    if (following.length === 0 || this.isClosed || this.timer !== undefined) return;
    const wait = Math.max(debounceMs, this.nextAt - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const began = performance.now();
      this.make(following)
        .catch((error: unknown) =>
          this.options.log.debug(`hooks' parts are not ready: ${getErrorMessage(error)}`),
        )
        .finally(() => {
          this.nextAt = performance.now() + (performance.now() - began) * restsTimes;
        });
    }, wait).unref();
  }

  /** One after the other. */
  private make(features: readonly string[]): Promise<void> {
    const { project } = this.options;
    const made = this.making.then(async () => {
      for (const feature of features) {
        if (this.isClosed) return;
        const makeReady = await hookParts[feature]!.makeReady();
        await withMemory(project, (memory) => makeReady(project, memory));
      }
    });
    this.making = made.catch(() => {});
    return made;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.making;
  }
}
