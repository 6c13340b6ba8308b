import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { count, described, lazy, outside, type Shaped } from "../../protocol/shape-parts.ts";
import { linesByAuthor } from "../checkpoints/operation.ts";

export const statuslineRequest = lazy(() =>
  z.object({
    session_id: z.optional(described("the session to which the status line belongs", outside("session"))),
  }),
);

export const statuslineAnswer = lazy(() =>
  z.object({
    sessions: count,
    /** At work now. */
    running: count,
    /** Functions that the session, or any here, has changed and others as well, as far as that is looked for. */
    overlaps: count,
    /** Those of them that wait for the person. */
    waiting: count,
    /** null: none was asked about, or it is not recorded yet. */
    session: z.nullable(
      z.object({
        /** Added lines of the commits that it led to. */
        lines: linesByAuthor(),
        /** Pieces of memory that were injected, and those of them that were used. */
        injected: count,
        used: count,
      }),
    ),
  }),
);

export type StatuslineAnswer = Shaped<typeof statuslineAnswer>;

export const describeStatusline = defineOperation({
  name: "statusline",
  path: "POST /statusline",
  summary: "Show what a status line says about a project and a session",
  of: "memory",
  audited: false,
  looks: true,
  request: statuslineRequest,
  response: statuslineAnswer,
  answer: async () => (await import("./answer.ts")).describeStatusline,
});
