import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse, TomlError, type TomlTable } from "smol-toml";
import { getErrorCode, getErrorMessage, PommelError } from "../errors.ts";
import { describeIgnoredPlaces, locateHome, locateOwnConfig } from "../home.ts";
import { otherNames, suggestPommelName } from "../other-names.ts";
import type { Project } from "../paths.ts";
import {
  describeAllowed,
  isSettingKey,
  parseSetting,
  settingKeys,
  suggestSetting,
} from "./setting-values.ts";
import {
  type Config,
  homeSettings,
  makeDefaultConfig,
  type SettingKey,
  settings,
  teamSettings,
} from "./settings.ts";
import { findTomlLine } from "./toml-edit.ts";

/** A value's source, from weakest to strongest. */
export type SettingSource = "default" | "global" | "team" | "project" | "env";

export interface LoadedConfig {
  config: Config;
  origin: Record<SettingKey, SettingSource>;
  /** What a repository may not set, and variables that have another name here; a sentence each. */
  notes: string[];
}

/** The environment variable that overrides a setting: `search.limit` is POMMEL_SEARCH_LIMIT. */
export function toEnvName(key: string): string {
  return `POMMEL_${key.toUpperCase().replace(".", "_")}`;
}

/**
 * The effective configuration: defaults, the person's file, the repository's, the person's for this project, environment, in
 * rising precedence. Absent files and empty variables count as not set. Of a repository's file only `teamSettings` count, and
 * an invalid one is left out with a note: it is somebody else's mistake.
 * @throws PommelError `config_invalid` naming the file, the line and what is allowed; `unreadable`
 */
export function loadConfig(project: Project | null, env: NodeJS.ProcessEnv = process.env): LoadedConfig {
  const values: Record<string, unknown> = makeDefaultConfig();
  const origin = Object.fromEntries(settingKeys.map((key) => [key, "default"])) as Record<
    SettingKey,
    SettingSource
  >;
  const ignored = describeIgnoredPlaces(env);
  const notes: string[] = ignored === null ? [] : [ignored];
  const own = readConfigFile(locateOwnConfig(locateHome(env)));
  const layers: [SettingSource, Partial<Config>][] = [["global", own]];
  if (project) {
    layers.push(["team", readTeamFile(project.teamConfigFile, notes)]);
    layers.push(["project", readConfigFile(project.configFile, { refused: homeSettings })]);
  }
  layers.push(["env", readEnvironment(env)]);
  notes.push(...listIgnoredVariables("setting", env));
  for (const [from, layer] of layers) {
    for (const key of Object.keys(layer) as SettingKey[]) {
      values[key] = layer[key];
      origin[key] = from;
    }
  }
  return { config: values as Config, origin, notes };
}

/**
 * The settings in one file; none when it is missing.
 * @param options.refused settings that this file may not have
 * @throws PommelError `config_invalid`, `unreadable`
 */
export function readConfigFile(
  file: string,
  { refused = new Set() }: { refused?: ReadonlySet<SettingKey> } = {},
): Partial<Config> {
  const source = readText(file);
  if (source === null) return {};
  const values: Record<string, unknown> = {};
  for (const [section, table] of Object.entries(parseToml(source, file))) {
    if (!isTable(table)) throw makeUnknownKeyError(section, file, source);
    for (const [name, value] of Object.entries(table)) {
      const key = `${section}.${name}`;
      if (!isSettingKey(key)) throw makeUnknownKeyError(key, file, source);
      if (refused.has(key)) throw makeOwnOnlyError(key, file, source);
      const result = settings[key].schema.safeParse(value);
      if (!result.success) throw makeBadValueError(key, file, source);
      values[key] = result.data;
    }
  }
  return values as Partial<Config>;
}

/** Larger ones are no configuration. Bytes. */
const maxTeamFile = 65_536;

