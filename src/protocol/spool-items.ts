import * as z from "zod/mini";
import { gitHookNames, hookNames, payloadKinds } from "./hooks.ts";
import { label, outside } from "./shape-parts.ts";
import { callDecisions, contextEvents } from "./values.ts";

/**
 * What hooks leave in the spool for the daemon. Hooks import only the types: they have no time to load the schemas.
 */

/** Any item: its kind, and whatever that kind carries. */
export const spoolItem = z.looseObject({ kind: z.string() });
export type SpoolItem = z.infer<typeof spoolItem>;

const text = z.optional(z.string());
/** Milliseconds since the epoch. */
const receivedAt = z.number();
/** The directory that the event is about. Absolute. */
const place = outside("place");

/** What `pm hook EVENT` leaves of an event of any agent that runs hooks, not only of Claude Code. */
export const agentHookItem = z.object({
  kind: z.literal("agent-hook"),
  /** The agent's name; left out for Claude Code. */
  agent: z.optional(outside("agent")),
  event: z.enum(hookNames),
  received_at: receivedAt,
  place,
  payload: z.object({
    ...(Object.fromEntries(
      Object.entries(payloadKinds).map(([field, kind]) => [field, z.optional(outside(kind))]),
    ) as { [field in keyof typeof payloadKinds]: typeof text }),
    prompt: text,
  }),
});
export type AgentHookItem = z.infer<typeof agentHookItem>;

/** What `pm hook git-...` leaves of an event of git. */
export const gitHookItem = z.object({
  kind: z.literal("git-hook"),
  hook: z.enum(gitHookNames),
  received_at: receivedAt,
  place,
  payload: z.object({
    /** The top of the working tree that git worked in: the project's own, or a linked one. */
    cwd: place,
    /** post-commit: the commit, as it was when git called. */
    head: z.optional(outside("commit")),
    /** post-commit: the branch's short name; null on a detached HEAD. */
    branch: z.optional(z.nullable(outside("branch"))),
    /** post-rewrite: the command that rewrote the commits. */
    command: z.optional(z.enum(["amend", "rebase"])),
    /** post-rewrite: each commit's hash before and after. */
    rewritten: z.optional(z.array(z.tuple([outside("commit"), outside("commit")]))),
    /** pre-push: the remote's name; absent when git was given a URL, which may hold a password. */
    remote: text,
  }),
});
export type GitHookItem = z.infer<typeof gitHookItem>;

/** Left by a hook that told a session what was ready for it (ready-context.ts). */
export const givenContextItem = z.object({
  kind: z.literal("given-context"),
  received_at: receivedAt,
  place,
  session_id: outside("session"),
  event: z.enum(contextEvents),
  /** Since the start of the hook. Milliseconds. */
  took_ms: z.number(),
  /** It is measured, and not kept. */
  text: z.string(),
  /** The call that it is about, and what was decided about it; absent: it is about none, or nothing was. */
  call_id: z.optional(outside("id")),
  decision: z.optional(z.enum(callDecisions)),
  items: z.array(z.object({ ref: place, why: label("title"), score: z.nullable(z.number()) })),
});
export type GivenContextItem = z.infer<typeof givenContextItem>;

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
