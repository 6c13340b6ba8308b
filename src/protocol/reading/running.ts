import type { SessionSummary } from "../operations/sessions.ts";

/** A session that ended without saying so: the client was closed. Milliseconds. */
const silentMs = 10 * 60_000;

/** Whether an agent is at work in a session, as far as is known. */
export const isRunning = (
  { ended_at, last_at }: Pick<SessionSummary, "ended_at" | "last_at">,
  now = Date.now(),
): boolean => ended_at === null && last_at !== null && now - Date.parse(last_at) < silentMs;

const openEnds = {
  interrupted: "interrupted",
  error: "ended with an error",
  unfinished: "no end was recorded",
} as const;

/** How a session ended whose last turn has no proper end; null: it has one, or still runs. */
export function openEndOf(session: SessionSummary): string | null {
  const { last_state = "completed" } = session;
  return last_state === "completed" || isRunning(session) ? null : openEnds[last_state];
}
