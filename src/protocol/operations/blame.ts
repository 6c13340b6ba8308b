import * as z from "zod/mini";
import {
  count,
  field,
  lazy,
  lineNumber,
  notes,
  numberOrNull,
  place,
  revision,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../shape-parts.ts";
import { attributionBases, attributionHows, blameAuthors } from "../values.ts";
import { edge } from "./graph.ts";
import { decision } from "./memory.ts";

/** The shapes of blame and why: the authors of lines and the history behind them. */

const lines = z.optional(lineNumber);
const rev = field("the file as of this commit", revision);

export const blameRequest = lazy(() =>
  z.object({
    /** From the project's root. */
    file: place,
    /** Both included; left out: the whole file. */
    first_line: lines,
    last_line: lines,
    /** The same for several places, `10-20` each. */
    lines: z.optional(strings),
    rev,
    texts: field("include the text of each line", z.boolean()),
  }),
);

/** Evidence from a commit's message, or from another tool's branch that the message names. */
const foreignHint = lazy(() =>
  z.object({
    /** Agents that it names: "claude", "copilot". */
    tools: strings,
    /** Agents' own ids of sessions that it names. */
    session_ids: strings,
  }),
);

/** Who wrote lines, as far as is known. */
export const lineAuthor = lazy(() =>
  z.object({
    author: z.enum(blameAuthors),
    session_id: textOrNull,
    session_title: textOrNull,
    /** The agent's name: "claude". Null if it is unknown which agent it was. */
    agent: textOrNull,
    model: textOrNull,
    turn: numberOrNull,
    tool_use: textOrNull,
    /** 0 to 1. */
    confidence: z.number(),
    how: z.enum(attributionHows),
    /** What the verdict rests on, more exactly; null: another tool's note, or found by another version of Pommel. */
    basis: z.nullable(z.enum(attributionBases)),
    /** The source: "pommel"; "note" if only another tool's note has it; null if unknown. */
    said_by: z.nullable(z.enum(["pommel", "note"])),
    /** For unknown lines: other tools' evidence about the whole commit. Anybody may have written the line. */
    hint: z.nullable(foreignHint()),
  }),
);
export type LineAuthor = z.infer<ReturnType<typeof lineAuthor>>;

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
  }),
);
export type BlameRange = z.infer<ReturnType<typeof blameRange>>;

const sessionLines = lazy(() =>
  z.object({
    session_id: text,
    session_title: textOrNull,
    agent: textOrNull,
    turns: z.array(z.number()),
    lines: count,
  }),
);
export type SessionLines = z.infer<ReturnType<typeof sessionLines>>;

const personLines = lazy(() =>
  z.object({ person: textOrNull, human: count, unknown: count, before_agents: count }),
);
export type PersonLines = z.infer<ReturnType<typeof personLines>>;

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
export type BlameSummary = z.infer<ReturnType<typeof blameSummary>>;

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
export type AgentsSince = z.infer<ReturnType<typeof agentsSince>>;

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
export type BlameAnswer = z.infer<ReturnType<typeof blameAnswer>>;

export const whyRequest = lazy(() =>
  z.object({
    /** From the project's root. */
    file: place,
    first_line: lineNumber,
    /** Included; left out: the first line alone. */
    last_line: lines,
    rev,
    /** Without earlier versions, later changes and callers: what takes longest. */
    brief: z.optional(z.boolean()),
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
export type OriginCommit = z.infer<ReturnType<typeof originCommit>>;

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
export type OriginTurn = z.infer<ReturnType<typeof originTurn>>;

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
export type Origin = z.infer<ReturnType<typeof origin>>;

const nearDecision = lazy(() =>
  z.extend(decision(), {
    /** session: the same session, at most some turns away; file: elsewhere, about this file. */
    near: z.enum(["session", "file"]),
    /** Whether it was made before the lines, or with them. */
    is_before: z.boolean(),
  }),
);
export type NearDecision = z.infer<ReturnType<typeof nearDecision>>;

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
export type EarlierLines = z.infer<ReturnType<typeof earlierLines>>;

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
export type LaterChanges = z.infer<ReturnType<typeof laterChanges>>;

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
export type WhyFreshness = z.infer<ReturnType<typeof whyFreshness>>;

const caller = lazy(() =>
  z.extend(edge(), {
    /** The last commit that changed its file after the first origin; null: none, or unknown. */
    changed_by: z.nullable(z.object({ hash: text, subject: text, authored_at: timeOrNull })),
  }),
);
export type WhyCaller = z.infer<ReturnType<typeof caller>>;

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
    used_by: z._default(z.nullable(z.object({ edges: z.array(caller()), total: count })), null),
    notes,
  }),
);
export type WhyAnswer = z.infer<ReturnType<typeof whyAnswer>>;
