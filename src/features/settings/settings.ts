import { loadConfig, toEnvName } from "../../base/config/config.ts";
import { requireSettingKey, setConfig, unsetConfig } from "../../base/config/config-edit.ts";
import {
  describeAllowed,
  findUnit,
  listAllowedValues,
  settingKeys,
} from "../../base/config/setting-values.ts";
import {
  homeSettings,
  liveSettings,
  type SettingKey,
  sensitiveSettings,
  settings,
} from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import { locateOwnConfig } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import type { Setting, SettingsResponse } from "./operation.ts";

/** They delete something, or would take the page away. */
const consequential: ReadonlySet<SettingKey> = new Set(["sessions.retention_days", "sync.branch"]);

/**
 * Whether the page may change a setting: what applies at once and touches neither what is stored nor what leaves the
 * machine. A script that got into the page could do no harm with these.
 */
const isChangeable = (key: SettingKey) =>
  liveSettings.has(key) && !sensitiveSettings.has(key) && !consequential.has(key);

/** Every setting of a project, as it is in this process's environment. @throws PommelError as `loadConfig` */
export function listSettings(project: Project): SettingsResponse {
  const { config, origin, notes } = loadConfig(project);
  const findSource = (key: SettingKey) => {
    switch (origin[key]) {
      case "env":
        return toEnvName(key);
      case "team":
        return project.teamConfigFile;
      case "project":
        return project.configFile;
      case "global":
        return locateOwnConfig();
      case "default":
        return null;
    }
  };
  return {
    settings: settingKeys.map((key): Setting => {
      const { schema, about, default: byDefault } = settings[key];
      return {
        key,
        value: config[key],
        default: byDefault,
        origin: origin[key],
        source: findSource(key),
        about,
        allowed: describeAllowed(key),
        unit: findUnit(key) ?? null,
        choices: listAllowedValues(schema),
        changeable: isChangeable(key),
      };
    }),
    notes,
  };
}

/**
 * Changes a setting in the project's file, or removes it there.
 * @throws PommelError `forbidden` for one that only `pm config` changes; as `setConfig`
 */
export function changeSetting(
  project: Project,
  { key, value }: { key: string; value?: string | undefined },
): { setting: Setting; changed: boolean } {
  const known = requireSettingKey(key);
  if (!isChangeable(known)) {
    throw new PommelError(
      "forbidden",
      `${known} cannot be changed here.`,
      `Run \`pm config set ${homeSettings.has(known) ? "--global " : ""}${known} ...\`.`,
    );
  }
  const { changed } = value === undefined ? unsetConfig(project, known) : setConfig(project, known, value);
  return { setting: listSettings(project).settings.find((one) => one.key === known)!, changed };
}
