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

/** Exactly one of session, turn, annotation, a period, text and pattern selects what to forget. */
export const forgetRequest = lazy(() =>
  z.object({
    session: field("a session and its subagents", outside("session")),
    turn: field("one turn of a session, SESSION:NUMBER", text),
    annotation: field("a note", text),
    since: field('everything since this time: "2026-01-31", "yesterday"', text),
    until: field("everything until this time", text),
    text: field(
      "replace this text with [FORGOTTEN] wherever it occurs; every character stands for itself",
      text,
    ),
    pattern: field("replace with [FORGOTTEN] whatever matches this regular expression (RE2)", text),
    for_good: field(
      "keep nothing, neither in the trash nor in backups; a text or a pattern is always forgotten in this way",
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
    questions: count,
    /** Its content, for a preview: titles, prompts, notes; at most 20. */
    examples: strings,
    forgotten: z.boolean(),
    /** false: another process was reading, and the log of the database holds traces until it is rewritten; null: a preview. */
    log_emptied: z.nullable(z.boolean()),
    /** Where it can be brought back from; null: a preview, or nothing was kept. */
    trash: z.nullable(trashEntry()),
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
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./forget.ts")).forgetIn(project, request),
});
