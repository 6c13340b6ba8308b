import * as z from "zod/mini";
import { count, field, lazy, strings, text, textOrNull } from "../shape-parts.ts";

/** The shapes of requests that only the daemon serves. */

/**
 * What to index. Empty: look for changes now. `paths` (paths or globs): forget those files and index them again.
 * `full`: the same for everything.
 */
export const indexRequest = lazy(() =>
  z.object({
    paths: field("only this file, directory or glob", strings),
    full: z.optional(z.boolean()),
  }),
);

export const indexResponse = lazy(() => z.object({ queued: z.literal(true), pending: count }));

export const rescrubRequest = lazy(() =>
  z.object({
    llm: field("let the model of scrub.llm read sessions stored before it was asked", z.boolean()),
  }),
);

/** `sessions`: with `llm`, how many the model is to read. */
export const rescrubResponse = lazy(() => z.object({ queued: z.boolean(), sessions: z.optional(count) }));
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

export const shutdownResponse = lazy(() => z.object({ stopping: z.literal(true), pid: z.number() }));

/** A command line of `pm` that only reads. */
export const commandRequest = lazy(() =>
  z.object({
    args: strings,
    cwd: text,
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
