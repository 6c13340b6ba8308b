/** Hits of one session: the one that is shown, and its other turns that match, best first. */
export interface SessionGroup<T> {
  shown: T;
  /** The best one, by which the session is ranked. */
  first: T;
  others: T[];
}

export interface HitPlace {
  sessionId: number;
  /** From a shell, in no session of its own: such notes are kept apart. */
  isLoneNote: boolean;
  turn: number;
  isSummary: boolean;
  /** Of the hit itself, beside what its whole session has. */
  evidence: number;
}

interface GroupingOptions {
  /** Another turn matches when it has at least this share of the shown one's evidence. */
  share: number;
  /** Whether a summary is shown even where a turn could be. */
  showsSummaries: boolean;
}

/**
 * Puts hits together by session, in the order of each session's first one. Shown is the turn with the most
 * evidence of its own, which can be read and checked; a summary only where that is asked for or nothing else matches.
 * @param hits best first
 */
export function groupBySession<T>(
  hits: readonly T[],
  placeOf: (hit: T) => HitPlace,
  { share, showsSummaries }: GroupingOptions,
): SessionGroup<T>[] {
  const bySession = new Map<unknown, T[]>();
  for (const hit of hits) {
    const { sessionId, isLoneNote } = placeOf(hit);
    const key = isLoneNote ? hit : sessionId;
    const known = bySession.get(key);
    if (known) known.push(hit);
    else bySession.set(key, [hit]);
  }
  return [...bySession.values()].map((all) => {
    const turns = all
      .filter((hit) => !placeOf(hit).isSummary)
      .sort((a, b) => placeOf(b).evidence - placeOf(a).evidence);
    const shown = (showsSummaries ? undefined : turns[0]) ?? all[0]!;
    const { evidence, turn, isSummary } = placeOf(shown);
    const seen = new Set(isSummary ? [] : [turn]);
    const others = turns.filter((hit) => {
      const place = placeOf(hit);
      if (seen.has(place.turn) || place.evidence < share * evidence) return false;
      seen.add(place.turn);
      return true;
    });
    return { shown, first: all[0]!, others };
  });
}
