import { addTo } from "../../base/multimap.ts";
import { canReplace, toSpeaker, type WordsOrigin } from "../../protocol/origin.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listDecidingChunks } from "../../store/memory/chunks/put-chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkDecision, NoteRecord } from "../../store/memory/memory-records.ts";
import { readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { readTurnStarts } from "../../store/memory/sessions/turns.ts";
import { extractContentWords, measureOverlap } from "../summaries/prose.ts";

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
  /** When its turn began. */
  at: number | null;
  /** When the chunk ended: until then its files may have changed. */
  endedAt: number | null;
  branch: string | null;
  /** Files touched in the same place. */
  files: readonly string[];
  /** The later decision that says the opposite, or the note that replaces it. */
  supersededBy: LaterText | null;
  /** Earlier ones that it says the opposite of, as they were said. */
  supersedes: readonly string[];
}

interface LaterText {
  text: string;
  at: number | null;
  /** Whether it names what it replaces; otherwise its words go against it. */
  isStated: boolean;
}

/**
 * The decisions of all sessions, in order, each once, with their contradictions. They are found when chunks are made.
 * Cached until the memory is written: do not modify.
 */
export function listStoredDecisions(memory: Memory): readonly SessionDecision[] {
  return memory.readOnce("decisions", () => {
    const laterThan = createReplacementLookup(memory);
    return markContradictions(readDecisions(memory)).map((decision) => ({
      ...decision,
      supersededBy: laterThan(decision) ?? decision.supersededBy,
    }));
  });
}

