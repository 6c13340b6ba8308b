import { reloadSettings } from "../../answers/daemon/operation.ts";
import { table } from "../../answers/document.ts";
import { loadConfig, readConfigFile, type SettingSource, toEnvName } from "../../base/config/config.ts";
import {
  type EditResult,
  type EditTarget,
  requireSettingKey,
  setConfig,
  unsetConfig,
} from "../../base/config/config-edit.ts";
import {
  findNearestSettingKey,
  formatSetting,
  isSettingKey,
  parseValue,
  settingKeys,
} from "../../base/config/setting-values.ts";
import { type Config, makeDefaultConfig, type SettingKey, settings } from "../../base/config/settings.ts";
import { explainError, getErrorMessage, PommelError } from "../../base/errors.ts";
import { locateOwnConfig } from "../../base/home.ts";
import { suggestPommelName } from "../../base/other-names.ts";
import type { Project } from "../../base/paths.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { showAnswer } from "../../terminal/render-document.ts";

type ConfigOptions = EditTarget;

interface ConfigEntry {
  key: SettingKey;
  value: Config[SettingKey];
  origin: SettingSource;
  /** The file or environment variable it was read from; null for a default. */
  source: string | null;
}

/** `pm config list [prefix]` */
export async function configListCommand(
  { cwd, output }: CommandContext,
  prefix: string | undefined,
  options: ConfigOptions,
): Promise<void> {
  const entries = (await readEntries(cwd, options)).filter(({ key }) => key.startsWith(prefix ?? ""));
  if (entries.length === 0) throw makeNoSuchPrefixError(prefix ?? "");
  showAnswer(output, { settings: entries }, () => [
    [
      table(
        ["", "", "", ""].map((title) => ({ title })),
        entries.map(({ key, value, origin, source }) => [
          key,
          { text: formatSetting(key, value) },
          origin,
          { text: source ?? "" },
        ]),
      ),
    ],
  ]);
}

/** `pm config get <key>`: the bare value on stdout, so that a script can use it. */
export async function configGetCommand(
  { cwd, output }: CommandContext,
  key: string,
  options: ConfigOptions,
): Promise<void> {
  const known = requireSettingKey(key);
  const entry = (await readEntries(cwd, options)).find((candidate) => candidate.key === known)!;
  output.result(entry, () => show(entry.value));
}

/** `pm config set <key> <value>` */
export async function configSetCommand(
  { cwd, output }: CommandContext,
  key: string,
  text: string,
  options: ConfigOptions,
): Promise<void> {
  const value = await toLanguageIds(key, text);
  await report(output, cwd, key, setConfig(await findConfigProject(cwd, options), key, value, options));
}

/** `pm config unset <key>` */
export async function configUnsetCommand(
  { cwd, output }: CommandContext,
  key: string,
  options: ConfigOptions,
): Promise<void> {
  await report(output, cwd, key, unsetConfig(await findConfigProject(cwd, options), key, options));
}

/** Languages are stored by id, whichever of their names was given; an unknown one is refused. */
async function toLanguageIds(key: string, text: string): Promise<string> {
  if (key !== "index.languages") return text;
  const names = parseValue(settings[key].schema, text);
  if (!Array.isArray(names)) return text;
  const { parseLanguageIds } = await import("../../code/languages/index.ts");
  return JSON.stringify(parseLanguageIds(names));
}

async function report(
  output: Output,
  cwd: string,
  key: string,
  { file, changed }: EditResult,
): Promise<void> {
  if (!isSettingKey(key)) {
    output.result({ key, file, changed }, `Removed ${key} from ${file}.`);
    return;
  }
  let entry: ConfigEntry;
  try {
    // Loaded again: a stronger source may hide what was just written.
    entry = listSettingEntries(await findProjectIfAny(cwd)).find((candidate) => candidate.key === key)!;
  } catch (error) {
    // The edit is done; that something else is wrong must not read as if it were not.
    output.note(`warning: ${getErrorMessage(error)}`);
    output.result({ key, file, changed }, `${changed ? "Changed" : "Already set in"} ${file}.`);
    return;
  }
  const restarted = changed && (await applyToDaemon(cwd, output));
  output.result({ ...entry, file, changed, restarted }, () => {
    const where = entry.source === null ? "the default" : `from ${entry.source}`;
    const line = `${key} is ${formatSetting(key, entry.value)} (${where}).`;
    return changed ? line : `${line} ${file} is unchanged.`;
  });
}

async function readEntries(cwd: string, { global = false }: ConfigOptions): Promise<ConfigEntry[]> {
  return global ? listGlobalEntries() : listSettingEntries(await findProjectIfAny(cwd));
}

function listSettingEntries(project: Project | null): ConfigEntry[] {
  const { config, origin } = loadConfig(project);
  const findSource = (key: SettingKey): string | null => {
    if (origin[key] === "env") return toEnvName(key);
    if (origin[key] === "team") return project?.teamConfigFile ?? null;
    if (origin[key] === "project") return project?.configFile ?? null;
    return origin[key] === "global" ? locateOwnConfig() : null;
  };
  return settingKeys.map((key) => ({
    key,
    value: config[key],
    origin: origin[key],
    source: findSource(key),
  }));
}

/** The value in a project that does not set it. */
function listGlobalEntries(): ConfigEntry[] {
  const file = locateOwnConfig();
  const own = readConfigFile(file);
  const defaults = makeDefaultConfig();
  return settingKeys.map((key) =>
    Object.hasOwn(own, key)
      ? { key, value: own[key]!, origin: "global", source: file }
      : { key, value: defaults[key], origin: "default", source: null },
  );
}

async function findConfigProject(cwd: string, { global = false }: ConfigOptions): Promise<Project | null> {
  return global ? null : await findProject(cwd);
}

/**
 * Restarts the daemon, if one runs, to apply the change.
 * @returns whether it was restarted for that
 */
async function applyToDaemon(cwd: string, output: Output): Promise<boolean> {
  const project = await findProjectIfAny(cwd);
  if (project === null) return false;
  const { call } = await import("../../client/call.ts");
  const { DaemonUnreachable } = await import("../../client/daemon-client.ts");
  try {
    const { need_restart, in_foreground } = await call(reloadSettings, {}, project, { without: "fail" });
    if (need_restart.length === 0) return false;
    const keys = need_restart.join(", ");
    if (in_foreground) {
      output.note(`The daemon runs in a terminal: restart it there to apply ${keys}.`);
      return false;
    }
    output.note(`Restarting the daemon to apply ${keys}.`);
    // From here, and not by itself: it may need a key that only this environment has.
    const { stopDaemon } = await import("../../client/stop-daemon.ts");
    const { findOrStartDaemon } = await import("../../client/connect.ts");
    await stopDaemon();
    await findOrStartDaemon();
    return true;
  } catch (error) {
    // The change is saved: a daemon that cannot apply it must not look like a failed change.
    if (!(error instanceof DaemonUnreachable)) output.note(`warning: ${explainError(error)}`);
    return false;
  }
}

function show(value: Config[SettingKey]): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? "[]" : value.join(",");
}

function makeNoSuchPrefixError(prefix: string): PommelError {
  const nearest = findNearestSettingKey(prefix);
  return new PommelError(
    "config_unknown_key",
    `Unknown setting or subcommand: ${prefix}.`,
    suggestPommelName("setting", prefix) ??
      (nearest ? `Did you mean ${nearest}?` : "Run `pm config list`, or `pm config --help`."),
  );
}
