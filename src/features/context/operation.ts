import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  outside,
  place,
  places,
  type Shaped,
  sessionField,
  text,
  textOrNull,
  time,
} from "../../protocol/shape-parts.ts";
import { contextEvents, contextUses } from "../../protocol/values.ts";

export const contextRequest = lazy(() =>
  z.object({
    event: z.enum(contextEvents),
    session_id: outside("session"),
    /** Of session-start: startup, resume, fork, clear, compact. */
    source: z.optional(z.string()),
    /** Of user-prompt. It is searched with, and not kept. */
    prompt: z.optional(z.string()),
    /** Of post-tool-use: the file that was edited, or those. */
    file: z.optional(place),
    files: z.optional(places),
    /** Of post-tool-use with one file: what the edit put in place of what. They are compared, and not kept. */
    removed: z.optional(z.string()),
    added: z.optional(z.string()),
    /** Of tool-failure: what the command reported. It is searched for, and not kept. */
    error: z.optional(z.string()),
    /** Of pre-tool-use: what is about to be searched for. It is searched for, and not kept. */
    search: z.optional(z.object({ pattern: z.string(), path: z.string(), isForFiles: z.boolean() })),
    cwd: z.optional(place),
    /** The session's transcript: a new one may show that it is a fork before the session is stored. */
    transcript_path: z.optional(place),
    /** What the hook has told the session already, and is not recorded yet. */
    told: z.optional(places),
    /** A later answer is dropped. Milliseconds. */
    within_ms: z.optional(z.number()),
    /** Only a preview: nothing is recorded as injected. */
    preview: z.optional(z.boolean()),
  }),
);

export type ContextRequest = Shaped<typeof contextRequest>;

export const contextResponse = lazy(() =>
  z.object({
    /** null: nothing to inject. */
    text: z.nullable(z.string()),
    /** Why there is something, or why not. */
    reason: z.string(),
    tokens: z.int(),
    took_ms: z.number(),
    items: z.array(
      z.object({
        ref: z.string(),
        kind: z.string(),
        quote: z.string(),
        place: z.string(),
        why: z.string(),
        score: z.nullable(z.number()),
      }),
    ),
  }),
);

export type ContextResponse = Shaped<typeof contextResponse>;

export const injectionsRequest = lazy(() =>
  z.object({ session: field("only this session's", sessionField), limit }),
);

/** What the session did with an item afterwards (`usesOf` in features/context/injected.ts has the rule). */
const injectedUse = lazy(() =>
  z.object({
    outcome: z.enum(contextUses),
    /** In words: "the agent read src/retry.ts". */
    reason: text,
    /** The turn that used it; null: none, or a subagent's. */
    turn: numberOrNull,
  }),
);

export type InjectedUse = Shaped<typeof injectedUse>;

const injectedItem = lazy(() =>
  z.object({
    /** chunk:ID, note:ID, session:ID, event:ID, file:PATH, code:PATH#NAME, command:FORM, fix:SESSION:TURN:TURN, revert:COMMIT or revert:SESSION:TURN. */
    ref: text,
    why: text,
    /** 0 to 1; null without a query. */
    score: numberOrNull,
    /** The beginning of the quoted text; null if it was forgotten since. */
    about: textOrNull,
    /** null for `file:`, which only records what was edited. */
    use: z.nullable(injectedUse()),
  }),
);

const injection = lazy(() =>
  z.object({
    session_id: text,
    session_title: textOrNull,
    event: z.enum(contextEvents),
    at: time,
    reason: text,
    tokens: count,
    took_ms: z.number(),
    items: z.array(injectedItem()),
  }),
);

export type Injected = Shaped<typeof injection>;

export const injectionsResponse = lazy(() =>
  z.object({
    injections: z.array(injection()),
    /** Answers of the last 30 days that came too late for the agent. */
    missed: z.array(z.object({ event: text, at: time, took_ms: z.number() })),
  }),
);

export const giveContext = defineOperation({
  name: "context",
  path: "POST /context",
  summary: "Get the memory that matters at this moment of a session",
  of: "project",
  door: "hook",
  request: contextRequest,
  response: contextResponse,
  answer: async () => (await import("./answer.ts")).giveContext,
});

export const listInjections = defineOperation({
  name: "injections",
  path: "GET /injections",
  summary: "List the automatic context that agents were given, the latest first",
  of: "memory",
  request: injectionsRequest,
  response: injectionsResponse,
  answer: async () => (await import("./answer.ts")).listInjections,
});
