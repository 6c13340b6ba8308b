import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { lineAuthor } from "../../protocol/line-author.ts";
import {
  count,
  described,
  field,
  lazy,
  lineNumber,
  notes,
  numberOrNull,
  place,
  revision,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

export const rev = field("the file as of this commit", revision);

export const blameRequest = lazy(() =>
  z.object({
    file: described("the file, relative to the project's root", place),
    first_line: field("the first line, counted from 1 (default: the whole file)", lineNumber),
    last_line: field("the last line", lineNumber),
    lines: field("several ranges of lines, such as 10-20, in place of the two fields above", strings),
    rev,
    texts: field("include the text of each line", z.boolean()),
  }),
);

/** Consecutive lines of one commit and one author. */
const blameRange = lazy(() =>
  z.extend(lineAuthor(), {
    /** In the current file, inclusive, from 1. */
    first_line: z.number(),
    last_line: z.number(),
    /** null: not committed yet. */
    commit: textOrNull,
    /** The person that git names; null for what is not committed yet. */
    person: textOrNull,
    authored_at: timeOrNull,
    subject: textOrNull,
    /** The place of the first line in that commit. */
    original_path: text,
    original_line: z.number(),
    /** History is cut off there: the commit may not be the one that wrote them. */
    is_boundary: z.boolean(),
    /** Their commit is not analysed yet, and so who wrote them not known yet; left out: it is. */
    not_analysed: z.optional(z.boolean()),
  }),
);

export type BlameRange = Shaped<typeof blameRange>;

const sessionLines = lazy(() =>
  z.object({
    session_id: text,
    session_title: textOrNull,
    agent: textOrNull,
    turns: z.array(z.number()),
    lines: count,
  }),
);

export type SessionLines = Shaped<typeof sessionLines>;

const personLines = lazy(() =>
  z.object({ person: textOrNull, human: count, unknown: count, before_agents: count }),
);

export type PersonLines = Shaped<typeof personLines>;

/** Numbers of lines by author. */
const blameSummary = lazy(() =>
  z.object({
    lines: count,
    agent: count,
    human: count,
    unknown: count,
    /** From before the first session in the project, or from a commit without a parent. */
    before_agents: count,
    /** Those with the most lines first, here and below. */
    by_session: z.array(sessionLines()),
    by_model: z.array(z.object({ model: text, lines: count })),
    /** Lines not attributed to an agent; null: not committed yet. */
    by_person: z.array(personLines()),
  }),
);

export type BlameSummary = Shaped<typeof blameSummary>;

/** Since when agents are known to have worked in the project. */
const agentsSince = lazy(() =>
  z.object({
    first_session_at: text,
    session_id: text,
    /** Earlier sessions may have been deleted by the client before they were read. */
    may_be_incomplete: z.boolean(),
    /** The client deletes sessions after this; null: it keeps them. */
    deleted_after_days: numberOrNull,
  }),
);

export type AgentsSince = Shaped<typeof agentsSince>;

export const blameAnswer = lazy(() =>
  z.object({
    /** From the project's root. */
    file: text,
    /** The requested commit, as given; null: the current file. */
    revision: textOrNull,
    ranges: z.array(blameRange()),
    summary: blameSummary(),
    /** The evidence for lines from before agents; null without a session. */
    agents_since: z.nullable(agentsSince()),
    notes,
    /** The text of each line, first to last; only on request. */
    lines: z.optional(z.array(z.object({ line: z.number(), text }))),
  }),
);

export type BlameAnswer = Shaped<typeof blameAnswer>;

export const blame = defineOperation({
  name: "blame",
  path: "GET /blame",
  summary: "Show who wrote each line of a file: which agent and session, or which person",
  of: "memory, if any",
  editors: true,
  request: blameRequest,
  response: blameAnswer,
  answer: async () => (await import("./answer.ts")).blame,
});
