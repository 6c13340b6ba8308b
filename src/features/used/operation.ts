import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { count, lazy, type Shaped, since, text, time } from "../../protocol/shape-parts.ts";
import { contextEvents } from "../../protocol/values.ts";

export const usedRequest = lazy(() => z.object({ since }));

export const usedAnswer = lazy(() =>
  z.object({
    since: time,
    /** Sessions of that time, and those in which an agent called one of Pommel's tools. */
    sessions: count,
    sessions_calling: count,
    /** Pommel's tools, the most often called first. */
    calls: z.array(z.object({ tool: text, calls: count, sessions: count })),
    /** What agents were given by themselves, by its moment, as far as it was looked into. */
    injections: z.array(
      z.object({
        event: z.enum(contextEvents),
        injections: count,
        /** Within its next ten actions the agent opened or named what was given; it did not; that cannot be known. */
        used: count,
        not_used: count,
        unknown: count,
      }),
    ),
  }),
);

export type UsedAnswer = Shaped<typeof usedAnswer>;

export const showUsed = defineOperation({
  name: "used",
  path: "GET /used",
  summary: "Show how often agents called Pommel, and whether they used what they were given",
  of: "memory",
  looks: true,
  request: usedRequest,
  response: usedAnswer,
  answer: async () => (await import("./answer.ts")).showUsed,
});
