import type * as z from "zod/mini";
import type { Handler } from "../tool.ts";
import type { Output } from "./shape-parts.ts";
import * as git from "./shapes-git.ts";
import * as search from "./shapes-search.ts";
import * as sessions from "./shapes-sessions.ts";

/** The tools as a client sees them, and where their code is. */

export interface Tool {
  title: string;
  /** What it answers and when to call it, in the words that somebody would search for. */
  description: string;
  input: z.ZodMiniType;
  /** Whether it leaves everything as it is. */
  isReading: boolean;
  /**
   * Whether a client that loads tools on demand has to load it from the start. A model rarely searches for a tool that it
   * was not shown. Each costs every request of every session its description and schema, so these are few and short.
   */
  isAlwaysLoaded: boolean;
  /** Loads its code: only a tool that is called costs anything. */
  load: () => Promise<Handler<z.ZodMiniType, Output>>;
}

/** Ties a tool's code to its input. */
function tool<I extends z.ZodMiniType, O extends Output>(
  described: Pick<Tool, "title" | "description"> &
    Partial<Pick<Tool, "isReading" | "isAlwaysLoaded">> & {
      input: I;
      load: () => Promise<Handler<I, O>>;
    },
): Tool {
  // What it is called with has been parsed by its own `input`.
  const load = described.load as unknown as Tool["load"];
  return { isReading: true, isAlwaysLoaded: false, ...described, load };
}

export const tools = {
  search_code: tool({
    title: "Search code",
    description:
      "Find code by meaning, words or names: places and how they begin, best first. Use it before grep.",
    isAlwaysLoaded: true,
    input: search.searchCodeInput,
    load: async () => (await import("../tools/search-code.ts")).searchCode,
  }),
  search_sessions: tool({
    title: "Search past sessions",
    description:
      "Find what was discussed, tried and decided in past agent sessions: reasons, fixes, dead ends, notes. " +
      "For what may have come up before. No query: the latest sessions. Read on with get_session.",
    isAlwaysLoaded: true,
    input: search.searchSessionsInput,
    load: async () => (await import("../tools/sessions/search-sessions.ts")).searchSessions,
  }),
  get_session: tool({
    title: "Read a session",
    description:
      "Read a past session: its summary, last turns, notes and files; with turn, that turn in full. Without an id: the " +
      "latest session before this one, to continue its work.",
    input: sessions.getSessionInput,
    load: async () => (await import("../tools/sessions/get-session.ts")).getSession,
  }),
  get_session_summary: tool({
    title: "Summary of a session",
    description: "Only the summary of a past session, and the files that it changed.",
    input: sessions.getSessionSummaryInput,
    load: async () => (await import("../tools/sessions/get-session-summary.ts")).getSessionSummary,
  }),
  list_decisions: tool({
    title: "List decisions",
    description:
      "List decisions and notes of this project, latest first, or best matches for a query. Use it before you " +
      "choose a library, a format or an approach.",
    input: sessions.listDecisionsInput,
    load: async () => (await import("../tools/list-decisions.ts")).listDecisions,
  }),
  list_checkpoints: tool({
    title: "List checkpoints",
    description:
      "List the commits that agent sessions led to, latest first, with their sessions; with query, search all commits.",
    input: git.listCheckpointsInput,
    load: async () => (await import("../tools/list-checkpoints.ts")).listCheckpoints,
  }),
  why: tool({
    title: "Why lines exist",
    description:
      "Explain why lines of a file exist: who wrote them (agent or person), in which commit and session, what was asked " +
      "for and decided, what was there before. Use it before you change code that looks odd. Without lines: who wrote " +
      "which.",
    isAlwaysLoaded: true,
    input: git.whyInput,
    load: async () => (await import("../tools/why/why.ts")).why,
  }),
  rewind_preview: tool({
    title: "Preview going back",
    description:
      "Show what going back to a checkpoint or commit would change, and what agents were doing then. Changes nothing.",
    input: git.rewindPreviewInput,
    load: async () => (await import("../tools/rewind-preview.ts")).rewindPreview,
  }),
  related: tool({
    title: "Related sessions",
    description:
      "Find past sessions, and decisions, about files or a question. Without either: about the uncommitted changes.",
    input: search.relatedInput,
    load: async () => (await import("../tools/related.ts")).related,
  }),
  add_note: tool({
    title: "Remember a note",
    description:
      "Remember a decision, a constraint or a finding for later sessions. Only what the user said or wants kept.",
    input: sessions.addNoteInput,
    isReading: false,
    load: async () => (await import("../tools/add-note.ts")).addNoteTool,
  }),
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}
