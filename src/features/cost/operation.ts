import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  revision,
  type Shaped,
  sessionField,
  since,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { costGroups } from "./group-words.ts";

export const costRequest = lazy(() =>
  z.object({
    since,
    until,
    branch,
    session: sessionField,
    commits: field(
      "only what led to these commits: one, or a range such as main..HEAD for a pull request",
      revision,
    ),
    by: field(
      "group by this (default: day; with --session: turn; with --commits: commit)",
      z.enum(costGroups),
    ),
    limit,
  }),
);

/** What messages read and wrote, and what that costs. */
const cost = {
  /** Those of subagents are their session's. */
  sessions: count,
  input: count,
  /** null: no client recorded it. */
  output: numberOrNull,
  cache_read: count,
  cache_write: count,
  /** Of what has a price and was recorded: where something is missing, it costs more. */
  dollars: z.number(),
  /** Sessions whose client did not record what its model wrote. */
  without_output: count,
  /** Tokens of models whose price nobody says. */
  unpriced_tokens: count,
};

export const costSum = lazy(() => z.object(cost));

export type CostSum = Shaped<typeof costSum>;

export const costAnswer = lazy(() =>
  z.object({
    since: timeOrNull,
    until: timeOrNull,
    by: z.enum(costGroups),
    total: costSum(),
    /** Days, weeks (their Mondays) and turns in order, the latest day or week first; others by what they cost, the most first. */
    rows: z.array(
      z.object({
        /** "2026-03-02", a branch, a commit's hash ("": none), a session's id, a model, or the number of a turn. */
        name: text,
        /** Of a session; a commit's subject. */
        title: textOrNull,
        ...cost,
      }),
    ),
    rows_total: count,
    /** What a million tokens cost, by the models of these sessions; null: nobody says. */
    prices: z.array(
      z.object({
        model: text,
        /** "settings": the person's own. */
        from: z.nullable(z.enum(["settings", "list"])),
        /** As it is now; a message counts at the price of its day. */
        price: z.nullable(
          z.object({
            input: z.number(),
            output: z.number(),
            cache_read: z.number(),
            cache_write: z.number(),
          }),
        ),
      }),
    ),
    /** The vendors' lists that were used, and the day on which they said so. */
    lists: z.array(z.object({ vendor: text, as_of: text, source: text })),
  }),
);

export type CostAnswer = Shaped<typeof costAnswer>;

export const showCost = defineOperation({
  name: "cost",
  path: "GET /cost",
  summary: "Sum up what models read and wrote, and what it costs",
  of: "memory",
  request: costRequest,
  response: costAnswer,
  answer: async () => (await import("./answer.ts")).showCost,
});
