import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { Running } from "../../answers/operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
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
import type { PreviewRequest, TranscriptToImport } from "./import.ts";

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

export const importTranscript = defineOperation({
  name: "indexTranscript",
  path: "POST /index/transcript",
  summary: "Import a session",
  of: "recording",
  audited: false,
  request: indexTranscriptRequest,
  response: indexTranscriptResponse,
  answer: async () => (await import("./answer.ts")).importTranscript,
});

export const registerSession = defineOperation({
  name: "sessionStart",
  path: "POST /session/start",
  summary: "Register a session that begins",
  of: "recording",
  audited: false,
  request: sessionStartRequest,
  response: sessionStartResponse,
  answer: async () => (await import("./answer.ts")).registerSession,
});

/** Counts what an import would read. */
export const previewImport = defineLocalOperation(async () => {
  const { previewTranscripts } = await import("./import.ts");
  return (project: Project, request: PreviewRequest, { signal }: Running) =>
    previewTranscripts(project, request, signal);
});

/** Follows an import to its end. */
export const followImport = defineLocalOperation(async () => {
  const { followImport } = await import("./import.ts");
  return (project: Project, { files }: { files: readonly TranscriptToImport[] }, how: Running) =>
    followImport(project, files, how);
});

/** Counts transcripts that nobody read before they vanished. */
export const countGone = defineLocalOperation(async () => {
  const { countGone } = await import("./import.ts");
  return (project: Project, { paths }: { paths: readonly string[] }) => countGone(project, paths);
});

/** Finds out what Aline's database holds of this project. */
export const planAline = defineLocalOperation(async () => (await import("./import.ts")).planAline);

/** Takes in what was planned. */
export const importAline = defineLocalOperation(async () => (await import("./import.ts")).importAline);

/** Links transcripts that are still to be read into the home. */
export const keepUnread = defineLocalOperation(async () => {
  const { keepUnread } = await import("./keep-unread.ts");
  return () => keepUnread();
});
