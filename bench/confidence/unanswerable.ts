import { readFileSync } from "node:fs";
import * as z from "zod/mini";

/**
 * Questions that none of the repositories answers: syllables without meaning, everyday matters, software of other
 * domains, other languages, misspelt nonsense.
 */
export const unanswerable = z
  .array(z.object({ kind: z.string(), question: z.string() }))
  .parse(JSON.parse(readFileSync(new URL("unanswerable.json", import.meta.url), "utf8")));
