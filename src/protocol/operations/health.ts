import * as z from "zod/mini";
import { count, described, field, lazy, strings, text, textOrNull, time } from "../shape-parts.ts";

/** The shapes of settings, of the daemon's log and of what `pm doctor` checks. */

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
    /** Its values, where they can be listed; null where they cannot. */
    choices: z.nullable(strings),
    /** Whether the page may change it: harmless ones, which apply at once. */
    changeable: z.boolean(),
  }),
);
export type Setting = z.infer<ReturnType<typeof setting>>;

export const settingsResponse = lazy(() =>
  z.object({
    settings: z.array(setting()),
    /** Retired values that are replaced, a sentence each. */
    notes: strings,
  }),
);
export type SettingsResponse = z.infer<ReturnType<typeof settingsResponse>>;

export const changeSettingRequest = lazy(() =>
  z.object({
    key: text,
    value: field("as `pm config set` reads it; left out: back to the global or default value", text),
  }),
);
export const changeSettingResponse = lazy(() => z.object({ setting: setting(), changed: z.boolean() }));

export const logRequest = lazy(() =>
  z.object({
    lines: described("how many entries at most (default: 100)", z.optional(count.check(z.maximum(1000)))),
  }),
);

const logEntry = lazy(() =>
  z.object({
    at: time,
    /** stderr: what the daemon printed when it could not log. */
    level: z.enum(["debug", "info", "warn", "error", "stderr"]),
    text,
  }),
);
export const logResponse = lazy(() => z.object({ entries: z.array(logEntry()) }));

export const doctorResponse = lazy(() =>
  z.object({
    /** Whether no check failed. */
    ok: z.boolean(),
    checks: z.array(
      z.object({
        name: text,
        status: z.enum(["ok", "warn", "fail"]),
        message: text,
        /** What to do; "" if all is well. */
        hint: text,
      }),
    ),
  }),
);
