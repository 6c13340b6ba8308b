import * as z from "zod/mini";
import { lazy, numberOrNull, type Shaped, text, textOrNull } from "./shape-parts.ts";

/** What an agent was doing when a commit was made, from stored data and so scrubbed. */
export const sessionState = lazy(() =>
  z.object({
    /** The turn during which the commit was made, or the last one before. */
    turn: numberOrNull,
    title: textOrNull,
    /** The beginning of the turn's prompt. */
    prompt: textOrNull,
    /** The beginning of the agent's last message. */
    said: textOrNull,
    model: textOrNull,
    /** The agent's list of things to do. */
    todos: z.array(z.object({ text, status: text })),
  }),
);

export type SessionState = Shaped<typeof sessionState>;

/**
 * What agents were doing when a commit was made, by the uid of their session, taken from what is stored and so
 * scrubbed. Kept with the checkpoint, as turns may be pruned by age.
 */
export type AgentState = Record<string, SessionState>;

/** A checkpoint's stored state; sessions with invalid entries are left out. */
export function readAgentState(stored: Record<string, unknown>): AgentState {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([uid, state]) => {
      const { success, data } = sessionState().safeParse(state);
      return success ? [[uid, data] as [string, SessionState]] : [];
    }),
  );
}
