import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { TomlTable } from "smol-toml";
import { PommelError } from "../errors.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeUnwritableError, refuseOutside, resolveTarget } from "../files/text-file.ts";
import { locateOwnConfig, makeDirectory } from "../home.ts";
import type { Project } from "../paths.ts";
import { isTable, parseToml, readText } from "./config.ts";
import {
  describeAllowed,
  isSettingKey,
  parseSetting,
  suggestSetting,
  toTomlLiteral,
} from "./setting-values.ts";
import { homeSettings, type SettingKey, teamSettings } from "./settings.ts";
import { replaceInlineTable, setValue, unsetValue } from "./toml-edit.ts";

/** Which file to edit: the person's for this project, for all projects, or what the repository says to everybody. */
export interface EditTarget {
  global?: boolean;
  team?: boolean;
}

export interface EditResult {
  file: string;
  /** False if the file already had the value and was not touched. */
  changed: boolean;
}

/**
 * The setting called `key`.
 * @throws PommelError `config_unknown_key` with the nearest one
 */
export function requireSettingKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw new PommelError("config_unknown_key", `Unknown setting: ${key}.`, suggestSetting(key));
}

/**
 * Sets `key` in a configuration file to the value that `text` represents (see `parseSetting`). Comments, order and
 * formatting of everything else stay byte for byte; the file is replaced atomically.
 * @throws PommelError `config_unknown_key`, `config_bad_value`, `config_invalid` (invalid TOML), `unreadable`,
 *   `usage` for settings that a project's file must not have
 */
export function setConfig(
  project: Project | null,
  key: string,
  text: string,
  target: EditTarget = {},
): EditResult {
  const known = requireSettingKey(key);
  const value = parseSetting(known, text);
  if (value === undefined) {
    throw new PommelError(
      "config_bad_value",
      `${known} cannot be ${JSON.stringify(text)}.`,
      `Allowed: ${describeAllowed(known)}.`,
    );
  }
  if (target.team && !teamSettings.has(known)) {
    throw new PommelError(
      "usage",
      `A repository may not set ${known}. Each person decides that.`,
      `Run \`pm config set ${known} ${text}\` without --team.`,
    );
  }
  if (!target.global && homeSettings.has(known)) {
    throw new PommelError(
      "usage",
      `${known} is one setting for all projects.`,
      `Run \`pm config set --global ${known} ${text}\`.`,
    );
  }
  const file = chooseConfigFile(project, target);
  if (target.team && project) refuseOutside(project.root, file);
  return writeSetting(file, known, value);
}

/**
 * Removes `key` from a configuration file, so that the next weaker source counts. Also removes a key that is no
 * setting, if the file has it: that is how a misspelt one is got rid of.
 */
export function unsetConfig(project: Project | null, key: string, target: EditTarget = {}): EditResult {
  const file = chooseConfigFile(project, target);
  if (!isSettingKey(key) && findTomlValue(parseToml(readText(file) ?? "", file), key) === undefined) {
    requireSettingKey(key);
  }
  return writeSetting(file, key, undefined);
}

function chooseConfigFile(project: Project | null, target: EditTarget): string {
  if (target.global) return locateOwnConfig();
  if (project) return target.team ? project.teamConfigFile : project.configFile;
  throw new PommelError(
    "not_initialised",
    "There is no project here.",
    "Go to a project, or use --global for all of them.",
  );
}

/** Writes `key = value` into `file`, or removes it when `value` is undefined. */
function writeSetting(file: string, key: string, value: unknown): EditResult {
  const source = readText(file) ?? "";
  const before = parseToml(source, file);
  if (isDeepStrictEqual(findTomlValue(before, key), value)) return { file, changed: false };
  const [section = "", name = ""] = key.split(".");
  const wanted: TomlTable = structuredClone(before);
  const table = isTable(wanted[section]) ? wanted[section] : {};
  wanted[section] = table;
  if (value === undefined) delete table[name];
  else table[name] = value as TomlTable[string];

  const edited =
    replaceInlineTable(source, section, formatInlineTable(table)) ??
    (value === undefined
      ? unsetValue(source, section, name)
      : setValue(source, section, name, toTomlLiteral(value)));
  verify(edited, wanted, file);
  write(file, edited);
  return { file, changed: true };
}

function formatInlineTable(table: TomlTable): string {
  const pairs = Object.entries(table).map(([name, value]) => `${name} = ${toTomlLiteral(value)}`);
  return `{ ${pairs.join(", ")} }`;
}

function findTomlValue(document: TomlTable, key: string): unknown {
  const [section = "", name = ""] = key.split(".");
  const table = document[section];
  return isTable(table) && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Checks that the edited file has exactly the wanted values, whatever it looked like before. */
function verify(edited: string, wanted: TomlTable, file: string): void {
  let result: TomlTable | null = null;
  try {
    result = parseToml(edited, file);
  } catch {
    // Reported below: the person's file is fine, our edit is not.
  }
  if (result && isDeepStrictEqual(withoutEmpty(result), withoutEmpty(wanted))) return;
  throw new PommelError(
    "config_invalid",
    `${file} cannot be edited automatically; it was left as it is.`,
    "Edit the value by hand.",
  );
}

/** A section may vanish with its last dotted key, or stay behind empty: both mean the same. */
function withoutEmpty(table: TomlTable): Record<string, unknown> {
  const plain: TomlTable = JSON.parse(JSON.stringify(table));
  return Object.fromEntries(
    Object.entries(plain).filter(([, value]) => !isTable(value) || Object.keys(value).length > 0),
  );
}

function write(file: string, text: string): void {
  try {
    makeDirectory(dirname(file));
    // A configuration kept elsewhere (dotfiles) stays a link.
    replaceFile(resolveTarget(file), text);
  } catch (error) {
    throw makeUnwritableError(file, error);
  }
}