/** What a repository says, as far as it may. Never fails, and follows no link: whoever wrote it may be a stranger. */
function readTeamFile(file: string, notes: string[]): Partial<Config> {
  const values: Record<string, unknown> = {};
  const ignored: string[] = [];
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    const isThere = stat?.isFile() === true && lstatSync(dirname(file)).isDirectory();
    if (!isThere || stat.size > maxTeamFile) return {};
    for (const [section, table] of Object.entries(parseToml(readFileSync(file, "utf8"), file))) {
      for (const [name, value] of Object.entries(isTable(table) ? table : {})) {
        const key = `${section}.${name}`;
        const result =
          isSettingKey(key) && teamSettings.has(key) ? settings[key].schema.safeParse(value) : null;
        if (result?.success) values[key] = result.data;
        else ignored.push(key.replace(/[^\w.]/g, "?").slice(0, 60));
      }
    }
  } catch (error) {
    notes.push(`The repository's ${teamFileName} is left out: ${takeFirstLine(getErrorMessage(error))}`);
    return {};
  }
  if (ignored.length > 0) {
    notes.push(
      `The repository's ${teamFileName} may not set ${ignored.slice(0, 5).join(", ")}; set it yourself with \`pm config set\` if you want it.`,
    );
  }
  return values as Partial<Config>;
}

const teamFileName = ".pommel/config.toml";
const takeFirstLine = (text: string) => text.split("\n", 1)[0]!;

/** The text of a configuration file, or null when missing. */
export function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw new PommelError(
      "unreadable",
      `Cannot read ${file}: ${getErrorMessage(error)}.`,
      "Check the file's owner and permissions.",
      { cause: error },
    );
  }
}

/**
 * Parses TOML.
 * @throws PommelError `config_invalid` that names file, line and column and shows the line
 */
export function parseToml(source: string, file: string): TomlTable {
  try {
    return parse(source.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]?.replace("Invalid TOML document: ", "");
    throw new PommelError(
      "config_invalid",
      `${file}:${error.line}:${error.column}: not valid TOML: ${reason}\n${error.codeblock.trimEnd()}`,
      'Fix the line: texts need quotes, lists look like ["a", "b"].',
      { cause: error },
    );
  }
}

/**
 * Variables that Pommel does not read, but something like them; a sentence each.
 * @param kind setting: by the names that settings have elsewhere, as POMMEL_...; variable: by names that other programs may read as well
 */
export function listIgnoredVariables(kind: "setting" | "variable", env: NodeJS.ProcessEnv): string[] {
  const written = kind === "setting" ? toEnvName : (name: string) => name;
  return otherNames
    .filter((one) => one.kind === kind && env[written(one.name)])
    .map(
      ({ name }) =>
        `The environment variable ${written(name)} is ignored. ${suggestPommelName(kind, name, written)}`,
    );
}

function readEnvironment(env: NodeJS.ProcessEnv): Partial<Config> {
  const values: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const text = env[toEnvName(key)];
    if (!text) continue;
    const value = parseSetting(key, text);
    if (value === undefined) {
      throw new PommelError(
        "config_invalid",
        `The environment variable ${toEnvName(key)} is ${JSON.stringify(text)}, not a valid ${key}.`,
        `Allowed: ${describeAllowed(key)}.`,
      );
    }
    values[key] = value;
  }
  return values as Partial<Config>;
}

function makeBadValueError(key: SettingKey, file: string, source: string): PommelError {
  return new PommelError(
    "config_invalid",
    `${formatPosition(file, source, key)}: invalid value for ${key}.`,
    `Allowed: ${describeAllowed(key)}.`,
  );
}

function makeOwnOnlyError(key: SettingKey, file: string, source: string): PommelError {
  return new PommelError(
    "config_invalid",
    `${formatPosition(file, source, key)}: ${key} is one setting for all projects.`,
    `Remove the line; \`pm config set --global ${key} ...\` sets it.`,
  );
}

const makeUnknownKeyError = (key: string, file: string, source: string) =>
  new PommelError(
    "config_invalid",
    `${formatPosition(file, source, key)}: unknown setting ${key}.`,
    suggestSetting(key),
  );

/** "file:line" when the line can be found. */
function formatPosition(file: string, source: string, key: string): string {
  const line = findTomlLine(source, key.split("."));
  return line === null ? file : `${file}:${line}`;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
