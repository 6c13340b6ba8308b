import * as z from "zod/mini";
import type { Shaped } from "./shape-parts.ts";
import { count, lazy, notes, strings, text, textOrNull, timeOrNull } from "./shape-parts.ts";

/** Numbers of lines. */
const share = { lines: count, agent: count, human: count, unknown: count, before_agents: count };

export const shareShape = lazy(() => z.object(share));

export type Share = Shaped<typeof shareShape>;

/** Who wrote the lines that commits added. */
export const shares = lazy(() =>
  z.object({
    /** The requested limit; null: none. */
    since: timeOrNull,
    until: timeOrNull,
    paths: strings,
    commits: z.object({
      /** In that time, in HEAD's history; null if git fails. */
      in_history: z.nullable(count),
      /** Those of them that were analysed; only their lines are counted here. */
      looked_at: count,
      /** Those with a line of an agent's. */
      with_agent: count,
    }),
    total: shareShape(),
    /** By the author that git names, those with the most lines first, as in what follows. */
    by_author: z.array(z.object({ author: text, commits: count, ...share })),
    by_directory: z.array(z.object({ directory: text, ...share })),
    /** Only with `files`. */
    by_file: z.optional(z.array(z.object({ file: text, ...share }))),
    /** In order; ISO 8601, such as 2026-W05, in UTC. */
    by_week: z.array(z.object({ week: text, ...share })),
    by_model: z.array(z.object({ model: text, lines: count })),
    by_session: z.array(
      z.object({
        session_id: text,
        session_title: textOrNull,
        agent: textOrNull,
        /** The colleague who shared it; null or left out: recorded here. */
        author: z.optional(textOrNull),
        commits: count,
        lines: count,
      }),
    ),
    /** Lines of agents by whose sessions wrote them; "" is you. Only where colleagues shared some. */
    by_colleague: z.array(z.object({ author: text, sessions: count, lines: count })),
    notes,
  }),
);

export type Shares = Shaped<typeof shares>;
