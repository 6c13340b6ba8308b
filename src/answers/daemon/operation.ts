import * as z from "zod/mini";
import { count, field, lazy, place, strings, text, time } from "../../protocol/shape-parts.ts";
import { defineOperation, nothing } from "../operation.ts";

export const spoolResponse = lazy(() => z.object({ taken: z.boolean() }));

export const daemonResponse = lazy(() =>
  z.object({
    version: text,
    pid: count,
    /** The port on 127.0.0.1 for the page and other programs. */
    port: count,
    started_at: time,
    uptime_seconds: count,
    memory_bytes: count,
    /** How many transcripts of all open projects are still to be read. */
    importing: count,
    /** Checkouts in use, each with the id of its project. */
    open: z.array(z.object({ root: text, project: text })),
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
    /** null: the daemon does not run this command, so the asker must. */
    exit_code: z.nullable(z.int()),
    /** What the command wrote, in order, each with its file descriptor. */
    output: z.array(z.tuple([z.literal([1, 2]), text])),
  }),
);

export const logRequest = lazy(() =>
  z.object({
    lines: field("how many entries at most (default: 100)", count.check(z.maximum(1000))),
  }),
);

const logEntry = lazy(() =>
  z.object({
    at: time,
    /** stderr: the daemon printed this because it could not log. */
    level: z.enum(["debug", "info", "warn", "error", "stderr"]),
    text,
  }),
);

export const logResponse = lazy(() => z.object({ entries: z.array(logEntry()) }));

export const runCommand = defineOperation({
  name: "command",
  path: "POST /command",
  summary: "Run a command of pm that only reads; for pm itself",
  of: "daemon",
  audience: "pommel",
  request: commandRequest,
  response: commandResponse,
  answer: async () => (await import("./answer.ts")).runCommand,
});

export const readSpool = defineOperation({
  name: "spool",
  path: "POST /spool",
  summary: "Read what hooks left; for hooks",
  of: "daemon",
  audience: "pommel",
  request: nothing,
  response: spoolResponse,
  answer: async () => (await import("./answer.ts")).readSpool,
});

export const readLog = defineOperation({
  name: "log",
  path: "GET /log",
  summary: "Show the last entries of the daemon's log",
  of: "daemon",
  request: logRequest,
  response: logResponse,
  answer: async () => (await import("./answer.ts")).readLog,
});

export const describeDaemon = defineOperation({
  name: "daemon",
  path: "GET /daemon",
  summary: "Show the daemon itself and the checkouts in use",
  of: "daemon",
  request: nothing,
  response: daemonResponse,
  answer: async () => (await import("./answer.ts")).describeDaemon,
});

export const shutDown = defineOperation({
  name: "shutdown",
  path: "POST /shutdown",
  summary: "Stop the daemon",
  of: "daemon",
  audience: "programs",
  request: nothing,
  response: shutdownResponse,
  answer: async () => (await import("./answer.ts")).shutDown,
});

/** Changed settings: those applied now, and those that need a restart. */
export const reloadResponse = lazy(() =>
  z.object({
    applied: strings,
    need_restart: strings,
    /** The daemon runs in a terminal, where only the person there can restart it. */
    in_foreground: z.boolean(),
  }),
);

export const reloadSettings = defineOperation({
  name: "reloadSettings",
  path: "POST /settings/reload",
  summary: "Apply changed settings",
  of: "daemon",
  changes: true,
  request: nothing,
  response: reloadResponse,
  answer: async () => (await import("./answer.ts")).reloadSettings,
});
