import * as z from "zod/mini";
import { operation } from "../../answers/operation.ts";
import {
  count,
  lazy,
  outside,
  place,
  places,
  sessionNamed,
  text,
  textOrNull,
} from "../../protocol/shape-parts.ts";

export const indexTranscriptRequest = lazy(() =>
  z.object({
    /** Files to read on, or to begin with. */
    transcript_path: z.optional(place),
    transcript_paths: z.optional(places),
    session_id: z.optional(sessionNamed),
    agent: z.optional(outside("agent")),
    /** manual, auto, import ...: for the log. */
    trigger: z.optional(text),
    generate_summary: z.optional(z.boolean()),
    /** Also transcripts of sessions that ran elsewhere. */
    all_projects: z.optional(z.boolean()),
  }),
);

export const indexTranscriptResponse = lazy(() =>
  z.object({ queued: z.boolean(), reason: textOrNull, pending: count }),
);

export const sessionStartRequest = lazy(() =>
  z.object({
    session_id: outside("session"),
    transcript_path: z.optional(place),
    source: z.optional(text),
    cwd: z.optional(place),
    /** The session's agent; left out: the default agent. */
    agent: z.optional(outside("agent")),
  }),
);

export const sessionStartResponse = lazy(() => z.object({ registered: z.boolean() }));

export const importTranscript = operation({
  name: "indexTranscript",
  path: "POST /index/transcript",
  summary: "Import a session",
  of: "recording",
  audited: false,
  request: indexTranscriptRequest,
  response: indexTranscriptResponse,
  answer: async () => (await import("./answer.ts")).importTranscript,
});

export const registerSession = operation({
  name: "sessionStart",
  path: "POST /session/start",
  summary: "Register a session that begins",
  of: "recording",
  audited: false,
  request: sessionStartRequest,
  response: sessionStartResponse,
  answer: async () => (await import("./answer.ts")).registerSession,
});
