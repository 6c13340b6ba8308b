import * as z from "zod/mini";
import { decisionsRequest } from "../../features/decisions/operation.ts";
import { oldTools } from "../../features/old-tools.ts";
import { recallPassages } from "../../features/recall/tool-answer.ts";
import { searchRequest } from "../../features/search/operation.ts";
import { type ToolName, tools } from "../../features/tools.ts";
import { transcriptSearchRequest } from "../../protocol/search-sessions.ts";
import { outside, places, text } from "../../protocol/shape-parts.ts";
import { searchModes } from "../../protocol/values.ts";
import { maxTokensOfOld, type OldTool } from "../../tools/old-tool.ts";
import { allProjects, type CallContext, limit, project } from "../../tools/tool.ts";
import { readArguments } from "./arguments.ts";

/**
 * Old names of tools, which agents' instructions, skills and other tools' documents still use. They are not listed, but answered.
 * Each calls a current tool with other names for its arguments, or an operation if no current tool does the same.
 */

interface OldName extends OldTool {
  /** Whether `session_id` is the session that it reads. */
  readsSession?: true;
}

const max_tokens = maxTokensOfOld;
const paged = { limit: limit(100), max_tokens };
const query = z.optional(text);
const files = z.optional(places);
const session_id = z.optional(text);

interface OldToolArgs {
  query?: string;
  topic?: string;
  files?: string[];
  session_id?: string;
  turn?: number;
  limit?: number;
  max_tokens?: number;
}

const { q: _, file: __, session: ___, limit: ____, ...ofSessions } = transcriptSearchRequest().shape;
const { q: _q, file: _f, limit: _l, ...ofDecisions } = decisionsRequest().shape;

const { language, level, package: inPackage } = searchRequest().shape;
const ofCode = { language, level, package: inPackage, regex: z.optional(z.boolean()) };
const { agent, branch, until } = transcriptSearchRequest().shape;

/** Runs a current tool. The arguments may include some that it accepts but does not list. */
const run =
  (tool: ToolName) =>
  async (args: object, context: CallContext): Promise<string> =>
    (await tools[tool].load())(args as never, context);

const recallInput = z.strictObject({ ...tools.recall.input.shape, until, branch, agent });

/** Calls recall, and adds notes on arguments that it does not accept. */
async function recall(args: object, context: CallContext): Promise<string> {
  const { args: known, notes } = readArguments("recall", recallInput, args);
  return [await run("recall")(known, context), ...notes].join("\n");
}

/** Reads a session or one of its turns. Without a session, it says where work stopped. */
const readTurn = async (
  { session_id: id, turn, ...sized }: OldToolArgs,
  context: CallContext,
): Promise<string> =>
  recall(id === undefined ? sized : { ...sized, id: turn === undefined ? id : `${id}:${turn}` }, context);

/** An old tool that answers questions without a query. If there is one, recall answers. */
const orRecall = ({ input, answer }: OldTool): OldName => ({
  input: z.strictObject({ query, ...input.shape }),
  answer: (args: OldToolArgs, context) => {
    const { query: about, session_id: _, ...asked } = args;
    return about === undefined && args.files === undefined
      ? answer(args as never, context)
      : recall({ about, ...asked }, context);
  },
});

const { commands: lostTool, rewind_preview: rewindTool, ...ofFeatures } = oldTools;

/** How much of an error is read, from its end, which says what went wrong. */
const maxErrorChars = 1000;

export const oldNames: Readonly<Record<string, OldName>> = {
  search_code: {
    input: z.strictObject({ ...tools.code.input.shape, ...ofCode }),
    answer: run("code"),
  },
  search_sessions: {
    input: z.strictObject({
      query,
      ...ofSessions,
      mode: z.optional(z.enum(searchModes)),
      topic: z.optional(text),
      files,
      session_id,
      project,
      all_projects: allProjects,
      ...paged,
    }),
    answer: async ({ query: about, topic = about, ...args }: OldToolArgs, context) =>
      topic === undefined ? recall(args, context) : recallPassages({ ...args, about: topic }, context),
  },
  get_session: {
    input: z.strictObject({
      session_id,
      turn: z.optional(z.int().check(z.minimum(0))),
      limit: limit(100),
      max_tokens,
    }),
    readsSession: true,
    answer: readTurn,
  },
  get_session_summary: {
    input: z.strictObject({ session_id, max_tokens }),
    readsSession: true,
    answer: readTurn,
  },
  list_decisions: {
    input: z.strictObject({ query, files, ...ofDecisions, project, ...paged }),
    answer: async ({ query: about, ...args }: OldToolArgs, context) =>
      recall({ about, kind: ["decision"], ...args }, context),
  },
  ...Object.fromEntries(Object.entries(ofFeatures).map(([name, tool]) => [name, orRecall(tool)])),
  ...(rewindTool && { rewind_preview: rewindTool }),
  commands: {
    input: z.strictObject({
      how: z.optional(text),
      error: z.optional(text.check(z.maxLength(20_000))),
      ...lostTool?.input.shape,
      max_tokens,
    }),
    answer: (
      { how, error, ...args }: OldToolArgs & { how?: string; error?: string; lost?: string },
      context,
    ) =>
      args.lost === undefined || lostTool === undefined
        ? recall(
            {
              about: how ?? error?.slice(-maxErrorChars),
              kind: [how === undefined ? "fix" : "command"],
              ...args,
            },
            context,
          )
        : lostTool.answer(args as never, context),
  },
  add_note: {
    input: z.strictObject({ text: tools.note.input.shape.text!, session_id: z.optional(outside("session")) }),
    answer: run("note"),
  },
};

export const findOldName = (name: string): OldName | null =>
  Object.hasOwn(oldNames, name) ? oldNames[name]! : null;
