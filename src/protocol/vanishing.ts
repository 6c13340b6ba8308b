import * as z from "zod/mini";
import { count, text, textOrNull, timeOrNull } from "./shape-parts.ts";

/** The sessions of a project that a client will delete, by its own settings. */
export const vanishing = z.object({
  /** Its name, and the one for people: "claude", "Claude Code". */
  agent: text,
  title: text,
  /** It deletes sessions without a change for this long. */
  days: z.number(),
  /** The setting and its file; null: the client's default. */
  setting: text,
  source: textOrNull,
  /** Sessions that vanish within `within_days`; those of them that are stored, and others that are kept until they are read. */
  sessions: count,
  stored: count,
  kept: count,
  within_days: count,
  /** When the first one vanishes, if the client is started then; null without one. */
  first_at: timeOrNull,
});

export type Vanishing = z.infer<typeof vanishing>;
