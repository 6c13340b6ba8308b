import { readFileSync } from "node:fs";
import * as z from "zod/mini";

const question = z.object({
  id: z.string(),
  category: z.string(),
  question: z.string(),
  relevant_sessions: z.array(z.string()),
  evidence: z.array(z.object({ session_id: z.string(), line_uuid: z.string() })),
  /** Only what was before counts; milliseconds since the epoch. */
  until: z.optional(z.number()),
});
export type Question = z.infer<typeof question>;

/** Questions with the sessions, and the lines in them, that answer each. */
export function loadQuestions(file: string): Question[] {
  return z.parse(z.array(question), JSON.parse(readFileSync(file, "utf8")));
}

/**
 * A question's half: weights are chosen on one and confirmed on the other. A hash of the id decides, so that nobody
 * picks.
 */
export function halfOf({ id }: Pick<Question, "id">): "choose" | "confirm" {
  let hash = 7;
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % 2 === 1 ? "choose" : "confirm";
}
