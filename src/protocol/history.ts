import * as z from "zod/mini";
import {
  count,
  described,
  field,
  lazy,
  limit,
  session,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "./shape-parts.ts";
import { confidences, eventStatuses, eventTypes, historyKinds } from "./values.ts";

/** The shapes of searching commits and events. */

export const historySearchRequest = lazy(() =>
  z.object({
    q: described("what a commit or an event is about, a ticket, or the beginning of a commit's hash", text),
    of: field("only these (checkpoints: commits that sessions led to)", z.array(z.enum(historyKinds))),
    since,
    until,
    file: field("only commits that touched these paths or globs", strings),
    author: field("only commits whose author's name contains this", text),
    session,
    event: field("only this event (id or title)", text),
    limit,
    explain: field("show each ranking signal's contribution", z.boolean()),
  }),
);
export type HistorySearchRequest = z.infer<ReturnType<typeof historySearchRequest>>;

/** What all results have. */
const found = {
  /** A commit's full hash, an event's id. */
  id: text,
  title: text,
  /** When the commit was authored, when the event changed last. */
  timestamp: timeOrNull,
  snippet: text,
  score: z.number(),
  confidence: z.enum(confidences),
  probability: z.number(),
  match_reasons: strings,
  signals: z.optional(z.record(text, z.number())),
};

const commitFound = lazy(() =>
  z.object({
    kind: z.literal("commit"),
    ...found,
    author: text,
    /** The first it touched. */
    files: strings,
    /** Of the commit, where sessions led to it. */
    checkpoint: textOrNull,
    /** The sessions that led to it. */
    sessions: z.array(z.object({ session_id: text, title: textOrNull, turns: z.array(z.number()) })),
    /** null: git did not answer in time. */
    reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
    /** The commit that took it back. */
    reverted_by: textOrNull,
  }),
);
export type CommitFound = z.infer<ReturnType<typeof commitFound>>;

const eventFound = lazy(() =>
  z.object({
    kind: z.literal("event"),
    ...found,
    type: z.enum(eventTypes),
    status: z.enum(eventStatuses),
    branch: textOrNull,
    /** How many belong to it. */
    sessions: count,
    checkpoints: count,
  }),
);
export type EventFound = z.infer<ReturnType<typeof eventFound>>;

const historyResult = lazy(() => z.discriminatedUnion("kind", [commitFound(), eventFound()]));
export type HistoryResult = z.infer<ReturnType<typeof historyResult>>;

export const historySearchResponse = lazy(() =>
  z.object({
    scope: z.literal("history"),
    query: text,
    total_results: count,
    /** Best first; empty if nothing answers the query. */
    results: z.array(historyResult()),
    /** The nearest matches in that case; not an answer. */
    nearest: z.array(historyResult()),
    searched_by: strings,
    notes: strings,
    search_time_ms: z.number(),
    commits: z.object({
      indexed: count,
      /** False until all of HEAD's history was indexed once. */
      is_complete: z.boolean(),
    }),
  }),
);
export type HistorySearchResponse = z.infer<ReturnType<typeof historySearchResponse>>;
