import * as z from "zod/mini";
import type { Agent } from "../../agents/agent.ts";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { RunContext } from "../../answers/operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import {
  count,
  described,
  field,
  lazy,
  outside,
  place,
  places,
  sessionNamed,
  text,
  textOrNull,
} from "../../protocol/shape-parts.ts";
import type { ImportPreview } from "../../sessions/ingest/import-preview.ts";
import type { Output } from "../../terminal/output.ts";
import type { PreviewRequest, TranscriptToImport } from "./import.ts";

export const indexTranscriptRequest = lazy(() =>
  z.object({
    transcript_path: field("a transcript to read, from where reading stopped last time", place),
    transcript_paths: field("the same, for several transcripts", places),
    session_id: z.optional(sessionNamed),
    agent: field("the agent whose transcripts these are (default: recognised by the file)", outside("agent")),
    trigger: field("why they are read, for the log: manual, auto, import", text),
    generate_summary: field("also write a summary", z.boolean()),
    all_projects: field("also read transcripts of sessions that ran in other projects", z.boolean()),
    urgency: field("past sessions with a lower number are read first, in all projects", count),
  }),
);

export const indexTranscriptResponse = lazy(() =>
  z.object({ queued: z.boolean(), reason: textOrNull, pending: count }),
);

export const sessionStartRequest = lazy(() =>
  z.object({
    session_id: described("the session's id", outside("session")),
    transcript_path: field("its transcript", place),
    source: field("how it started: startup, resume, fork, clear or compact", text),
    cwd: field("the directory in which it started", place),
    agent: field("its agent (default: claude)", outside("agent")),
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
  return (project: Project, request: PreviewRequest, { signal }: RunContext) =>
    previewTranscripts(project, request, signal);
});

/** Follows an import to its end. */
export const followImport = defineLocalOperation(async () => {
  const { followImport } = await import("./import.ts");
  return (project: Project, { files }: { files: readonly TranscriptToImport[] }, how: RunContext) =>
    followImport(project, files, how);
});

/** Counts transcripts that nobody read before they vanished. */
export const countGone = defineLocalOperation(async () => {
  const { countGone } = await import("./import.ts");
  return (project: Project, { paths }: { paths: readonly string[] }) => countGone(project, paths);
});

/** Finds out what Aline's database holds of this project. */
export const planAline = defineLocalOperation(async () => (await import("./import-aline.ts")).planAline);

/** Takes in what was planned. */
export const importAline = defineLocalOperation(async () => (await import("./import-aline.ts")).importAline);

/** Links transcripts that are still to be read into the home. */
export const keepUnread = defineLocalOperation(async () => {
  const { keepUnread } = await import("./keep-unread.ts");
  return () => keepUnread();
});

/** The result of the import, for JSON. */
export interface ImportedSessions {
  sessions: number;
  chunks: number;
  failed: { path: string; error: string }[];
  /** Somebody stopped watching: the daemon goes on with it. */
  interrupted: boolean;
}

/** Sessions of an agent from before Pommel came here. */
export interface FoundSessions {
  agent: Agent;
  preview: ImportPreview;
}

/** Finds past sessions of a project, by agent. */
export const findPastSessions = defineLocalOperation(async () => {
  const { findPastSessions } = await import("./import-sources.ts");
  return (project: Project, { isWanted }: { isWanted: boolean }) => findPastSessions(project, isWanted);
});

interface FoundImport {
  past: readonly FoundSessions[];
  /** Whoever chose them sees no steps. */
  isBrief: boolean;
  output: Output;
}

/** Imports them, and shows how far it is. */
export const importFound = defineLocalOperation(async () => {
  const { importFound } = await import("./import-sources.ts");
  return (project: Project, { past, isBrief, output }: FoundImport) =>
    importFound(project, past, isBrief, output);
});

interface QueuedFiles {
  agent: Agent;
  files: readonly { path: string; urgency: number }[];
}

/** Has the daemon read transcripts in the background; says why it does not. */
export const queueTranscripts = defineLocalOperation(async () => {
  const { queueTranscripts } = await import("./import-sources.ts");
  return (project: Project, { agent, files }: QueuedFiles) => queueTranscripts(project, agent, files);
});

/** Takes in the lines of a memory that was exported. */
export const importMemory = defineLocalOperation(
  async () => (await import("../../answers/memory-file.ts")).importFile,
);
