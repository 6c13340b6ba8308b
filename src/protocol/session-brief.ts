import * as z from "zod/mini";
import type { Shaped } from "./shape-parts.ts";
import { lazy, strings, text, textOrNull } from "./shape-parts.ts";
import { turnStates } from "./values.ts";

/** A session in a few lines. */
export const sessionBrief = lazy(() =>
  z.object({
    /** How its first and its last prompt begin; "" where there is none, or it is the first. */
    asked: text,
    last_asked: text,
    /** What came of it, in its agent's last words; "at turn 4 of 13" where the last turns have none. */
    outcome: text,
    /** What it left open: sentences of its end that nothing after it answers. */
    open: text,
    /** How tests, types and lint went when they last ran, the latest first. */
    checks: strings,
    /** Why it was tried and rejected; null: it was not. */
    rejected: textOrNull,
    /** How its last turn ended; null: not known. */
    state: z.nullable(z.enum(turnStates)),
    /** That it changed, the most often changed first. */
    files: strings,
    /** That it led to, the latest first. */
    commits: z.array(z.object({ hash: text, subject: text })),
    /** Command lines that worked when they were last run, the most often run first. */
    commands: strings,
  }),
);

export type SessionBrief = Shaped<typeof sessionBrief>;
