import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { decision } from "../../protocol/decision.ts";
import { fileAround } from "../../protocol/graph.ts";
import {
  count,
  field,
  lazy,
  limit,
  places,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { fileUses } from "../../protocol/values.ts";

export const relatedRequest = lazy(() =>
  z.object({
    q: field("what it is about; with files, ranks the sessions that touched them", text),
    file: field("paths or globs; default without query: the uncommitted changes", places),
    limit,
  }),
);

const turnFile = lazy(() => z.object({ path: text, how: z.enum(fileUses) }));

const relatedTurn = lazy(() =>
  z.object({
    turn: z.number(),
    prompt: text,
    timestamp: timeOrNull,
    score: z.number(),
    files: z.array(turnFile()),
  }),
);

/** A session that touched the files. */
const relatedSession = lazy(() =>
  z.object({
    session_id: text,
    session_title: textOrNull,
    agent: text,
    branch: textOrNull,
    /** Of its last turn that touched one of the files. */
    last_at: timeOrNull,
    /** 0 to 1, of the best turn. */
    score: z.number(),
    /** The requested files that it touched, each with the strongest kind of touch. */
    files: z.array(turnFile()),
    /** Best first. */
    turns: z.array(relatedTurn()),
  }),
);

export type RelatedSession = Shaped<typeof relatedSession>;

export const relatedAnswer = lazy(() =>
  z.object({
    /** Paths, directories and globs that sessions were looked up for; 0: no file was named, and none is changed. */
    looked_for: count,
    /** The requested files that sessions touched. */
    files: strings,
    sessions: z.array(relatedSession()),
    total: count,
    /** What was decided about the files, or about the query: the best, at most five. */
    decisions: z.array(decision()),
    /** The files around the requested ones in the graph, the closest first, at most ten. */
    code: z.array(fileAround()),
  }),
);

export type RelatedAnswer = Shaped<typeof relatedAnswer>;

export const findRelated = defineOperation({
  name: "related",
  path: "GET /related",
  summary: "Find sessions that touched files, and what was decided about them",
  of: "project",
  editors: true,
  request: relatedRequest,
  response: relatedAnswer,
  answer: async () => (await import("./answer.ts")).findRelated,
});
