import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { Handler, Output } from "../tool.ts";
import * as git from "./shapes-git.ts";
import * as search from "./shapes-search.ts";
import * as sessions from "./shapes-sessions.ts";

/** The tools as a client sees them, and where their code is. */

export interface Tool {
  title: string;
  /** What it answers and when to call it, in the words that somebody would search for. */
  description: string;
  input: z.ZodMiniType;
  /**
   * The arguments that clients are shown, as every request to a model may carry them; null: the tool is not listed, and only
   * answers those that know it. The others work as well, and instructions.ts names them.
   */
  shown: readonly string[] | null;
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
      shown: readonly (string & keyof z.infer<I>)[] | null;
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
    description: "Find code by meaning, words or names, best first. Use it before grep.",
    isAlwaysLoaded: true,
    input: search.searchCodeInput,
    shown: ["query", "path", "chunk", "graph", "regex"],
    load: async () => (await import("../tools/search-code.ts")).searchCode,
  }),
  search_sessions: tool({
    title: "Search past sessions",
    description: "Find what past agent sessions discussed, tried, decided and fixed. No query: the latest.",
    isAlwaysLoaded: true,
    input: search.searchSessionsInput,
    shown: ["query", "since", "files"],
    load: async () => (await import("../tools/search-sessions.ts")).searchSessions,
  }),
  get_session: tool({
    title: "Read a session",
    description: "A past session in short; with turn, that in full. Default: the one before, to go on with.",
    input: sessions.getSessionInput,
    shown: ["session_id", "turn"],
    load: async () => (await import("../tools/get-session.ts")).getSession,
  }),
  get_session_summary: tool({
    title: "Summary of a session",
    description: "Only the summary of a past session, and the files that it changed.",
    input: sessions.getSessionSummaryInput,
    shown: null,
    load: async () => (await import("../tools/the-session.ts")).getSessionSummary,
  }),
  list_decisions: tool({
    title: "List decisions",
    description:
      "Decisions and notes, latest first or about a query. Use it before you choose a library or an approach.",
    input: sessions.listDecisionsInput,
    shown: ["query", "files"],
    load: async () => (await import("../tools/list-decisions.ts")).listDecisions,
  }),
  list_checkpoints: tool({
    title: "List checkpoints",
    description: "Commits with the sessions that led to them; with query, any commit.",
    input: git.listCheckpointsInput,
    shown: ["query"],
    load: async () => (await import("../tools/list-checkpoints.ts")).listCheckpoints,
  }),
  why: tool({
    title: "Why lines exist",
    description:
      "Why lines exist: who wrote them, for which prompt, what was decided. Use it before changing odd code.",
    isAlwaysLoaded: true,
    input: git.whyInput,
    shown: ["file"],
    load: async () => (await import("../tools/why.ts")).why,
  }),
  rewind_preview: tool({
    title: "Preview going back",
    description:
      "Show what going back to a checkpoint or commit would change, and what agents were doing then. Changes nothing.",
    input: git.rewindPreviewInput,
    shown: null,
    load: async () => (await import("../tools/rewind-preview.ts")).rewindPreview,
  }),
  related: tool({
    title: "Related sessions",
    description: "Past sessions, decisions and code around files. Default: the uncommitted changes.",
    input: search.relatedInput,
    shown: ["files"],
    load: async () => (await import("../tools/related.ts")).related,
  }),
  commands: tool({
    title: "How things are run here",
    description: "The command lines that worked here for something, or what fixed the same error before.",
    input: sessions.commandsInput,
    shown: ["how", "error"],
    load: async () => (await import("../tools/commands.ts")).commands,
  }),
  add_note: tool({
    title: "Remember a note",
    description: "Remember what the user wants kept.",
    input: sessions.addNoteInput,
    shown: ["text"],
    isReading: false,
    load: async () => (await import("../tools/the-session.ts")).addNoteTool,
  }),
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(tools, name);
}

type ListedTool = ListToolsResult["tools"][number];

/** The tools as the protocol describes them. */
export function listTools(): ListToolsResult {
  return {
    tools: Object.entries(tools).flatMap(([name, tool]: [string, Tool]) =>
      tool.shown === null ? [] : [describe(name, tool, tool.shown)],
    ),
  };
}

function describe(
  name: string,
  { title, description, input, isReading, isAlwaysLoaded }: Tool,
  shown: readonly string[],
): ListedTool {
  return {
    name,
    description,
    inputSchema: schemaOf(input, shown),
    annotations: {
      title,
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: false }),
      openWorldHint: false,
    },
    // Claude Code defers every other tool: it shows a model no more than the name until the model searches for it.
    ...(isAlwaysLoaded && { _meta: { "anthropic/alwaysLoad": true } }),
  };
}

/** Says no more than a model needs for a call: a call that breaks a bound gets an answer that names it. */
function schemaOf(input: z.ZodMiniType, shown: readonly string[]): ListedTool["inputSchema"] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const) {
        delete jsonSchema[bound];
      }
      delete jsonSchema.format;
      const { description } = jsonSchema;
      if (description) jsonSchema.description = description.charAt(0).toUpperCase() + description.slice(1);
    },
  });
  const listed = Object.entries(properties).filter(([name]) => shown.includes(name));
  return {
    type: "object",
    properties: Object.fromEntries(listed) as ListedTool["inputSchema"]["properties"],
    ...(required.length > 0 && { required }),
  };
}
