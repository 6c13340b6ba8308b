import * as z from "zod/mini";
import { levels } from "../../project/levels.ts";
import { described, lazy, text, textOrNull } from "../shape-parts.ts";

/** The shapes of reading a chunk of code, with what it lies in and what lies in it. */

export const chunkRequest = lazy(() =>
  z.object({ id: described("a chunk's id, or FILE:LINES for the smallest chunk that holds them", text) }),
);
export type ChunkRequest = z.infer<ReturnType<typeof chunkRequest>>;

const outline = {
  id: text,
  start_line: z.number(),
  end_line: z.number(),
  level: z.enum(levels),
  /** What the language calls it: "function", "class"; "" for what has no name. */
  kind: text,
  name: text,
  /** One line, "" where there is none. */
  signature: text,
};

const chunkOutline = lazy(() => z.object(outline));
export type ChunkOutline = z.infer<ReturnType<typeof chunkOutline>>;

export const chunkAnswer = lazy(() =>
  z.object({
    file: text,
    language: text,
    chunk: z.object({ ...outline, parent_id: textOrNull, content: text }),
    /** What it lies in, the nearest first. */
    parents: z.array(chunkOutline()),
    /** What lies directly in it, in the order of lines. */
    children: z.array(chunkOutline()),
    freshness: z.enum(["fresh", "drifted"]),
  }),
);
export type ChunkAnswer = z.infer<ReturnType<typeof chunkAnswer>>;
