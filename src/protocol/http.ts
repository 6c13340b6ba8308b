import * as z from "zod/mini";
import { lazy } from "./shape-parts.ts";

/**
 * What the daemon and its clients agree on besides the operations themselves; docs/http.md describes it. Both sides ignore
 * unknown fields, so that a newer side may add some.
 */

/** Larger request bodies are refused. Bytes. */
export const largestBody = 1_048_576;

/** The body of every response that is not 2xx. */
export const errorBody = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
);

/** The error in the body of a response that is not 2xx, or null if it is not from the daemon. */
export function readRefusal(body: unknown): { code: string; message: string; hint: string } | null {
  const parsed = z.safeParse(errorBody(), body);
  return parsed.success ? parsed.data.error : null;
}
