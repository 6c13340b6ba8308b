import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { count, field, lazy, outside, type Shaped, strings, text, time } from "../../protocol/shape-parts.ts";

/** What a command took away, as `pm memory undo` lists it. */
const trashEntry = lazy(() =>
  z.object({
    number: z.number(),
    command: text,
    what: text,
    taken_at: time,
    kept_until: time,
  }),
);

export type TrashEntry = Shaped<typeof trashEntry>;

/** Exactly one of the first five selects what to forget. */
export const forgetRequest = lazy(() =>
  z.object({
    session: field("a session and its subagents", outside("session")),
    turn: field("one turn of a session, SESSION:NUMBER", text),
    annotation: field("a note", text),
    since: field('everything since: "2026-01-31", "yesterday"', text),
    until: field("everything until", text),
    pattern: field("everything that matches a regular expression (RE2)", text),
    for_good: field(
      "keep nothing: neither in the trash, nor in backups; always so with a pattern",
      z.boolean(),
    ),
    dry_run: field("only show what would be removed", z.boolean()),
  }),
);

export type ForgetRequest = Shaped<typeof forgetRequest>;

export const forgetResponse = lazy(() =>
  z.object({
    sessions: count,
    turns: count,
    chunks: count,
    annotations: count,
    /** Places where a pattern matches. */
    matches: count,
    /** Questions of the audit log whose words go. */
    questions: z._default(count, 0),
    /** Its content, for a preview: titles, prompts, notes; at most 20. */
    examples: strings,
    forgotten: z.boolean(),
    /** false: another process was reading, and the log of the database holds traces until it is rewritten; null: a preview. */
    log_emptied: z.nullable(z.boolean()),
    /** Where it can be brought back from; null: a preview, or nothing was kept. */
    trash: z._default(z.nullable(trashEntry()), null),
  }),
);

export type ForgetResponse = Shaped<typeof forgetResponse>;

export const forget = defineOperation({
  name: "forget",
  path: "POST /forget",
  summary: "Forget sessions, or show what would be forgotten",
  of: "project",
  changes: true,
  request: forgetRequest,
  response: forgetResponse,
  answer: async () => (await import("./answer.ts")).forget,
});
