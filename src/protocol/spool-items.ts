import * as z from "zod/mini";
import { gitHookNames, type HookPayload, hookNames, payloadFields } from "./hooks.ts";
import { contextEvents } from "./values.ts";

/**
 * What hooks leave in the spool for the daemon. Hooks take the types only: to load the schemas would cost each of
 * them its budget.
 */

/** Any item: its kind, and whatever that kind carries. */
export const spoolItem = z.looseObject({ kind: z.string() });
export type SpoolItem = z.infer<typeof spoolItem>;

const text = z.optional(z.string());
/** Milliseconds since the epoch. */
const receivedAt = z.number();
/** The directory that the event is about. Absolute. */
const place = z.string();

/** What `pm hook` leaves of an event of an agent. */
export const agentHookItem = z.object({
  kind: z.literal("claude-hook"),
  /** Absent: Claude Code. */
  agent: text,
  event: z.enum(hookNames),
  received_at: receivedAt,
  place,
  payload: z.object(
    Object.fromEntries(payloadFields.map((field) => [field, text])) as {
      [field in keyof HookPayload]-?: typeof text;
    },
  ),
});
export type AgentHookItem = z.infer<typeof agentHookItem>;

/** What `pm hook git-...` leaves. */
export const gitHookItem = z.object({
  kind: z.literal("git-hook"),
  hook: z.enum(gitHookNames),
  received_at: receivedAt,
  place,
  payload: z.object({
    /** The top of the working tree that git worked in, a linked one or the project's own. */
    cwd: z.string(),
    /** post-commit: the commit, as it was when git called. */
    head: text,
    /** post-commit: the branch's short name; null on a detached HEAD. */
    branch: z.optional(z.nullable(z.string())),
    /** post-rewrite. */
    command: z.optional(z.enum(["amend", "rebase"])),
    /** post-rewrite: each commit's hash before and after. */
    rewritten: z.optional(z.array(z.tuple([z.string(), z.string()]))),
    /** pre-push: the remote's name; absent when git was given a URL, which may hold a password. */
    remote: text,
  }),
});
export type GitHookItem = z.infer<typeof gitHookItem>;

/** Written by a hook whose context did not arrive in time. */
export const missedContextItem = z.object({
  kind: z.literal("missed-context"),
  event: z.enum(contextEvents),
  received_at: receivedAt,
  place,
  /** Since the start of the hook. Milliseconds. */
  took_ms: z.number(),
});
export type MissedContextItem = z.infer<typeof missedContextItem>;
