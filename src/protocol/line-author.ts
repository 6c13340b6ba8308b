import * as z from "zod/mini";
import { lazy, numberOrNull, type Shaped, strings, textOrNull } from "./shape-parts.ts";
import { attributionBases, attributionHows, blameAuthors } from "./values.ts";

/** Evidence from a commit's message, or from another tool's branch that the message names. */
const foreignHint = lazy(() =>
  z.object({
    /** Agents that the message or branch names: "claude", "copilot". */
    tools: strings,
    /** Sessions that the message or branch names, by the agents' own ids. */
    session_ids: strings,
  }),
);

/** Who wrote lines, as far as is known. */
export const lineAuthor = lazy(() =>
  z.object({
    author: z.enum(blameAuthors),
    session_id: textOrNull,
    session_title: textOrNull,
    /** The agent's name: "claude". Null if it is unknown which agent it was. */
    agent: textOrNull,
    model: textOrNull,
    turn: numberOrNull,
    tool_use: textOrNull,
    /** 0 to 1. */
    confidence: z.number(),
    how: z.enum(attributionHows),
    /** The exact evidence for the verdict; null: the verdict is from another tool's note, or from another version of Pommel. */
    basis: z.nullable(z.enum(attributionBases)),
    /** The source: "pommel"; "note" if only another tool's note has it; null if unknown. */
    said_by: z.nullable(z.enum(["pommel", "note"])),
    /** For unknown lines: other tools' evidence about the whole commit. Anybody may have written the line. */
    hint: z.nullable(foreignHint()),
  }),
);

export type LineAuthor = Shaped<typeof lineAuthor>;

/** The author of a line without evidence. */
export const unknownAuthor: LineAuthor = {
  author: "unknown",
  session_id: null,
  session_title: null,
  agent: null,
  model: null,
  turn: null,
  tool_use: null,
  confidence: 0,
  how: "none",
  basis: "none",
  said_by: null,
  hint: null,
};

/** The author of a line that is older than the first session. */
export const beforeAgents: LineAuthor = { ...unknownAuthor, author: "before_agents" };
