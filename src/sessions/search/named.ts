import { type ChunkFilter, listChunkIds } from "../../store/memory/chunks/chunk-filter.ts";
import { readChunkOutlines, type SessionChunkOutline } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions, listSessionsBeginningWith } from "../../store/memory/sessions/sessions.ts";
import { noneOfSession, type RankedChunk } from "./rank.ts";

/** The sessions that a query names. */
interface NamedSessions {
  /** One chunk of each, best first: its summary, or its first turn. */
  ranked: RankedChunk[];
  /** What the query is of them. */
  reason: string;
}

/** Sessions of a branch or with such an id that are looked up. */
const maxNamed = 20;
/** More evidence than a turn ever has, and shown as a score below 1: what is reverted still loses some of it. */
const evidenceOfName = 200_000;
/** Fewer characters begin too many ids, and words. */
const leastOfId = 6;

/** The sessions of which a query is the id, its beginning, or the branch, the latest first; null where it is none. */
export function findNamedSessions(memory: Memory, query: string, filter: ChunkFilter): NamedSessions | null {
  const text = query.trim();
  if (/\s/.test(text) || filter.sessionIds !== null) return null;
  const looksLikeId = text.length >= leastOfId && /\d/.test(text);
  const byId = looksLikeId ? listSessionsBeginningWith(memory, text, maxNamed) : [];
  // A branch that is one plain word, such as main, is mostly asked for as a word.
  const byBranch =
    byId.length === 0 && /[-_/.\d]/.test(text) ? listSessions(memory, { branch: text, limit: maxNamed }) : [];
  const sessions = [...byId, ...byBranch];
  if (sessions.length === 0) return null;
  const ids = listChunkIds(memory, { ...filter, sessionIds: sessions.map(({ id }) => id) });
  const chunks = [...readChunkOutlines(memory, ids).values()];
  const ranked = sessions.flatMap(({ id }) => {
    const own = chunks.filter(({ sessionId }) => sessionId === id);
    const shown = own.find(({ type }) => type === "summary") ?? own[0];
    return shown === undefined ? [] : [onTop(shown)];
  });
  return ranked.length === 0 ? null : { ranked, reason: byId.length > 0 ? "its id" : "its branch" };
}

function onTop({ firstTurn: turn, ...chunk }: SessionChunkOutline): RankedChunk {
  return {
    candidate: { ...chunk, turn },
    score: evidenceOfName,
    signals: { words: 0, passage: 0, whole: 0, ...noneOfSession, kind: 1, recency: 1 },
  };
}
