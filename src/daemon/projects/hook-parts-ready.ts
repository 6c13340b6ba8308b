import { join } from "node:path";
import { withMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { hookParts } from "../../features/hook-parts.ts";

/** How long to wait for further changes, as one rarely comes alone. Milliseconds. */
const debounceMs = 40;
/** The rest after making parts, as a multiple of the time that it took. */
const restsTimes = 1;

interface HookPartsOptions {
  project: Project;
  /** The current settings, which change in place. */
  config: Config;
  log: Logger;
}

/** Describes the state of the checkout's own files from which parts are made. */
export const describeRepositoryFiles = (root: string): string =>
  Object.values(hookParts)
    .flatMap(({ repositoryFile }) => repositoryFile ?? [])
    .map((file) => readChangeStamp(join(root, file)))
    .join();

/** Writes the files that features' parts in hooks need, for all checkouts of a project. */
export class HookPartsReady {
  private timer: NodeJS.Timeout | undefined;
  private nextAt = 0;
  private isClosed = false;
  private making: Promise<void> = Promise.resolve();

  constructor(private readonly options: HookPartsOptions) {}

  /** Makes all parts. */
  async makeAll(): Promise<void> {
    await this.make(Object.keys(hookParts));
  }

  /** Call this when a session, a file or a commit has changed: the parts that depend on these are soon made again. */
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

  /** Makes these features' parts, one after the other. */
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
