import * as z from "zod/mini";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  notes,
  numberOrNull,
  places,
  since,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  until,
} from "../shape-parts.ts";
import { checkpointSummary } from "./checkpoints.ts";
import { recurringError } from "./commands.ts";
import { decision } from "./memory.ts";
import { facet, sessionSummary, sessionsRequest } from "./sessions.ts";

/** The shapes of statistics about the authors of committed lines, and of a digest: what happened lately. */

export const statsRequest = lazy(() =>
  z.object({
    since,
    until,
    path: field("only this file, directory or glob", places),
    depth: field("directories this deep (default: 2)", count),
    files: field("also each file", z.boolean()),
    setbacks: field("also where commands failed and commits were reverted", z.boolean()),
    all: field("include commits outside HEAD's history", z.boolean()),
  }),
);

/** Numbers of lines. */
const share = { lines: count, agent: count, human: count, unknown: count, before_agents: count };
export const shareShape = lazy(() => z.object(share));
export type Share = z.infer<ReturnType<typeof shareShape>>;

/** Where work was set back. */
const setback = lazy(() =>
  z.object({
    /** "." is the root. */
    directory: text,
    /** Commands whose error names a file in it. */
    failures: count,
    last_failure: z.nullable(z.object({ session_id: text, turn: count })),
    /** Commits that took changes of it back. */
    reverts: count,
    last_revert: textOrNull,
  }),
);
export type Setback = z.infer<ReturnType<typeof setback>>;

export const statsAnswer = lazy(() =>
  z.object({
    /** The requested limit; null: none. */
    since: timeOrNull,
    until: timeOrNull,
    paths: strings,
    commits: z.object({
      /** In that time, in HEAD's history; null if git fails. */
      in_history: z.nullable(count),
      /** Those of them that were analysed; only their lines are counted here. */
      looked_at: count,
      /** Those with a line of an agent's. */
      with_agent: count,
    }),
    total: shareShape(),
    /** By the author that git names, those with the most lines first, as in what follows. */
    by_author: z.array(z.object({ author: text, commits: count, ...share })),
    by_directory: z.array(z.object({ directory: text, ...share })),
    /** Only with `files`. */
    by_file: z.optional(z.array(z.object({ file: text, ...share }))),
    /** In order; ISO 8601, such as 2026-W05, in UTC. */
    by_week: z.array(z.object({ week: text, ...share })),
    by_model: z.array(z.object({ model: text, lines: count })),
    by_session: z.array(
      z.object({
        session_id: text,
        session_title: textOrNull,
        agent: textOrNull,
        /** The colleague who shared it; null or left out: recorded here. */
        author: z.optional(textOrNull),
        commits: count,
        lines: count,
      }),
    ),
    /** Lines of agents by whose sessions wrote them; "" is you. Only where colleagues shared some. */
    by_colleague: z._default(z.array(z.object({ author: text, sessions: count, lines: count })), []),
    /** Errors that three sessions or more met, the most expensive first. An older daemon gives none. */
    recurring_errors: z._default(z.array(recurringError()), []),
    /** Files that several sessions changed, at any time, those with the most first. */
    contested_files: z._default(z.array(z.object({ file: text, sessions: count, last_at: timeOrNull })), []),
    /** Only with `setbacks`, the most first. */
    setbacks: z.optional(z.array(setback())),
    notes,
  }),
);
export type StatsAnswer = z.infer<ReturnType<typeof statsAnswer>>;

export const digestRequest = lazy(() =>
  z.object({
    since: field('from then on: "friday", "2d", "last week" (default: yesterday)', text),
    until,
    branch,
    author: sessionsRequest().shape.author,
    mine: sessionsRequest().shape.mine,
    topic: sessionsRequest().shape.topic,
    by: field("a part for each branch", z.enum(["branch"])),
    limit,
  }),
);

const digestSession = lazy(() =>
  z.extend(sessionSummary(), {
    /** Prompts of that time, each in a line: the first ones that say more than "go on". */
    asked: strings,
    prompts: count,
    /** What came of it, and what it left open, as far as its summary says; "": nothing. */
    outcome: text,
    open: text,
    /** Files that it changed, those it changed most first. */
    files: strings,
  }),
);
export type DigestSession = z.infer<ReturnType<typeof digestSession>>;

const digestPart = lazy(() =>
  z.object({
    /** A branch, or a project's root; null: everything, or what belongs to no branch. */
    name: textOrNull,
    /** What its sessions are about, and whose they are, as in a list of sessions. */
    topics: z._default(facet(), []),
    authors: z._default(facet(), []),
    /** Those active in that time, the latest first, as in all lists here. */
    sessions: z.array(digestSession()),
    sessions_total: count,
    /** Commits that sessions led to. */
    commits: z.array(checkpointSummary()),
    commits_total: count,
    decisions: z.array(decision()),
    decisions_total: count,
    /** Sessions that were interrupted, failed, or left something open. */
    unfinished: z.array(digestSession()),
    unfinished_total: count,
    /** What models read and wrote in that time, subagents included. `output` is null where the client did not record it. */
    tokens: z.array(
      z.object({
        model: text,
        input: count,
        output: numberOrNull,
        cache_read: count,
        cache_write: count,
      }),
    ),
  }),
);
export type DigestPart = z.infer<ReturnType<typeof digestPart>>;

export const digestAnswer = lazy(() =>
  z.object({
    since: time,
    /** null: until now. */
    until: timeOrNull,
    parts: z.array(digestPart()),
  }),
);
export type DigestAnswer = z.infer<ReturnType<typeof digestAnswer>>;
