import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { LoadedConfig } from "../../base/config/config.ts";
import { settingKeys } from "../../base/config/setting-values.ts";
import { type Config, liveSettings, type SettingKey } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import type { Logger } from "../../base/log.ts";

/**
 * Calls `then` when any of `files` has changed, appeared or vanished, and all are unchanged for `everyMs`. Polls,
 * because editors and package managers replace files, which watchers lose track of.
 * @returns stops looking
 */
export function onChanged(files: readonly string[], everyMs: number, then: () => void): () => void {
  const computeStamp = () => files.map(readChangeStamp).join();
  let known = computeStamp();
  let last = known;
  const timer = setInterval(() => {
    const now = computeStamp();
    const hasSettled = now === last;
    last = now;
    if (!hasSettled || now === known) return;
    known = now;
    then();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/**
 * Calls `then` once when another version replaces the running one. Parts of a program are loaded on demand, and by then
 * those of the old version are gone.
 * @param program the running one
 * @param everyMs interval of the checks; a new version must stay unchanged for one interval
 * @returns stops looking
 */
export function onReplaced(program: string, everyMs: number, then: () => void): () => void {
  const stop = onChanged([program], everyMs, () => {
    // The program was removed, or is being replaced.
    if (!statSync(program, { throwIfNoEntry: false })) return;
    stop();
    then();
  });
  return stop;
}

interface LiveSettingsOptions {
  /** The files that the settings are read from. */
  files: readonly string[];
  /** Reads them. @throws PommelError `config_invalid`, `unreadable` */
  load: () => LoadedConfig;
  /** The object from which all running parts read their settings; it is changed in place. */
  config: Config;
  log: Logger;
  /** Called with settings that apply from now on. */
  onApplied: (keys: readonly SettingKey[]) => void;
  /** Called with settings that changed in a file and need a restart. */
  onRestartNeeded: (keys: readonly SettingKey[]) => void;
}

/** Settings that differ from those with which the daemon started, or which it applied last. */
export interface ChangedSettings {
  applied: SettingKey[];
  /** Settings that are not applied, because they need a restart. */
  need_restart: SettingKey[];
}

/** Poll interval of the files. Milliseconds. */
const pollIntervalMs = 1000;
/** How long to wait for `pm config`, which restarts the daemon itself after a change, and says so. Milliseconds. */
const patienceMs = 2000;

/** Keeps a running daemon's settings in step with the files that they are read from. */
export class LiveSettings {
  /** The problem with the files; null if there is none. */
  problem: string | null = null;
  private readonly stopPolling: () => void;
  private readonly firstLook: NodeJS.Timeout;
  private secondLook: NodeJS.Timeout | undefined;

  constructor(private readonly options: LiveSettingsOptions) {
    this.stopPolling = onChanged(options.files, pollIntervalMs, () => this.followFiles());
    // The files may have changed since `config` was read.
    this.firstLook = setTimeout(() => this.followFiles(), pollIntervalMs).unref();
  }

  close(): void {
    clearTimeout(this.firstLook);
    clearTimeout(this.secondLook);
    this.stopPolling();
  }

  /**
   * Reads the settings again, and applies those that need no restart.
   * @throws PommelError `config_invalid`, `unreadable`
   */
  reload(): ChangedSettings {
    const { load, config, log, onApplied } = this.options;
    const { config: fresh } = load();
    this.problem = null;
    const changed = settingKeys.filter((key) => !isDeepStrictEqual(fresh[key], config[key]));
    const applied = changed.filter((key) => liveSettings.has(key));
    Object.assign(config, Object.fromEntries(applied.map((key) => [key, fresh[key]])));
    if (applied.length > 0) {
      log.info(`applied settings: ${applied.join(", ")}`);
      onApplied(applied);
    }
    return { applied, need_restart: changed.filter((key) => !liveSettings.has(key)) };
  }

  private followFiles({ isSecondLook = false } = {}): void {
    try {
      const { need_restart } = this.reload();
      if (need_restart.length === 0) return;
      if (isSecondLook) this.options.onRestartNeeded(need_restart);
      else this.lookAgain();
    } catch (error) {
      const problem = `Keeping the previous settings until this is fixed: ${getErrorMessage(error)}`;
      if (problem !== this.problem) this.options.log.warn(problem);
      this.problem = problem;
    }
  }

  private lookAgain(): void {
    clearTimeout(this.secondLook);
    this.secondLook = setTimeout(() => this.followFiles({ isSecondLook: true }), patienceMs).unref();
  }
}
