import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { lazy, type Shaped, sessionNamed, text, textOrNull } from "../../protocol/shape-parts.ts";

export const handoffRequest = lazy(() => z.object({ id: sessionNamed }));

export const handoffResponse = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: text,
    /** Where it was launched; the directory may be gone. */
    cwd: text,
    /** The colleague whose machine it is on; null: this one. */
    shared_by: textOrNull,
    /** The command that goes on with it in its agent; null: there is none. */
    resume: textOrNull,
    /** Markdown, for another agent: goal, what was done, what is open, decisions, commands that worked. */
    text,
  }),
);

export type Handoff = Shaped<typeof handoffResponse>;

export const handOver = defineOperation({
  name: "handoff",
  path: "GET /handoff/:id",
  summary: "Write what another agent needs to go on with a session",
  of: "memory",
  request: handoffRequest,
  response: handoffResponse,
  answer: async () => (await import("./answer.ts")).handOver,
});
