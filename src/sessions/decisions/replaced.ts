import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { Memory } from "../../store/memory/memory.ts";

/**
 * A note that replaces a decision, or an earlier note, quotes it: `Instead of “We poll every second”: we wait for events.`
 * So does one that rejects it: `Rejected “We poll every second”: it drains the battery.` docs/decisions/0016 says why by its words.
 */
const replacement = /^(?:instead of|rejected) (?:“([\s\S]+?)”|"([\s\S]+?)")\s*:\s*\S/i;

/** The decision that a note replaces, as quoted; null: none. */
export function replacedIn(note: string): string | null {
  const [, curly, straight] = replacement.exec(note.trim()) ?? [];
  return curly ?? straight ?? null;
}

/** Decisions are quoted by hand, too. */
const key = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "")
    .toLowerCase();

/** The note by which a person replaced a decision later. */
export interface Replacement {
  text: string;
  at: number;
}

/** @returns the note that replaces the decision with these words, made at a time; null: none does */
export function replacements(memory: Memory): (text: string, at: number | null) => Replacement | null {
  const byText = memory.once("replaced decisions", () => {
    const found = new Map<string, Replacement>();
    // The latest first: it wins.
    for (const { note, at } of listAnnotations(memory)) {
      const replaced = replacedIn(note);
      if (replaced !== null && !found.has(key(replaced))) found.set(key(replaced), { text: note, at });
    }
    return found;
  });
  return (text, at) => {
    const later = byText.size === 0 ? undefined : byText.get(key(text));
    return later !== undefined && (at ?? 0) <= later.at ? later : null;
  };
}
