import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import { unitNames } from "../../base/text/units.ts";
import {
  described,
  field,
  lazy,
  type Shaped,
  strings,
  text,
  textOrNull,
} from "../../protocol/shape-parts.ts";

const settingValue = z.union([z.string(), z.number(), z.boolean(), strings]);

const setting = lazy(() =>
  z.object({
    key: text,
    value: settingValue,
    default: settingValue,
    /** global: the user's own file. */
    origin: z.enum(["default", "global", "team", "project", "env"]),
    /** The file or environment variable it was read from; null for a default. */
    source: textOrNull,
    about: text,
    /** What it may be: "true or false". */
    allowed: text,
    /** What a number counts; null where it is none, or has no unit. */
    unit: z.nullable(z.enum(unitNames)),
    /** Its values, where they can be listed; null where they cannot. */
    choices: z.nullable(strings),
    /** Whether the page may change it: harmless ones, which apply at once. */
    changeable: z.boolean(),
  }),
);

export type Setting = Shaped<typeof setting>;

export const settingsResponse = lazy(() =>
  z.object({
    settings: z.array(setting()),
    /** What a repository may not set, and variables that have another name here; a sentence each. */
    notes: strings,
  }),
);

export type SettingsResponse = Shaped<typeof settingsResponse>;

export const changeSettingRequest = lazy(() =>
  z.object({
    key: described("the setting, such as search.limit", text),
    value: field("in the form of `pm config set`; if left out, the next source counts again", text),
  }),
);

export const changeSettingResponse = lazy(() => z.object({ setting: setting(), changed: z.boolean() }));

export const listSettings = defineOperation({
  name: "settings",
  path: "GET /settings",
  summary: "List every setting with its value and where it comes from",
  of: "project",
  request: nothing,
  response: settingsResponse,
  answer: async () => (await import("./answer.ts")).listSettings,
});

export const changeSetting = defineOperation({
  name: "changeSetting",
  path: "POST /settings/change",
  summary: "Change a setting of the project; the page may change only harmless settings in this way",
  of: "project",
  changes: true,
  request: changeSettingRequest,
  response: changeSettingResponse,
  answer: async () => (await import("./answer.ts")).changeSetting,
});
