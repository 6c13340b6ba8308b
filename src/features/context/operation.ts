import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  described,
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
    event: described("the moment of the session", z.enum(contextEvents)),
    session_id: described("the session's id", outside("session")),
    source: field("with session-start: startup, resume, fork, clear or compact", text),
    prompt: field("with user-prompt: the prompt; it is compared, and not stored", text),
    file: field("with post-tool-use: the file that was edited", place),
    files: field("with post-tool-use: the files that were edited, if there are several", places),
    removed: field("with post-tool-use and one file: the text that the edit replaced; not stored", text),
    added: field("with post-tool-use and one file: the text that the edit wrote; not stored", text),
    error: field("with tool-failure: what the command reported; it is compared, and not stored", text),
    search: field(
      "with pre-tool-use: what the agent is about to search for, and where; not stored",
      z.object({ pattern: text, path: text, isForFiles: z.boolean() }),
    ),
    reading: field("with pre-tool-use: the file that the agent is about to read", place),
    cwd: field("the directory in which the agent works", place),
    transcript_path: field("the session's transcript; it may show that a new session is a fork", place),
    told: field("the items (`ref`) that the session was given and that are not recorded yet", places),
    within_ms: field("drop the answer if it takes longer than this, in milliseconds", z.number()),
    preview: field("only show what would be given, and record nothing", z.boolean()),
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
  z.object({ session: field("only those of this session", sessionField), limit }),
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
  summary: "Get the automatic context for this moment of a session",
  of: "project",
  channel: "hook",
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
