import * as z from "zod/mini";
import {
  count,
  field,
  lazy,
  notes,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../shape-parts.ts";

import { recurringError } from "./commands.ts";

/** The shapes of statistics about the authors of committed lines. */

export const statsRequest = lazy(() =>
  z.object({
    since,
    until,
    path: field("only this file, directory or glob", strings),
    depth: field("directories this deep (default: 2)", count),
    files: field("also each file", z.boolean()),
    all: field("include commits outside HEAD's history", z.boolean()),
  }),
);

/** Numbers of lines. */
const share = { lines: count, agent: count, human: count, unknown: count, before_agents: count };
export const shareShape = lazy(() => z.object(share));
export type Share = z.infer<ReturnType<typeof shareShape>>;

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
        commits: count,
        lines: count,
      }),
    ),
    /** Errors that three sessions or more met, the most expensive first. An older daemon gives none. */
    recurring_errors: z._default(z.array(recurringError()), []),
    /** Files that several sessions changed, at any time, those with the most first. */
    contested_files: z._default(z.array(z.object({ file: text, sessions: count, last_at: timeOrNull })), []),
    notes,
  }),
);
export type StatsAnswer = z.infer<ReturnType<typeof statsAnswer>>;
