import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  places,
  type Shaped,
  since,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { shares } from "../../protocol/shares.ts";
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

/** Where work was set back. */
const setback = lazy(() =>
  z.object({
    file: text,
    /** Commands whose error names it. */
    failures: count,
    last_failure: z.nullable(z.object({ session_id: text, turn: count })),
    /** Commits that took changes of it back. */
    reverts: count,
    last_revert: textOrNull,
  }),
);

export type Setback = Shaped<typeof setback>;

export const statsAnswer = lazy(() =>
  z.extend(shares(), {
    /** Errors that three sessions or more met, the most expensive first. */
    recurring_errors: z.array(recurringError()),
    /** Files that several sessions changed, at any time, those with the most first. */
    contested_files: z.array(z.object({ file: text, sessions: count, last_at: timeOrNull })),
    /** Only with `setbacks`, the most first. */
    setbacks: z.optional(z.array(setback())),
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
  answer:
    async () =>
    async ({ project, memory }, { path: paths, ...request }, { signal }) =>
      (await import("./stats.ts")).computeStats(project, memory, { ...request, paths }, signal),
});
