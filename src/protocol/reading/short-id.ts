/**
 * Ids that begin with their time are alike at first: the first eight digits of a version 7 UUID stay the same for a
 * minute, and with a prefix ("ses_df9e040b9ffe...") there are fewer. So much of them is distinct.
 */
const beginsWithTime = /^(?:[0-9a-f]{8}-[0-9a-f]{4}(?=-7)|[a-z]{2,5}_[0-9a-f]{12})/;

/** The beginning of a session's id, as commands and tools take it; of a subagent's, the session's whole id before it. */
export function shortenSessionId(id: string): string {
  const [session = "", agent] = id.split("/", 2);
  return agent !== undefined ? `${session}/${cutIdBeginning(agent)}` : cutIdBeginning(session);
}

const cutIdBeginning = (id: string) => beginsWithTime.exec(id)?.[0] ?? id.slice(0, 8);

/** "8ecde0fc:7": a turn as commands and tools take it; the session alone where there is none, or none was asked for yet. */
export const formatTurnPlace = (session: string, turn: number | null): string =>
  turn === null || turn === 0 ? shortenSessionId(session) : `${shortenSessionId(session)}:${turn}`;
