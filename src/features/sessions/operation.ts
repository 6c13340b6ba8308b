import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { asked, inProject, where } from "../../protocol/everywhere.ts";
import { sessionBrief } from "../../protocol/session-brief.ts";
import {
  agent,
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  numberOrNull,
  place,
  type Shaped,
  sessionNamed,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { fileUses, summarySources, toolActions, turnStates } from "../../protocol/values.ts";
import { note } from "../notes/operation.ts";

export const sessionSummary = lazy(() =>
  z.object({
    id: text,
    agent: text,
    /** The colleague who shared it; null or left out: recorded here. */
    author: z.optional(textOrNull),
    title: textOrNull,
    /** What it is about: up to five key phrases, the most telling first. */
    topics: strings,
    branch: textOrNull,
    cwd: text,
    started_at: timeOrNull,
    last_at: timeOrNull,
    ended_at: timeOrNull,
    end_reason: textOrNull,
    turns: count,
    chunks: count,
    annotations: count,
    /** Made in it. */
    decisions: count,
    /** Sessions of its subagents. */
    agents: count,
    models: strings,
    /** `output` is null where the client did not record it. */
    tokens: z.object({ input: count, output: numberOrNull, cache_read: count, cache_write: count }),
    parent_id: textOrNull,
    parent_tool_use: textOrNull,
    agent_type: textOrNull,
    forked_from: textOrNull,
    /** How its last turn ended; left out where that is not known. */
    last_state: z.optional(z.enum(turnStates)),
    /** What its agent said or did last, while it is at work; else null or left out. */
    doing: z.optional(textOrNull),
  }),
);

export type SessionSummary = Shaped<typeof sessionSummary>;

export const sessionsRequest = lazy(() =>
  z.object({
    since,
    until,
    branch,
    agent,
    author: field("only those shared by people whose name contains this", text),
    team: field("only what colleagues shared", z.boolean()),
    mine: field("only your own, without what colleagues shared", z.boolean()),
    topic: field("only about this: a part of one of a session's topics", text),
    agents: field("include subagent sessions", z.boolean()),
    limit,
  }),
);

export type SessionsRequest = Shaped<typeof sessionsRequest>;

/** How many of the sessions have a value, the most common first. */
export const facet = lazy(() => z.array(z.object({ value: text, sessions: count })));

export const sessionsResponse = lazy(() =>
  z.object({
    sessions: z.array(sessionSummary()),
    total: count,
    /** Topics of all that fit, not only of those that are listed. */
    topics: z.optional(facet()),
    /** Colleagues who shared them; "" is you. */
    authors: z.optional(facet()),
  }),
);

export type SessionsResponse = Shaped<typeof sessionsResponse>;

export const sessionRequest = lazy(() =>
  z.object({
    id: sessionNamed,
    turn: field("show this turn in full", count),
    log: field(
      "also what was said and done: results in brief, or in full with the changed lines",
      z.enum(["brief", "full"]),
    ),
  }),
);

export type SessionRequest = Shaped<typeof sessionRequest>;

const turnOutline = lazy(() =>
  z.object({
    number: count,
    prompt: text,
    started_at: timeOrNull,
    ended_at: timeOrNull,
    branch: textOrNull,
    abandoned: z.boolean(),
    /** How it ended. */
    state: z.optional(z.enum(turnStates)),
    tools: z.record(z.string(), count),
    /** Programs that it ran that do more than look; of them those that failed, and those of these that worked later. */
    commands: z.object({ ran: count, failed: count, fixed: count }),
    files: z.array(z.object({ path: text, how: z.enum(fileUses) })),
  }),
);

/** notice: written by the client. summary: the agent's own, of the conversation so far. */
const statementKind = z.enum(["prompt", "text", "thinking", "notice", "summary", "compaction", "tool"]);

/** Something that was said or done in a session. */
const statement = lazy(() =>
  z.object({
    turn: count,
    kind: statementKind,
    /** What was said; of a tool call what it did, in a line: "Edit src/x.ts". */
    text,
    /** null: no tool call. */
    call: z.nullable(
      z.object({
        tool: text,
        is_error: z.boolean(),
        /** delegate: it ran a subagent, whose answer is the result. */
        action: z.enum(toolActions),
        /** From the call to its result, in milliseconds; null: not known. */
        took_ms: numberOrNull,
        /** null: the session ended before it came. */
        result: textOrNull,
        /** Lines that an edit added and removed. */
        added: count,
        removed: count,
        /** These lines, with their sign; only with a full log. */
        changed: strings,
      }),
    ),
  }),
);

export type TurnStatement = Shaped<typeof statement>;

export const sessionResponse = lazy(() =>
  z.object({
    session: sessionSummary(),
    brief: sessionBrief(),
    /** The best there is: by a language model, the agent's own, extractive. */
    summary: z.nullable(
      z.object({
        source: z.enum(summarySources),
        model: textOrNull,
        up_to_turn: count,
        text,
      }),
    ),
    turns: z.array(turnOutline()),
    files: z.array(z.object({ path: text, how: z.enum(fileUses) })),
    annotations: z.array(note()),
    agents: z.array(text),
    /** The command that goes on with it in its agent; null: there is none. */
    resume: textOrNull,
    /** The turn that was asked for, as `[USER] ...`, `[ASSISTANT] ...` and so on; null when none was. */
    content: textOrNull,
    /** Only with `log`: of the turn that was asked for, or of all. */
    log: z.optional(z.array(statement())),
  }),
);

export type SessionResponse = Shaped<typeof sessionResponse>;

export const turnsRequest = lazy(() =>
  z.object({
    session: sessionNamed,
    from: field("the number of the first turn; default: the session's first", count),
    limit: field("how many turns at most (default: 20); long ones come in fewer", count),
    whole: field("leave nothing out of long outputs and edits", z.boolean()),
  }),
);

export type TurnsRequest = Shaped<typeof turnsRequest>;

/** A call of a tool with its result. */
const toolCall = lazy(() =>
  z.object({
    /** The agent's own id of the call. */
    id: text,
    /** The tool, by the agent's name of it. */
    name: text,
    action: z.enum(toolActions),
    /** From the call to its result, in milliseconds, with whoever had to permit it; null: not known. */
    took_ms: numberOrNull,
    /** In a line: "Bash npm test". */
    headline: text,
    /** Null: it runs none. */
    command: textOrNull,
    /** Null: no result is known. */
    result: textOrNull,
    is_error: z.boolean(),
    /** What it changed: lines as in a unified diff, or the whole of a file that it wrote. */
    edits: z.array(z.object({ file: text, is_whole: z.boolean(), lines: strings })),
    /** The session of the subagent that it ran. */
    subagent: textOrNull,
  }),
);

export type ToolCall = Shaped<typeof toolCall>;

const turnEntry = lazy(() =>
  z.object({
    kind: statementKind,
    timestamp: timeOrNull,
    /** Of a compaction what caused it; "" for a tool. */
    text,
    images: count,
    tool: z.nullable(toolCall()),
    /** Left out of a long text or output, in characters, or of its edits, in lines. */
    omitted: count,
  }),
);

export type TurnEntry = Shaped<typeof turnEntry>;

const turnInFull = lazy(() =>
  z.object({
    number: count,
    started_at: timeOrNull,
    ended_at: timeOrNull,
    branch: textOrNull,
    abandoned: z.boolean(),
    state: z.optional(z.enum(turnStates)),
    entries: z.array(turnEntry()),
  }),
);

export type TurnInFull = Shaped<typeof turnInFull>;

export const turnsResponse = lazy(() =>
  z.object({
    turns: z.array(turnInFull()),
    /** The number of the turn behind these; null: there is none. */
    next: numberOrNull,
  }),
);

export type TurnsResponse = Shaped<typeof turnsResponse>;

export const listSessions = defineOperation({
  name: "sessions",
  path: "GET /sessions",
  summary: "List sessions, the latest first",
  of: "memory",
  editors: true,
  request: sessionsRequest,
  response: sessionsResponse,
  answer: async () => (await import("./answer.ts")).listSessions,
});

export const showSession = defineOperation({
  name: "session",
  path: "GET /sessions/:id",
  summary: "Show a session, or one of its turns in full",
  of: "memory",
  editors: true,
  request: sessionRequest,
  response: sessionResponse,
  answer: async () => (await import("./answer.ts")).showSession,
});

export const readTurns = defineOperation({
  name: "turns",
  path: "GET /turns",
  summary: "Read a session's turns, some at a time",
  of: "memory",
  request: turnsRequest,
  response: turnsResponse,
  answer: async () => (await import("./answer.ts")).readTurns,
});

export const picturesRequest = lazy(() =>
  z.object({ session: sessionNamed, turn: described("the number of the turn", count) }),
);

export type PicturesRequest = Shaped<typeof picturesRequest>;

export const picturesResponse = lazy(() =>
  z.object({
    pictures: z.array(
      z.object({
        /** When its message was written: that of a prompt in `turns`. */
        at: timeOrNull,
        /** The call whose result it is; null: it came with a prompt. */
        call: textOrNull,
        /** A `data:` URL. */
        url: text,
      }),
    ),
  }),
);

export type PicturesResponse = Shaped<typeof picturesResponse>;

export const readPictures = defineOperation({
  name: "pictures",
  path: "GET /pictures",
  summary: "Read the pictures of a turn from the agent's transcript, because Pommel does not store pictures",
  of: "memory",
  request: picturesRequest,
  response: picturesResponse,
  answer: async () => (await import("./answer.ts")).readPictures,
});

/** A session as a trajectory of ATIF. */
export const exportTrajectory = defineLocalOperation(async () => {
  const { exportTrajectory } = await import("./session-log.ts");
  return (project: Project, { id, clean }: { id: string; clean: (text: string) => string }) =>
    exportTrajectory(project, id, clean);
});

export const sessionsEverywhereRequest = lazy(() => z.extend(sessionsRequest(), where));

export const sessionsEverywhereResponse = lazy(() =>
  z.object({ sessions: z.array(z.extend(sessionSummary(), inProject)), total: count, ...asked }),
);

export const sessionsEverywhere = defineOperation({
  name: "sessionsEverywhere",
  path: "GET /everywhere/sessions",
  summary: "List sessions of all projects, the latest first",
  of: "machine",
  request: sessionsEverywhereRequest,
  response: sessionsEverywhereResponse,
  answer: async () => (await import("./answer.ts")).listSessionsEverywhere,
});

/** `here`: a directory of the project that does not store it. */
export const locateSessionRequest = lazy(() =>
  z.object({ id: sessionNamed, here: described("a directory in the project that is searched first", place) }),
);

export const locateSessionResponse = lazy(() => z.object({ root: textOrNull }));

export const locateSession = defineOperation({
  name: "locateSession",
  path: "GET /everywhere/session",
  summary: "Find the other project that stores a session",
  of: "machine",
  request: locateSessionRequest,
  response: locateSessionResponse,
  answer: async () => (await import("./answer.ts")).locateSession,
});
