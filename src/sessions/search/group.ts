import { addTo } from "../../base/multimap.ts";
import { readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { detectSessionIntent } from "./intent.ts";
import type { SessionQuery } from "./types.ts";

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
    addTo(bySession, key, hit);
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

/** Each hit alone, or those of a session together. @param share as of `groupBySession` */
export function groupHits<T>(
  hits: readonly T[],
  placeOf: (hit: T) => HitPlace,
  { by, query, share }: Pick<SessionQuery, "by" | "query"> & { share: number },
): SessionGroup<T>[] {
  if (by === "turn") return hits.map((shown) => ({ shown, first: shown, others: [] }));
  return groupBySession(hits, placeOf, { share, showsSummaries: detectSessionIntent(query).isHighLevel });
}

/** A hit repeats another when it has this share of the other's words, and the other of its own. */
const repeated = 0.9;
/** Results beyond are not looked at. */
const maxFolded = 100;

/**
 * Leaves out hits that repeat a better one of a sibling session: a client may have every step of a session reviewed by
 * a session of its own, and each quotes the same history.
 * @param groups best first
 */
export function foldSiblings<T>(
  memory: Memory,
  groups: readonly T[],
  placeOf: (group: T) => { sessionId: number; id: SessionChunkId },
): T[] {
  const first = groups.slice(0, maxFolded).map((group) => ({ group, ...placeOf(group) }));
  const sessions = readSessionsByIds(memory, [...new Set(first.map(({ sessionId }) => sessionId))]);
  const families = new Map<number, Set<number>>();
  for (const { id, parentId } of sessions.values())
    if (parentId !== null) families.set(parentId, (families.get(parentId) ?? new Set()).add(id));
  const findSharedParent = (sessionId: number) => {
    const parent = sessions.get(sessionId)?.parentId ?? null;
    return parent !== null && families.get(parent)!.size > 1 ? parent : null;
  };
  const siblings = first.filter(({ sessionId }) => findSharedParent(sessionId) !== null);
  if (siblings.length === 0) return [...groups];
  const chunks = readChunksByIds(
    memory,
    siblings.map(({ id }) => id),
  );
  const kept = new Map<number, { sessionId: number; words: ReadonlySet<string> }[]>();
  const isNew = ({ sessionId, id }: (typeof first)[number]) => {
    const family = findSharedParent(sessionId);
    const text = chunks.get(id)?.text;
    if (family === null || text === undefined) return true;
    const words = new Set(text.split(/\s+/));
    const others = kept.get(family) ?? [];
    if (others.some((other) => other.sessionId !== sessionId && isRepeated(words, other.words))) return false;
    kept.set(family, [...others, { sessionId, words }]);
    return true;
  };
  return [...first.filter(isNew).map(({ group }) => group), ...groups.slice(maxFolded)];
}

function isRepeated(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared >= repeated * Math.max(a.size, b.size);
}
