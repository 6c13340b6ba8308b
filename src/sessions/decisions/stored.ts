import { decidingChunks } from "../../store/memory/chunks/put-chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { contentWords, coverage } from "../summaries/words.ts";
import { replacements } from "./replaced.ts";
import { type Claim, claimOf, relationOf } from "./supersede.ts";

/** A decision of a session. */
export interface SessionDecision extends ChunkDecision {
  /** `<chunk>#<number in it>`. */
  id: string;
  chunk: string;
  sessionId: number;
  sessionUid: string;
  sessionTitle: string | null;
  /** The colleague who shared the session. */
  author: string | null;
  at: number | null;
  /** When the chunk ended: until then its files may have changed. */
  endedAt: number | null;
  branch: string | null;
  /** Files touched in the same place. */
  files: readonly string[];
  /** The later decision that says the opposite, or the note by which a person replaced it. */
  supersededBy: Later | null;
  /** Earlier ones that it says the opposite of, as they were said. */
  supersedes: readonly string[];
}

interface Later {
  text: string;
  at: number | null;
}

/**
 * The decisions of all sessions, in order, each once, with their contradictions. They are found when chunks are made.
 * Cached until the memory is written: do not modify.
 */
export function storedDecisions(memory: Memory): readonly SessionDecision[] {
  return memory.once("decisions", () => {
    const replacedBy = replacements(memory);
    return compared(decisionsIn(memory)).map((decision) => ({
      ...decision,
      supersededBy: replacedBy(decision.text, decision.at) ?? decision.supersededBy,
    }));
  });
}

function decisionsIn(memory: Memory): SessionDecision[] {
  const chunks = decidingChunks(memory);
  const sessions = sessionsByIds(memory, [...new Set(chunks.map(({ sessionId }) => sessionId))]);
  return chunks.flatMap((chunk) =>
    chunk.decisions.map((decision, i) => ({
      ...decision,
      id: `${chunk.uid}#${i}`,
      chunk: chunk.uid,
      sessionId: chunk.sessionId,
      sessionUid: sessions.get(chunk.sessionId)?.uid ?? "",
      sessionTitle: sessions.get(chunk.sessionId)?.title ?? null,
      author: sessions.get(chunk.sessionId)?.author ?? null,
      at: chunk.startedAt,
      endedAt: chunk.endedAt,
      branch: chunk.branch,
      files: chunk.files,
      supersededBy: null,
      supersedes: [],
    })),
  );
}

/** Without decisions that a later one repeats, and with contradictions marked. */
function compared(all: readonly SessionDecision[]): SessionDecision[] {
  const claims = all.map(({ text }) => claimOf(text));
  const byWord = new Map<string, number[]>();
  const repeatedBy = new Map<number, number>();
  const supersededBy = new Map<number, number>();
  claims.forEach((claim, i) => {
    for (const earlier of candidates(claim, byWord)) {
      const relation = relationOf(claim, claims[earlier]!);
      if (relation === "repeats") repeatedBy.set(earlier, i);
      else if (relation === "contradicts") supersededBy.set(earlier, i);
    }
    for (const word of claim.words) {
      const known = byWord.get(word);
      if (known) known.push(i);
      else byWord.set(word, [i]);
    }
  });
  const last = (i: number): number => (repeatedBy.has(i) ? last(repeatedBy.get(i)!) : i);
  const supersedes = new Map<number, string[]>();
  for (const [earlier, by] of supersededBy) {
    const later = last(by);
    supersedes.set(later, [...(supersedes.get(later) ?? []), all[earlier]!.text]);
  }
  return all.flatMap((decision, i) => {
    if (repeatedBy.has(i)) return [];
    const later = supersededBy.get(i);
    return [
      {
        ...decision,
        supersededBy: later === undefined ? null : laterOf(all[last(later)]!),
        supersedes: supersedes.get(i) ?? [],
      },
    ];
  });
}

const laterOf = ({ text, at }: SessionDecision): Later => ({ text, at });

/** A word that more decisions have says nothing about their subject. */
const maxWithWord = 200;

/** Earlier ones that share enough words to be about the same. */
function candidates(claim: Claim, byWord: ReadonlyMap<string, readonly number[]>): number[] {
  const counts = new Map<number, number>();
  for (const word of claim.words) {
    const holders = byWord.get(word) ?? [];
    if (holders.length > maxWithWord) continue;
    for (const i of holders) counts.set(i, (counts.get(i) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= 2).map(([i]) => i);
}

/** The same by chunk. */
export function decisionsByChunk(memory: Memory): ReadonlyMap<string, readonly SessionDecision[]> {
  const byChunk = new Map<string, SessionDecision[]>();
  for (const decision of storedDecisions(memory)) {
    const known = byChunk.get(decision.chunk);
    if (known) known.push(decision);
    else byChunk.set(decision.chunk, [decision]);
  }
  return byChunk;
}

/** Of some decisions the one that is most about a question. */
export function closestTo(query: string, decisions: readonly SessionDecision[]): SessionDecision | null {
  const wanted = contentWords(query);
  const near = decisions.map((decision) => ({
    decision,
    part: coverage(wanted, contentWords(decision.text)),
  }));
  return near.sort((a, b) => b.part - a.part)[0]?.decision ?? null;
}
