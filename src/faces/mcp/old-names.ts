import * as z from "zod/mini";
import { checkpointsRequest } from "../../features/checkpoints/operation.ts";
import { decisionsRequest } from "../../features/decisions/operation.ts";
import { rewindRequest } from "../../features/rewind/operation.ts";
import { transcriptSearchRequest } from "../../features/search/operation.ts";
import { outside, place, places, text } from "../../protocol/shape-parts.ts";
import { searchModes } from "../../protocol/values.ts";
import type * as answers from "./old-answers.ts";
import { type ToolName, tools } from "./shapes/definitions.ts";
import { allProjects, type CallContext, limit, project } from "./tool.ts";

/**
 * Names that agents' instructions, skills and other tools' documents still have: not listed, and answered in today's words. Each is
 * a tool of today with its arguments in other words, or an operation (old-answers.ts).
 */

interface OldName {
  input: z.ZodMiniObject;
  /** Of today, whose answer it is, with its arguments; else what answers. */
  as?: { tool: ToolName; arguments: (args: never, context: CallContext) => object | Promise<object> };
  load?: () => Promise<(args: never, context: CallContext) => Promise<string>>;
}

const cursor = z.optional(z.string());
const max_tokens = z.optional(z.int().check(z.minimum(200), z.maximum(20_000)));
const paged = { limit: limit(100), cursor, max_tokens };
const query = z.optional(text);
const files = z.optional(places);
const session_id = z.optional(text);

const { q: _, file: __, session: ___, limit: ____, ...ofSessions } = transcriptSearchRequest().shape;
const { q: _q, file: _f, limit: _l, ...ofDecisions } = decisionsRequest().shape;
const { branch, since, until } = checkpointsRequest().shape;

const load = (name: keyof typeof answers) => async () => (await import("./old-answers.ts"))[name] as never;

const readTurnText = async (
  {
    session_id: id,
    turn,
    limit: max,
    max_tokens: tokens,
  }: { session_id?: string; turn?: number; limit?: number; max_tokens?: number },
  context: CallContext,
) => {
  const { resolveSessionId } = await import("./old-answers.ts");
  const session = await resolveSessionId(context, id);
  return { id: turn === undefined ? session : `${session}:${turn}`, limit: max, max_tokens: tokens };
};

export const oldNames = {
  search_code: {
    input: tools.code.input,
    as: { tool: "code", arguments: (args) => args },
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
    load: load("searchSessions"),
  },
  get_session: {
    input: z.strictObject({
      session_id,
      turn: z.optional(z.int().check(z.minimum(0))),
      limit: limit(100),
      max_tokens,
    }),
    as: { tool: "recall", arguments: readTurnText },
  },
  get_session_summary: {
    input: z.strictObject({ session_id, max_tokens }),
    load: load("summarise"),
  },
  list_decisions: {
    input: z.strictObject({ query, files, ...ofDecisions, project, ...paged }),
    load: load("decisions"),
  },
  list_checkpoints: {
    input: z.strictObject({ query, session_id, branch, since, until, ...paged }),
    load: load("checkpoints"),
  },
  rewind_preview: {
    input: z.strictObject({ ...rewindRequest().shape, max_tokens }),
    load: load("rewind"),
  },
  related: {
    input: z.strictObject({ query, files, ...paged }),
    load: load("related"),
  },
  commands: {
    input: z.strictObject({
      how: z.optional(text),
      error: z.optional(text.check(z.maxLength(20_000))),
      lost: z.optional(place),
      max_tokens,
    }),
    load: load("commands"),
  },
  add_note: {
    input: z.strictObject({ text: tools.note.input.shape.text!, session_id: z.optional(outside("session")) }),
    as: { tool: "note", arguments: (args) => args },
  },
} satisfies Record<string, OldName>;

export type OldToolName = keyof typeof oldNames;

export const findOldName = (name: string): OldName | null =>
  Object.hasOwn(oldNames, name) ? oldNames[name as OldToolName] : null;
