import * as z from "zod/mini";
import { count, field, lazy, strings, text } from "../shape-parts.ts";

/** The shapes of what is not remembered: what was taken out, and what is to go. */

/** Never a secret itself: only how many different ones there were. */
export const redactionsResponse = lazy(() =>
  z.object({
    /** The kind as it stands in the text, `[REDACTED_<type>]`: those with the most secrets first. */
    types: z.array(z.object({ type: text, secrets: count, sessions: count })),
    /** Sessions in which anything was replaced. */
    sessions: count,
  }),
);

/** Exactly one of the first five selects what to forget. */
export const forgetRequest = lazy(() =>
  z.object({
    session: field("a session and its subagents", text),
    turn: field("one turn of a session, SESSION:NUMBER", text),
    annotation: field("a note", text),
    since: field('everything since: "2026-01-31", "yesterday"', text),
    until: field("everything until", text),
    pattern: field("everything that matches a regular expression (RE2)", text),
    dry_run: field("only show what would be removed", z.boolean()),
  }),
);
export type ForgetRequest = z.infer<ReturnType<typeof forgetRequest>>;
export const forgetResponse = lazy(() =>
  z.object({
    sessions: count,
    turns: count,
    chunks: count,
    annotations: count,
    /** Places where a pattern matches. */
    matches: count,
    /** Its content, for a preview: titles, prompts, notes; at most 20. */
    examples: strings,
    forgotten: z.boolean(),
    /** false: another process was reading, and the log of the database holds traces until it is rewritten; null: a preview. */
    log_emptied: z.nullable(z.boolean()),
  }),
);
export type ForgetResponse = z.infer<ReturnType<typeof forgetResponse>>;
