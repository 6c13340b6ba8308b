import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { decision } from "../../protocol/decision.ts";
import { edge } from "../../protocol/graph.ts";
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
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { rev } from "../blame/operation.ts";
import { lineNote } from "../notes/operation.ts";

export const whyRequest = lazy(() =>
  z.object({
    file: described("the file, relative to the project's root", place),
    first_line: described("the first line, counted from 1", lineNumber),
    last_line: field("the last line (default: the first line alone)", lineNumber),
    rev,
    brief: field("leave out what takes longest: earlier versions, later changes and callers", z.boolean()),
  }),
);

const originCommit = lazy(() =>
  z.object({
    hash: text,
    subject: text,
    person: text,
    authored_at: timeOrNull,
    /** Where it was made; null: unknown. */
    branch: textOrNull,
    is_boundary: z.boolean(),
  }),
);

export type OriginCommit = Shaped<typeof originCommit>;

const originTurn = lazy(() =>
  z.object({
    session_id: text,
    /** The colleague who shared it; null or left out: recorded here. */
    author: z.optional(textOrNull),
    number: z.number(),
    started_at: timeOrNull,
    /** The user's prompt; for a subagent, its task. Long ones are cut. */
    prompt: text,
    /** The agent's text right before and right after the edit; "" if there is none. */
    said_before: text,
    said_after: text,
    /** The tool that wrote, by the agent's name of it. */
    tool: textOrNull,
    /** The turn that a subagent worked for. */
    asked_by: z.nullable(z.object({ session_id: text, turn: z.number(), prompt: text })),
  }),
);

export type OriginTurn = Shaped<typeof originTurn>;

/** The origin of lines: a commit, and in it one author. */
const origin = lazy(() =>
  z.object({
    /** The lines, first and last of each range. */
    lines: z.array(z.tuple([z.number(), z.number()])),
    written_by: lineAuthor(),
    /** null: not committed yet. */
    commit: z.nullable(originCommit()),
    /** null: no checkpoint. */
    checkpoint_id: textOrNull,
    /** The prompt and the messages around the edit; null if they are not stored. */
    turn: z.nullable(originTurn()),
  }),
);

export type LineOrigin = Shaped<typeof origin>;

const nearDecision = lazy(() =>
  z.extend(decision(), {
    /** session: the same session, at most some turns away; file: elsewhere, about this file. */
    near: z.enum(["session", "file"]),
    /** Whether it was made before the lines, or with them. */
    is_before: z.boolean(),
  }),
);

export type NearDecision = Shaped<typeof nearDecision>;

const earlierLines = lazy(() =>
  z.object({
    /** changed: an earlier version of the lines; replaced: other lines in their place. */
    how: z.enum(["changed", "replaced"]),
    file: text,
    first_line: z.number(),
    last_line: z.number(),
    /** At most five. */
    text: strings,
    written_by: lineAuthor(),
    commit: z.nullable(originCommit()),
    /** The beginning of the prompt; null if it is not stored. */
    prompt: textOrNull,
  }),
);

export type EarlierLines = Shaped<typeof earlierLines>;

const laterChanges = lazy(() =>
  z.object({
    /** Commits that touched the file since; at most 200 are counted. */
    commits: count,
    /** The last of them, the latest first. */
    latest: z.array(
      z.object({
        hash: text,
        subject: text,
        person: text,
        authored_at: timeOrNull,
        by_agent: z.nullable(z.boolean()),
      }),
    ),
  }),
);

export type LaterChanges = Shaped<typeof laterChanges>;

const whyFreshness = lazy(() =>
  z.object({
    /**
     * stands: still current; reconsidered: a later decision concerns the lines; reverted, elsewhere (in another branch's
     * history only), gone: the fate of the commit; uncommitted: no commit yet.
     */
    state: z.enum(["stands", "reconsidered", "reverted", "elsewhere", "gone", "uncommitted", "unknown"]),
    /** Branches that hold the commit, where HEAD's history does not. */
    branches: strings,
    reverted_by: textOrNull,
    /** Lines that the commit added, in all files, and how many of them there are still; null where it is not known. */
    lines_added: numberOrNull,
    lines_surviving: numberOrNull,
    /** Decisions about the file after the lines were written, the latest first. */
    later_decisions: z.array(nearDecision()),
  }),
);

export type WhyFreshness = Shaped<typeof whyFreshness>;

const caller = lazy(() =>
  z.extend(edge(), {
    /** The last commit that changed its file after the first origin; null: none, or unknown. */
    changed_by: z.nullable(z.object({ hash: text, subject: text, authored_at: timeOrNull })),
  }),
);

export type WhyCaller = Shaped<typeof caller>;

/** Why lines are as they are. */
export const whyAnswer = lazy(() =>
  z.object({
    /** From the project's root. */
    file: text,
    /** Both ends included, as far as the file goes. */
    first_line: z.number(),
    last_line: z.number(),
    /** The lines; at most fifty. */
    text: strings,
    /** Notes on these lines, or some of them. */
    line_notes: z.array(lineNote()),
    /** Their origins: the most informative first, by lines with content; an agent's count double. At most five. */
    origins: z.array(origin()),
    /** What was decided and noted near the first origin, the nearest first. */
    decisions: z.array(nearDecision()),
    /** Earlier versions of the lines before the first origin, step by step back. */
    earlier: z.array(earlierLines()),
    /** What happened to the file after the first origin; null: unknown. */
    later: z.nullable(laterChanges()),
    freshness: whyFreshness(),
    /** What calls or uses the definition that the lines are in, the surest first, at most five; null: not known. */
    used_by: z.nullable(z.object({ edges: z.array(caller()), total: count })),
    notes,
  }),
);

export type WhyAnswer = Shaped<typeof whyAnswer>;

export const why = defineOperation({
  name: "why",
  path: "GET /why",
  summary: "Explain why lines exist",
  of: "memory, if any",
  editors: true,
  request: whyRequest,
  response: whyAnswer,
  answer: async () => (await import("./answer.ts")).why,
});
