import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import { count, lazy, numberOrNull, text, textOrNull, time } from "../../protocol/shape-parts.ts";

/** Every project of this person, the last used first. */
export const projectsResponse = lazy(() =>
  z.object({
    projects: z.array(
      z.object({
        id: text,
        name: text,
        /** The checkout that was used last. */
        root: text,
        /** Where it was cloned from, without scheme and credentials. */
        remote: textOrNull,
        /** Named with `pm init`: recorded even where not all projects are. */
        is_named: z.boolean(),
        /** Recording was turned off with `pm disable`. */
        is_off: z.boolean(),
        /** No checkout is there any more; the memory is. */
        is_gone: z.boolean(),
        checkouts: z.array(z.object({ root: text, is_gone: z.boolean(), last_used_at: time })),
        /** null: there is no memory, or it cannot be read. */
        sessions: numberOrNull,
        turns: numberOrNull,
        first_used_at: time,
        last_used_at: time,
      }),
    ),
    /** Of all of them; what cannot be read does not count. */
    totals: z.object({ projects: count, checkouts: count, sessions: count, turns: count }),
  }),
);

export const listProjects = defineOperation({
  name: "projects",
  path: "GET /projects",
  summary: "List projects with their checkouts",
  of: "machine",
  request: nothing,
  response: projectsResponse,
  answer: async () => (await import("./describe-projects.ts")).describeProjects,
});