function readDecisions(memory: Memory): SessionDecision[] {
  const chunks = listDecidingChunks(memory);
  const sessions = readSessionsByIds(memory, [...new Set(chunks.map(({ sessionId }) => sessionId))]);
  const findStart = readTurnStarts(
    memory,
    chunks.flatMap(({ sessionId, decisions }) => decisions.map(({ turn }) => ({ sessionId, turn }))),
  );
  return chunks
    .flatMap((chunk) =>
      chunk.decisions.map((decision, i) => ({
        ...decision,
        id: `${chunk.uid}#${i}`,
        chunk: chunk.uid,
        sessionId: chunk.sessionId,
        sessionUid: sessions.get(chunk.sessionId)?.uid ?? "",
        sessionTitle: sessions.get(chunk.sessionId)?.title ?? null,
        author: sessions.get(chunk.sessionId)?.author ?? null,
        // A chunk spans several turns.
        at: findStart({ sessionId: chunk.sessionId, turn: decision.turn }) ?? chunk.startedAt,
        endedAt: chunk.endedAt,
        branch: chunk.branch,
        files: chunk.files,
        supersededBy: null,
        supersedes: [],
      })),
    )
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** Without decisions that a later one repeats, and with contradictions marked. */
function markContradictions(all: readonly SessionDecision[]): SessionDecision[] {
  const claims = all.map(({ text }) => parseClaim(text));
  const byWord = new Map<string, number[]>();
  const repeatedBy = new Map<number, number>();
  const supersededBy = new Map<number, number>();
  claims.forEach((claim, i) => {
    for (const earlier of findCandidates(claim, byWord)) {
      if (!canReplace(all[i]!, all[earlier]!)) continue;
      const relation = compareClaims(claim, claims[earlier]!);
      if (relation === "repeats") repeatedBy.set(earlier, i);
      else if (relation === "contradicts") supersededBy.set(earlier, i);
    }
    for (const word of claim.words) {
      addTo(byWord, word, i);
    }
  });
  const last = (i: number): number => (repeatedBy.has(i) ? last(repeatedBy.get(i)!) : i);
  const supersedes = new Map<number, string[]>();
  for (const [earlier, by] of supersededBy) {
    const later = last(by);
    addTo(supersedes, later, all[earlier]!.text);
  }
  return all.flatMap((decision, i) => {
    if (repeatedBy.has(i)) return [];
    const later = supersededBy.get(i);
    return [
      {
        ...decision,
        supersededBy: later === undefined ? null : toLaterDecision(all[last(later)]!),
        supersedes: supersedes.get(i) ?? [],
      },
    ];
  });
}

const toLaterDecision = ({ text, at }: SessionDecision): LaterText => ({ text, at, isStated: false });

/** A word that more decisions have says nothing about their subject. */
const maxWithWord = 200;

/** Earlier ones that share enough words to be about the same. */
function findCandidates(claim: ComparedChoice, byWord: ReadonlyMap<string, readonly number[]>): number[] {
  const counts = new Map<number, number>();
  for (const word of claim.words) {
    const holders = byWord.get(word) ?? [];
    if (holders.length > maxWithWord) continue;
    for (const i of holders) counts.set(i, (counts.get(i) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= 2).map(([i]) => i);
}

/** The same by chunk. */
export function groupDecisionsByChunk(memory: Memory): ReadonlyMap<string, readonly SessionDecision[]> {
  const byChunk = new Map<string, SessionDecision[]>();
  for (const decision of listStoredDecisions(memory)) {
    addTo(byChunk, decision.chunk, decision);
  }
  return byChunk;
}

/** Of some decisions the one that is most about a question. */
export function findClosestDecision(
  query: string,
  decisions: readonly SessionDecision[],
): SessionDecision | null {
  const wanted = extractContentWords(query);
  const near = decisions.map((decision) => ({
    decision,
    part: measureOverlap(wanted, extractContentWords(decision.text)),
  }));
  return near.sort((a, b) => b.part - a.part)[0]?.decision ?? null;
}

/** A decision, prepared for comparison with others. */
export interface ComparedChoice {
  words: ReadonlySet<string>;
  /** The chosen option, and the rejected one: "... instead of X". */
  chosen: ReadonlySet<string>;
  rejected: ReadonlySet<string>;
  isNegative: boolean;
  isRetracting: boolean;
  numbers: string;
  /** Of an answered question, the question and the answer. */
  asked: ReadonlySet<string> | null;
  answer: string;
}

/** Words that two decisions on one subject share at least, and their part of the shorter one. */
const shared = { words: 3, ofShorter: 0.5, same: 0.85, swapped: 0.6 } as const;

const against = /\b(?:instead of|rather than|in place of|as opposed to)\b/i;
const negative = /\b(?:not|never|no longer|don['’]t|doesn['’]t|shouldn['’]t|must(?:n['’]t| not))\b/i;

/** A later word that takes back: it stands against what it names, however much more that says. */
const retracting =
  /^(?:\W|(?:ok|okay|actually|no|well|please|just)\b)*(?:let['’]?s |we should |i want to |i['’]d like to )*(?:defer|postpone|skip|revert|undo|drop|scrap|forget|leave out|hold off|roll back|take back|abandon|park|shelve)\b/i;

const number = /\b(?:\d+(?:\.\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|once|twice)\b/gi;

export function parseClaim(text: string): ComparedChoice {
  const [asked, answer] = text.includes(" → ") ? text.split(" → ", 2) : [null, ""];
  const [chosen = "", rejected = ""] = text.split(against, 2);
  return {
    words: extractContentWords(text.replace(number, " ")),
    chosen: extractContentWords(chosen),
    rejected: extractContentWords(rejected),
    isNegative: negative.test(chosen),
    isRetracting: retracting.test(text),
    numbers: (text.toLowerCase().match(number) ?? []).join(" "),
    asked: asked === null ? null : extractContentWords(asked!),
    answer: answer!.toLowerCase().trim(),
  };
}

/**
 * How a later decision relates to an earlier one. They share a subject when they have at least three distinctive words
 * in common, and half of the shorter one's. Then the later one repeats the earlier, or contradicts it: another answer
 * to the same question, the rejected option instead of the chosen one, a "not" more or less, another number. Null:
 * neither.
 */
export function compareClaims(
  later: ComparedChoice,
  earlier: ComparedChoice,
): "repeats" | "contradicts" | null {
  if (later.asked !== null && earlier.asked !== null) {
    // A shorter question may be about something else: "which image?" and "where does the image go?"
    const likeness = Math.min(
      measureOverlap(later.asked, earlier.asked),
      measureOverlap(earlier.asked, later.asked),
    );
    if (likeness < shared.same) return null;
    return later.answer === earlier.answer ? "repeats" : "contradicts";
  }
  const [short, long] =
    later.words.size < earlier.words.size ? [later.words, earlier.words] : [earlier.words, later.words];
  const part = measureOverlap(short, long);
  if (part * short.size < shared.words || part < shared.ofShorter) return null;
  if (isSwapped(later, earlier, part)) return "contradicts";
  if (later.isRetracting && !earlier.isRetracting) return "contradicts";
  if (part < shared.same) return null;
  const sizes = short.size / long.size;
  if (later.isNegative !== earlier.isNegative && later.rejected.size + earlier.rejected.size === 0)
    return sizes >= shared.ofShorter ? "contradicts" : null;
  if (later.numbers !== earlier.numbers && later.numbers !== "" && earlier.numbers !== "")
    return sizes >= shared.same ? "contradicts" : null;
  return sizes >= shared.same ? "repeats" : null;
}

/** Whether the later one rejects what the earlier one chose, and chooses what that one rejected, if it rejected anything. */
function isSwapped(later: ComparedChoice, earlier: ComparedChoice, part: number): boolean {
  const given = new Set([...later.rejected].filter((word) => !later.chosen.has(word)));
  if (given.size === 0 || measureOverlap(given, earlier.chosen) < shared.same) return false;
  if (earlier.rejected.size === 0) return part >= shared.swapped;
  return measureOverlap(earlier.rejected, later.chosen) >= shared.swapped;
}

/**
 * A note that replaces a decision, or an earlier note, quotes it: `Instead of “We poll every second”: we wait for events.`
 * So does one that rejects it: `Rejected “We poll every second”: it drains the battery.` docs/decisions/0012 says why by its words.
 */
const replacement = /^(?:instead of|rejected) (?:“([\s\S]+?)”|"([\s\S]+?)")\s*:\s*\S/i;

/** The decision that a note replaces, as quoted; null: none. */
export function parseReplacedDecision(note: string): string | null {
  const [, curly, straight] = replacement.exec(note.trim()) ?? [];
  return curly ?? straight ?? null;
}

/** Decisions are quoted by hand, too. */
const normalizeQuote = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "")
    .toLowerCase();

/** A decision or a note, and whose words it is. */
interface StatedChoice {
  text: string;
  /** null: the repository's. */
  by: WordsOrigin["by"] | null;
  author?: string | null | undefined;
  at: number | null;
}

const toNoteStatement = ({ note, source, author, at }: NoteRecord) => ({
  text: note,
  by: toSpeaker(source),
  author: author ?? null,
  at,
});

/** What a note replaces, as quoted; null: nothing, or the words of somebody whom its author does not speak for. */
export function findReplacedText(memory: Memory, note: WordsOrigin & { text: string }): string | null {
  const quoted = parseReplacedDecision(note.text);
  if (quoted === null) return null;
  const meant = [...listStoredDecisions(memory), ...listStoredNotes(memory).map(toNoteStatement)].filter(
    ({ text }) => normalizeQuote(text) === normalizeQuote(quoted),
  );
  return meant.length === 0 || meant.some((earlier) => canReplace(note, earlier)) ? quoted : null;
}

/** @returns the latest note that replaces a statement; null: none does */
export function createReplacementLookup(memory: Memory): (earlier: StatedChoice) => LaterText | null {
  const byText = memory.readOnce("replaced decisions", () => {
    const found = new Map<string, ReturnType<typeof toNoteStatement>[]>();
    for (const note of listStoredNotes(memory)) {
      const replaced = parseReplacedDecision(note.note);
      if (replaced !== null) addTo(found, normalizeQuote(replaced), toNoteStatement(note));
    }
    return found;
  });
  return (earlier) => {
    if (byText.size === 0) return null;
    const quoting = byText.get(normalizeQuote(earlier.text)) ?? [];
    const later = quoting.find((one) => (earlier.at ?? 0) <= one.at && canReplace(one, earlier));
    return later === undefined ? null : { ...later, isStated: true };
  };
}

/** Whether no later note replaced one. */
export function isCurrent(memory: Memory, until: number | null): (note: NoteRecord) => boolean {
  const laterThan = createReplacementLookup(memory);
  return (note) => !isKnown(laterThan(toNoteStatement(note)), until);
}

/** Whether a decision was superseded by then. */
export const isSuperseded = ({ supersededBy }: SessionDecision, until: number | null): boolean =>
  isKnown(supersededBy, until);

const isKnown = (later: { at: number | null } | null, until: number | null): boolean =>
  later !== null && (until === null || (later.at ?? 0) <= until);
