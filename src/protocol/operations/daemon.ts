import * as z from "zod/mini";
import {
  count,
  described,
  field,
  lazy,
  numberOrNull,
  outside,
  place,
  places,
  strings,
  text,
  textOrNull,
  time,
} from "../shape-parts.ts";

/** The shapes of requests that only the daemon serves. */

/**
 * What to index. Empty: look for changes now. `paths` (paths or globs): forget those files and index them again.
 * `full`: the same for everything.
 */
export const indexRequest = lazy(() =>
  z.object({
    paths: field("only this file, directory or glob", places),
    full: z.optional(z.boolean()),
  }),
);

export const indexResponse = lazy(() =>
  z.object({
    queued: z.boolean(),
    pending: count,
    /** Without a daemon: what was done, in files. */
    done: z.optional(
      z.object({ indexed: count, unchanged: count, removed: count, skipped: count, failed: count }),
    ),
  }),
);

export const rescrubRequest = lazy(() =>
  z.object({
    llm: field("let the model of scrub.llm read sessions stored before it was asked", z.boolean()),
  }),
);

/** `sessions`: with `llm`, how many the model is to read; without a daemon, how many were changed, with what follows. */
export const rescrubResponse = lazy(() =>
  z.object({
    queued: z.boolean(),
    sessions: z.optional(count),
    turns: z.optional(count),
    log_emptied: z.optional(z.boolean()),
  }),
);
export const spoolResponse = lazy(() => z.object({ taken: z.boolean() }));

/** Changed settings: those applied now, and those that need a restart. */
export const reloadResponse = lazy(() =>
  z.object({
    applied: strings,
    need_restart: strings,
    /** It runs in a terminal, where only the person there restarts it. */
    in_foreground: z.boolean(),
  }),
);

export const daemonResponse = lazy(() =>
  z.object({
    version: text,
    pid: count,
    /** On 127.0.0.1, for the page and other programs. */
    port: count,
    started_at: time,
    uptime_seconds: count,
    memory_bytes: count,
    /** Transcripts that are still to be read, of all projects that are open. */
    importing: count,
    /** Checkouts in use, each with the id of its project. */
    open: z.array(z.object({ root: text, project: text })),
  }),
);

/** Every project of this person, the last used first. */
export const projectsResponse = lazy(() =>
  z.object({
    projects: z.array(
      z.object({
        id: text,
        name: text,
        /** The checkout that was used last. */
        root: text,
        /** Where it was cloned from, without scheme and credentials. */
        remote: textOrNull,
        /** Named with `pm init`: recorded even where not all projects are. */
        is_named: z.boolean(),
        /** Recording was turned off with `pm disable`. */
        is_off: z.boolean(),
        /** No checkout is there any more; the memory is. */
        is_gone: z.boolean(),
        checkouts: z.array(z.object({ root: text, is_gone: z.boolean(), last_used_at: time })),
        /** null: there is no memory, or it cannot be read. */
        sessions: numberOrNull,
        turns: numberOrNull,
        first_used_at: time,
        last_used_at: time,
      }),
    ),
    /** Of all of them; what cannot be read does not count. */
    totals: z.object({ projects: count, checkouts: count, sessions: count, turns: count }),
  }),
);

export const shutdownResponse = lazy(() => z.object({ stopping: z.literal(true), pid: z.number() }));

/** A command line of `pm` that only reads. */
export const commandRequest = lazy(() =>
  z.object({
    args: strings,
    cwd: place,
    /** The terminal's width; null if stdout is not a terminal. */
    columns: z.nullable(count),
    /** Whether stdout and stderr may have colours. */
    color: z.tuple([z.boolean(), z.boolean()]),
    /** Whether stdout's terminal opens links. */
    links: z.boolean(),
    /** The environment variables that answers depend on. */
    settings: z.record(text, z.optional(text)),
  }),
);

export const commandResponse = lazy(() =>
  z.object({
    /** null: this command is not run for others. */
    exit_code: z.nullable(z.int()),
    /** In order: the file descriptor, and what is written to it. */
    output: z.array(z.tuple([z.literal([1, 2]), text])),
  }),
);

/** The local page signs in with a one-time code: docs/page.md. */
export const signInRequest = lazy(() => z.object({ code: text }));

export const pageCodeResponse = lazy(() =>
  z.object({
    /** Opens the page once. */
    code: text,
    expires_in_seconds: count,
  }),
);

/** Browsers that are signed in to the local page, the last used first. */
export const browsersResponse = lazy(() =>
  z.object({
    browsers: z.array(z.object({ id: text, name: text, signed_in_at: time, last_used_at: time })),
  }),
);

export const signOutRequest = lazy(() =>
  z.object({ browser: field("only this one, by its id", outside("id")) }),
);

export const signOutResponse = lazy(() =>
  z.object({
    /** How many browsers. */
    signed_out: count,
  }),
);

export const pageResponse = lazy(() =>
  z.object({
    /** The project's directory name. */
    name: text,
    /** The project's root directory. */
    root: text,
    version: text,
    /** The address that opens `{path}`, absolute, at `{line}` in an editor; null: none is configured. */
    editor: textOrNull,
    /** Agents with sessions here, the one with the most first. */
    agents: strings,
    /** Colleagues who shared sessions or notes. */
    authors: strings,
    /** Branches that sessions ran on, the latest first. */
    branches: strings,
    /** Languages of the indexed files, the most common first. */
    languages: strings,
  }),
);
export type PageResponse = z.infer<ReturnType<typeof pageResponse>>;

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
    /** What a repository may not set, and variables that have another name here; a sentence each. */
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
