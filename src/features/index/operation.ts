import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import { count, field, lazy, places } from "../../protocol/shape-parts.ts";

/**
 * What to index. Empty: look for changes now. `paths` (paths or globs): forget those files and index them again.
 * `full`: the same for everything.
 */
export const indexRequest = lazy(() =>
  z.object({
    paths: field("only this file, directory or glob", places),
    full: field("also index again what looks unchanged", z.boolean()),
  }),
);

export const indexResponse = lazy(() =>
  z.object({
    queued: z.boolean(),
    pending: count,
    /** Without a daemon: what was done, in files. */
    done: z.optional(
      z.object({ indexed: count, unchanged: count, removed: count, skipped: count, failed: count }),
    ),
  }),
);

export const indexFiles = defineOperation({
  name: "index",
  path: "POST /index/code",
  summary: "Index files again",
  of: "project",
  changes: true,
  request: indexRequest,
  response: indexResponse,
  answer: async () => (await import("./answer.ts")).indexFiles,
});

/** Shows how far the daemon is, until everything is indexed. */
export const waitForIndex = defineLocalOperation(
  async () => (await import("./wait-for-index.ts")).waitForIndex,
);
