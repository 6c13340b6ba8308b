import { FileAges } from "../../search/sessions/freshness.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import { allChunks, chunkIdsIn } from "../../store/memory/chunks/chunk-filter.ts";
import { chunkOutlines, chunksByIds } from "../../store/memory/chunks/chunks.ts";
import type { AnnotationRecord } from "../../store/memory/memory-records.ts";
import { sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { sentenceFinder } from "../sessions/deciding-sentence.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, placeOf } from "./source.ts";

/** What was noted and decided, as it is told. */

/** Chunks that are looked at for what they decide, the latest. */
const maxScanned = 60;
/** Of two decisions about the same file, the earlier is as good as gone when so much of its words is in the later. */
const supersededShare = 0.6;
/** Of a decision that can be understood alone. */
const minWords = 6;

export const notesKind = "User's note";

export interface NotesWanted {
  since: number;
  /** Which sessions' notes; null is a note from a shell. */
  of: (session: string | null) => boolean;
  most: number;
}

/** The user's own notes, the latest first. */
export function notesToTell({ memory, until }: ContextSource, { since, of, most }: NotesWanted): Injection[] {
  return listAnnotations(memory, { since, until })
    .filter(({ sessionUid }) => of(sessionUid))
    .slice(0, most)
    .map((note) => noteToTell(note, "a note"));
}

export function noteToTell(
  { uid, note, sessionUid, turn, at, branch }: AnnotationRecord,
  why: string,
): Injection {
  return {
    ref: `note:${uid}`,
    kind: notesKind,
    quote: note,
    place: placeOf({ session: sessionUid, turn, at, branch }),
    why,
    score: null,
  };
}

export interface DecisionsWanted {
  since: number | null;
  of: (session: string) => boolean;
  /** Only about these files, as stored; null: about anything. */
  files: readonly string[] | null;
  /** Those made on it come first. */
  branch: string | null;
  most: number;
  why: string;
}

/** What was decided in conversations and still stands: the latest first, those of the branch before all others. */
export function decisionsToTell(source: ContextSource, wanted: DecisionsWanted): Injection[] {
  const { memory, config, root, until } = source;
  const ids = chunkIdsIn(memory, {
    ...allChunks,
    types: ["raw"],
    kinds: ["decision"],
    abandoned: false,
    since: wanted.since,
    until,
    files: wanted.files,
  });
  const outlines = [...chunkOutlines(memory, ids).values()];
  const sessions = sessionsByIds(memory, [...new Set(outlines.map(({ sessionId }) => sessionId))]);
  const latest = outlines
    .filter(({ sessionId }) => wanted.of(sessions.get(sessionId)?.uid ?? ""))
    .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))
    .slice(0, maxScanned);
  const chunks = chunksByIds(
    memory,
    latest.map(({ id }) => id),
  );
  const sentenceOf = sentenceFinder(config);
  const ages = new FileAges(root);
  const standing: { sentence: string; files: string[]; onBranch: boolean; told: Injection }[] = [];
  for (const { id, sessionId, startedAt, endedAt, firstTurn, branch } of latest) {
    const chunk = chunks.get(id);
    if (!chunk || ages.freshnessOf(chunk.files, endedAt) === "orphaned") continue;
    const { text: sentence, decides } = sentenceOf(chunk.text);
    // "I like option C" says nothing to somebody who has not seen the options.
    if (!decides || sentence.split(/\s+/).length < minWords) continue;
    if (standing.some((later) => supersedes(later, { sentence, files: chunk.files }))) continue;
    standing.push({
      sentence,
      files: chunk.files,
      onBranch: wanted.branch !== null && branch === wanted.branch,
      told: {
        ref: `chunk:${chunk.uid}`,
        kind: "Decided",
        quote: sentence,
        place: placeOf({
          session: sessions.get(sessionId)?.uid ?? null,
          turn: firstTurn,
          at: startedAt,
          branch,
          files: chunk.files,
        }),
        why: wanted.why,
        score: null,
      },
    });
  }
  return standing
    .sort((a, b) => Number(b.onBranch) - Number(a.onBranch))
    .slice(0, wanted.most)
    .map(({ told }) => told);
}

interface Statement {
  sentence: string;
  files: readonly string[];
}

/** Whether what was said later says the same again, or of the same file something else in much the same words. */
function supersedes(later: Statement, earlier: Statement): boolean {
  const [now, then] = [wordsOf(later.sentence), wordsOf(earlier.sentence)];
  if (now.size === 0 || then.size === 0) return false;
  const shared = [...then].filter((word) => now.has(word)).length / then.size;
  return (
    shared === 1 || (shared >= supersededShare && earlier.files.some((file) => later.files.includes(file)))
  );
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu));
