import type * as z from "zod/mini";
import * as git from "./shapes-git.ts";
import * as search from "./shapes-search.ts";
import * as sessions from "./shapes-sessions.ts";
import type { Handler } from "./tool.ts";

/** The tools as a client sees them, and where their code is. An agent often sees no more of a tool than its name. */

export interface Tool {
  title: string;
  description: string;
  input: z.ZodMiniType;
  output: z.ZodMiniType;
  /** Whether it leaves everything as it is. */
  isReading: boolean;
  /** Loads its code: only a tool that is called costs anything. */
  load: () => Promise<Handler<z.ZodMiniType, z.ZodMiniType>>;
}

/** Ties a tool's code to its shapes. */
function tool<I extends z.ZodMiniType, O extends z.ZodMiniType>(
  described: Omit<Tool, "load" | "input" | "output" | "isReading"> & {
    input: I;
    output: O;
    isReading?: boolean;
    load: () => Promise<Handler<I, O>>;
  },
): Tool {
  // What it is called with has been parsed by its own `input`.
  return { isReading: true, ...described, load: described.load as unknown as Tool["load"] };
}

export const tools = {
  search_code: tool({
    title: "Search code",
    description:
      "Find code of this project by meaning, words or names. Gives places (file and lines) with how they begin, best " +
      "first. Use it before grep or reading whole files when you do not know where something is.",
    input: search.searchCodeInput,
    output: search.searchCodeOutput,
    load: async () => (await import("./tools/search-code.ts")).searchCode,
  }),
  search_sessions: tool({
    title: "Search past sessions",
    description:
      "Find what was said and done in past conversations of coding agents about this project: reasons, fixes, dead " +
      "ends, people's notes. Without a query: the latest sessions. Follow up with get_session and the turn.",
    input: search.searchSessionsInput,
    output: search.searchSessionsOutput,
    load: async () => (await import("./tools/search-sessions.ts")).searchSessions,
  }),
  get_session: tool({
    title: "Read a session",
    description:
      "What a past session was about: its summary, last turns, notes and files; with turn, that turn in full. Without " +
      "an id: the latest session before this one, to go on where it ended.",
    input: sessions.getSessionInput,
    output: sessions.getSessionOutput,
    load: async () => (await import("./tools/get-session.ts")).getSession,
  }),
  get_session_summary: tool({
    title: "Summary of a session",
    description: "Only the summary of a past session, and the files that it changed.",
    input: sessions.getSessionSummaryInput,
    output: sessions.getSessionSummaryOutput,
    load: async () => (await import("./tools/get-session-summary.ts")).getSessionSummary,
  }),
  list_decisions: tool({
    title: "List decisions",
    description:
      "What was decided and noted in this project, the latest first, or the best first for a query. Look here before " +
      "you choose a library, a format or an approach.",
    input: sessions.listDecisionsInput,
    output: sessions.listDecisionsOutput,
    load: async () => (await import("./tools/list-decisions.ts")).listDecisions,
  }),
  list_checkpoints: tool({
    title: "List checkpoints",
    description: "Commits that sessions led to, the latest first, each with its sessions and turns.",
    input: git.listCheckpointsInput,
    output: git.listCheckpointsOutput,
    load: async () => (await import("./tools/list-checkpoints.ts")).listCheckpoints,
  }),
  why: tool({
    title: "Why lines are as they are",
    description:
      "Who or what wrote lines of a file (agent or person, session, turn, commit), what was asked for, what was decided " +
      "and what stood there before. For a file without lines: who wrote which. Use it before you change code that looks odd.",
    input: git.whyInput,
    output: git.whyOutput,
    load: async () => (await import("./tools/why.ts")).why,
  }),
  rewind_preview: tool({
    title: "Preview going back",
    description:
      "What going back to a checkpoint or commit would change, what it was, and what the agents were at. Changes nothing.",
    input: git.rewindPreviewInput,
    output: git.rewindPreviewOutput,
    load: async () => (await import("./tools/rewind-preview.ts")).rewindPreview,
  }),
  related: tool({
    title: "Related sessions",
    description:
      "Past sessions that have to do with files or a question, by how much and how recently they touched them. With " +
      "nothing: those about the files that are changed now.",
    input: search.relatedInput,
    output: search.relatedOutput,
    load: async () => (await import("./tools/related.ts")).related,
  }),
  add_note: tool({
    title: "Remember a note",
    description:
      "Remember a decision, a constraint or a finding for later sessions. One whole sentence with its reason. Only " +
      "what the user said or wants kept.",
    input: sessions.addNoteInput,
    output: sessions.addNoteOutput,
    isReading: false,
    load: async () => (await import("./tools/add-note.ts")).addNoteTool,
  }),
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}
