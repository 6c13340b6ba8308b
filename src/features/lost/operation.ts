import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { author } from "../../protocol/fix.ts";
import {
  count,
  described,
  lazy,
  limit,
  place,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

const lostPart = lazy(() =>
  z.object({
    session_id: text,
    author,
    turn: z.number(),
    timestamp: timeOrNull,
    /** edit: replaced by an agent's edit. checkout: written by an agent, and gone before it was committed. */
    lost_by: z.enum(["edit", "checkout"]),
    /** The command that took it away; null for an edit. */
    command: textOrNull,
    lines: strings,
  }),
);

export type LostText = Shaped<typeof lostPart>;

export const lostTextRequest = lazy(() => z.object({ file: described("its path", place), limit }));

export const lostTextAnswer = lazy(() => z.object({ file: text, texts: z.array(lostPart()), total: count }));

export type LostTextAnswer = Shaped<typeof lostTextAnswer>;

export const findLostText = defineOperation({
  name: "lostText",
  path: "GET /lost-text",
  summary: "Show text of a file that agents wrote or removed and that is in no commit",
  of: "memory",
  request: lostTextRequest,
  response: lostTextAnswer,
  answer: async () => (await import("./answer.ts")).findLostText,
});
