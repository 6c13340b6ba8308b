import { closest, distance } from "fastest-levenshtein";
import { parse, stringify } from "smol-toml";
import * as z from "zod/mini";
import { suggestPommelName } from "../other-names.ts";
import { formatWithUnit, listUnits, parseWithUnit, type Unit } from "../text/units.ts";
import type { SettingDefinition } from "./settings/setting.ts";
import { type Config, type SettingKey, settings } from "./settings.ts";

export const settingKeys = Object.keys(settings) as SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key);
}

/** The setting most similar to a misspelt `key`, or null. */
export function findNearestSettingKey(key: string): SettingKey | null {
  const sameName = settingKeys.filter((known) => known.split(".")[1] === key);
  if (sameName.length === 1) return sameName[0]!;
  const nearest = closest(key, settingKeys) as SettingKey;
  return distance(key, nearest) <= Math.max(2, key.length / 3) ? nearest : null;
}

/** What to do about a key that no setting has. */
export function suggestSetting(key: string): string {
  const nearest = findNearestSettingKey(key);
  return (
    suggestPommelName("setting", key) ??
    (nearest ? `Did you mean ${nearest}?` : "`pm config list` lists all settings.")
  );
}

/** Describes a schema's values: "a whole number from 1 to 1000". */
export function describeAllowedValues(schema: z.ZodMiniType): string {
  const described = z.globalRegistry.get(schema)?.description;
  if (described !== undefined) return described;
  if (schema instanceof z.ZodMiniArray) {
    const element = schema.def.element as z.ZodMiniType;
    return element instanceof z.ZodMiniEnum
      ? `a list of ${describeAllowedValues(element)}`
      : "a list of texts";
  }
  if (schema instanceof z.ZodMiniEnum) return formatQuotedList(schema.options.map(String));
  if (schema instanceof z.ZodMiniBoolean) return "true or false";
  if (schema instanceof z.ZodMiniNumber) {
    const minimum = findBound(schema, "greater_than");
    const maximum = findBound(schema, "less_than");
    return maximum === undefined
      ? `a whole number, ${minimum} or more`
      : `a whole number from ${minimum} to ${maximum}`;
  }
  return "a text";
}

/** The values of a schema that has only a few; null for any other. */
export function listAllowedValues(schema: z.ZodMiniType): string[] | null {
  if (schema instanceof z.ZodMiniEnum) return schema.options.map(String);
  return schema instanceof z.ZodMiniBoolean ? ["true", "false"] : null;
}

/** The argument of a number's `z.minimum` or `z.maximum`. */
function findBound(schema: z.ZodMiniNumber, check: "greater_than" | "less_than"): unknown {
  const found = schema.def.checks?.map(({ _zod }) => _zod.def).find((def) => def.check === check);
  return found && "value" in found ? found.value : undefined;
}

/**
 * Parses a value from a command line or environment variable: `20`, `true`, `info`, `a,b` or the TOML literal `["a",
 * "b"]`. A comma inside braces belongs to its glob: `*.{ts,tsx},docs/**`. A number may have its unit: `1 MiB`.
 * @returns undefined when `schema` does not allow the value
 */
export function parseValue(schema: z.ZodMiniType, text: string, unit?: Unit): unknown {
  const counted = unit === undefined ? null : parseWithUnit(text, unit);
  const result = schema.safeParse(counted ?? readText(schema, text.trim()));
  return result.success ? result.data : undefined;
}

function readText(schema: z.ZodMiniType, text: string): unknown {
  if (schema instanceof z.ZodMiniArray) return text.startsWith("[") ? parseLiteral(text) : splitList(text);
  if (schema instanceof z.ZodMiniNumber) return /^[+-]?\d[\d_]*$/.test(text) ? parseLiteral(text) : text;
  if (schema instanceof z.ZodMiniBoolean && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function parseLiteral(text: string): unknown {
  try {
    return parse(`value = ${text}`).value;
  } catch {
    return undefined;
  }
}

function splitList(text: string): string[] {
  const items = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth++;
    if (char === "}") depth = Math.max(0, depth - 1);
    if (char === "," && depth === 0) items.push("");
    else items[items.length - 1] += char;
  }
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

/** The unit of a setting that is a number; undefined where it has none. */
export const findUnit = (key: SettingKey): Unit | undefined => {
  const setting: SettingDefinition = settings[key];
  return setting.unit;
};

/** As `parseValue`, of a setting by its name. */
export const parseSetting = (key: SettingKey, text: string): unknown =>
  parseValue(settings[key].schema, text, findUnit(key));

/** What a setting may be: "a whole number, 1 or more: bytes, or with a unit such as MiB". */
export function describeAllowed(key: SettingKey): string {
  const unit = findUnit(key);
  const described = describeAllowedValues(settings[key].schema);
  return unit === undefined ? described : `${described}: ${unit}, or with a unit (${listUnits(unit)})`;
}

/** A setting's value as people read it: "1 MiB", "a,b", "true". */
export function formatSetting(key: SettingKey, value: Config[SettingKey]): string {
  const unit = findUnit(key);
  if (typeof value === "number" && unit !== undefined) return formatWithUnit(value, unit);
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? "[]" : value.join(",");
}

/** A value as TOML: `20`, `"info"`, `[ "a", "b" ]`. */
export function toTomlLiteral(value: unknown): string {
  return stringify({ v: value }).trimEnd().slice("v = ".length);
}

function formatQuotedList(options: string[]): string {
  const quoted = options.map((option) => `"${option}"`);
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
