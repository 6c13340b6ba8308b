/**
 * A version 7 UUID begins with its time: its first eight digits stay the same for a minute; thirteen characters are
 * distinct.
 */
const beginsWithTime = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** The beginning of a session's id, as commands and tools take it; of a subagent's, the session's whole id before it. */
export function shortId(id: string): string {
  const [session = "", agent] = id.split("/", 2);
  if (agent !== undefined) return `${session}/${agent.slice(0, 8)}`;
  return session.slice(0, beginsWithTime.test(session) ? 13 : 8);
}
