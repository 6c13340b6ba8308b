import type { NearMiss, Reviewer } from "../../redact/review.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessionIdsAfter } from "../../store/memory/privacy/rewrite.ts";
import { findSessionById } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { readStoredTurns } from "../turn-content.ts";
import { cleanLines } from "./redact-stored.ts";

/** What scrubbing again would remove. */
export interface ScrubCheck {
  /** Places by rule, the most frequent first. */
  rules: { rule: string; type: string; places: number }[];
  /** Sessions with any. */
  sessions: number;
}

/** Where a text is stored; null for what is of no session or of no turn. */
interface StoredAt {
  session: string | null;
  turn: number | null;
}

type OnProgress = (done: number, total: number) => void;

/** Finds what the current rules would remove from the store. Changes nothing. */
export function checkMemory(memory: Memory, scrubber: Scrubber, onProgress?: OnProgress): ScrubCheck {
  const places = new Map<string, { rule: string; type: string; places: number }>();
  const sessions = new Set<string>();
  readTexts(
    memory,
    (text, name, { session }) => {
      for (const { rule, type } of scrubber.find(text, name)) {
        const entry = places.get(rule) ?? { rule, type, places: 0 };
        entry.places++;
        places.set(rule, entry);
        if (session !== null) sessions.add(session);
      }
    },
    onProgress,
  );
  return {
    rules: [...places.values()].sort((a, b) => b.places - a.places || (a.rule < b.rule ? -1 : 1)),
    sessions: sessions.size,
  };
}

/** What the current rules nearly remove. */
export interface ScrubReview {
  /** The most secret-looking first. */
  values: (Omit<NearMiss, "score"> & StoredAt & { places: number })[];
  /** How many there are, with those that are not listed. */
  total: number;
}

/** A list for a person to read. */
const maxReviewed = 50;
/** Of more different values, the later ones are only counted. */
const maxKept = 5_000;

/** Finds what the current rules nearly remove. Changes nothing. */
export function reviewMemory(memory: Memory, reviewer: Reviewer, onProgress?: OnProgress): ScrubReview {
  const kept = new Map<string, NearMiss & StoredAt & { places: number }>();
  let total = 0;
  readTexts(
    memory,
    (text, name, at) => {
      for (const miss of reviewer(text, name)) {
        const key = `${miss.rule} ${miss.masked} ${miss.context}`;
        const known = kept.get(key);
        if (known !== undefined) known.places++;
        else {
          total++;
          if (kept.size < maxKept) kept.set(key, { ...miss, ...at, places: 1 });
        }
      }
    },
    onProgress,
  );
  const values = [...kept.values()].sort((a, b) => b.score - a.score || a.places - b.places);
  return { values: values.slice(0, maxReviewed).map(({ score, ...value }) => value), total };
}

/** Hands over every text of the store that is scrubbed. */
function readTexts(
  memory: Memory,
  read: (text: string, name: string | undefined, at: StoredAt) => void,
  onProgress?: OnProgress,
): void {
  const ids = listSessionIdsAfter(memory, 0);
  for (const [done, id] of ids.entries()) {
    onProgress?.(done, ids.length);
    const session = findSessionById(memory, id);
    if (session === null) continue;
    const look =
      (turn: number | null) =>
      (text: string | null, name?: string): string => {
        if (text !== null) read(text, name, { session: session.uid, turn });
        return text ?? "";
      };
    for (const text of [session.title, session.cwd, session.branch]) look(null)(text);
    for (const { lines, branch, number } of readStoredTurns(memory, id)) {
      cleanLines(lines, look(number));
      look(number)(branch);
    }
    for (const { text } of listSummaries(memory, id)) look(null)(text);
  }
  for (const { note, branch } of listStoredNotes(memory)) {
    for (const text of [note, branch])
      if (text !== null) read(text, undefined, { session: null, turn: null });
  }
}
