import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { decision } from "../../protocol/decision.ts";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  places,
  type Shaped,
  since,
  text,
  until,
} from "../../protocol/shape-parts.ts";

export const decisionsRequest = lazy(() =>
  z.object({
    q: field("only those about this topic, best first", text),
    file: field("only where these paths or globs were touched", places),
    branch,
    since,
    until,
    limit,
  }),
);

export const decisionsAnswer = lazy(() => z.object({ decisions: z.array(decision()), total: count }));

export type DecisionsRequest = Shaped<typeof decisionsRequest>;
export type DecisionsAnswer = Shaped<typeof decisionsAnswer>;

export const listDecisions = defineOperation({
  name: "decisions",
  path: "GET /decisions",
  summary: "List decisions and notes, the latest first, or the best for a question",
  of: "memory",
  editors: true,
  request: decisionsRequest,
  response: decisionsAnswer,
  answer: async () => (await import("./answer.ts")).listDecisions,
});
