import { type DecidingChunk, decidingChunks } from "../../store/memory/chunks/chunk-decisions.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { findDecisions, messagesOf } from "./find.ts";
import { type Claim, claimOf, relationOf } from "./supersede.ts";

/** A decision of a session. */
export interface SessionDecision extends ChunkDecision {
  /** `<chunk>#<number in it>`. */
  id: string;
  chunkId: number;
  sessionUid: string;
  sessionTitle: string | null;
  at: number | null;
  /** When the chunk ended: until then its files may have changed. */
  endedAt: number | null;
  branch: string | null;
  /** That were touched where it was said. */
  files: readonly string[];
  /** The later decision that says the opposite; the id of one. */
  supersededBy: string | null;
  /** Earlier ones that it says the opposite of. */
  supersedes: readonly string[];
}

/**
 * What was decided in sessions, in order, each once, with what contradicts what. Found when chunks are made; those that an
 * older Pommel made are looked at here. Remembered until the memory is written: not to be changed.
 * @param marks words of the project's own that mark a decision
 */
export function storedDecisions(memory: Memory, marks: RegExp | null): readonly SessionDecision[] {
  return memory.once(`decisions ${marks?.source ?? ""}`, () => compared(decisionsIn(memory, marks)));
}

function decisionsIn(memory: Memory, marks: RegExp | null): SessionDecision[] {
  const chunks = decidingChunks(memory);
  const sessions = sessionsByIds(memory, [...new Set(chunks.map(({ sessionId }) => sessionId))]);
  return chunks.flatMap((chunk) =>
    judged(chunk, marks).map((decision, i) => ({
      ...decision,
      id: `${chunk.uid}#${i}`,
      chunkId: chunk.id,
      sessionUid: sessions.get(chunk.sessionId)?.uid ?? "",
      sessionTitle: sessions.get(chunk.sessionId)?.title ?? null,
      at: chunk.startedAt,
      endedAt: chunk.endedAt,
      branch: chunk.branch,
      files: chunk.files,
      supersededBy: null,
      supersedes: [],
    })),
  );
}

/** What a chunk decides, by its text where nobody looked when it was made. */
export function judged(
  { decisions, text, firstTurn }: Pick<DecidingChunk, "decisions" | "text" | "firstTurn">,
  marks: RegExp | null,
): ChunkDecision[] {
  if (decisions !== null) return decisions;
  return findDecisions(messagesOf(text, firstTurn), { marks }).map(({ message: _, ...decision }) => decision);
}

/** Without those that a later one repeats, and with what contradicts what. */
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
    supersedes.set(later, [...(supersedes.get(later) ?? []), all[earlier]!.id]);
  }
  return all.flatMap((decision, i) => {
    if (repeatedBy.has(i)) return [];
    const later = supersededBy.get(i);
    return [
      {
        ...decision,
        supersededBy: later === undefined ? null : all[last(later)]!.id,
        supersedes: supersedes.get(i) ?? [],
      },
    ];
  });
}

/** A word that more decisions have tells nothing of what they are about. */
const maxWithWord = 200;

/** Earlier ones that share enough words to be about the same. */
function candidates(claim: Claim, byWord: ReadonlyMap<string, readonly number[]>): number[] {
  const counts = new Map<number, number>();
  for (const word of claim.words) {
    const with_ = byWord.get(word) ?? [];
    if (with_.length > maxWithWord) continue;
    for (const i of with_) counts.set(i, (counts.get(i) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= 2).map(([i]) => i);
}
