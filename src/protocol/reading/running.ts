/** A session that ended without saying so: the client was closed. Milliseconds. */
const silentMs = 10 * 60_000;

/** Whether an agent is at work in a session, as far as is known. */
export const isRunning = (
  { ended_at, last_at }: { ended_at: string | null; last_at: string | null },
  now = Date.now(),
): boolean => ended_at === null && last_at !== null && now - Date.parse(last_at) < silentMs;
