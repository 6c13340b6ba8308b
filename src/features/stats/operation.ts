import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  notes,
  places,
  type Shaped,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { recurringError } from "../fix/operation.ts";

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

export type Share = Shaped<typeof shareShape>;

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

export type Setback = Shaped<typeof setback>;

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

export type StatsAnswer = Shaped<typeof statsAnswer>;

export const showStats = defineOperation({
  name: "stats",
  path: "GET /stats",
  summary: "Count the lines that agents and people committed",
  of: "memory, if any",
  request: statsRequest,
  response: statsAnswer,
  answer: async () => (await import("./answer.ts")).showStats,
});
