import { createHash } from "node:crypto";
import { wholeCharacters } from "../../text/text-size.ts";

/** Milestones that users write down: "Note to Pommel: ...", anywhere in a prompt, to the end of its line. */

/** Characters of a note that are kept. */
export const maxNoteLength = 2_000;

/** Marks around it, as in `**Note to Pommel:** ...`, are not part of it. */
const noteLine = /(?<![\p{L}\p{N}_])note[ \t]+to[ \t]+pommel[ \t]*[*_]*[ \t]*[:：](.*)$/gimu;

/** The notes of a prompt, in order, trimmed; empty ones are ignored. */
export function notesIn(prompt: string): string[] {
  const notes: string[] = [];
  for (const [whole, rest = ""] of prompt.matchAll(noteLine)) {
    const marked = /[*_][ \t]*[:：]/.test(whole.slice(0, whole.length - rest.length));
    const note = (marked ? rest : rest.replace(/^[*_]+(?=\s|$)/, "")).trim();
    if (note !== "") notes.push(wholeCharacters(note.slice(0, maxNoteLength)).trimEnd());
  }
  return notes;
}

/**
 * Whether two notes are equal. Placeholders of secrets are numbered per scrubbed text, and a hook scrubs a prompt
 * alone.
 */
export function isSameNote(one: string, other: string): boolean {
  return one === other || withoutNumbers(one) === withoutNumbers(other);
}

function withoutNumbers(note: string): string {
  return note.replace(/(\[REDACTED_[A-Z0-9_]*?)_\d+\]/g, "$1]");
}

/**
 * The same for the same note, whether it comes from a hook or from the transcript.
 * @param ordinal how many notes with the same words the session had before
 */
export function annotationUid(sessionUid: string, note: string, ordinal: number): string {
  return createHash("sha256")
    .update(JSON.stringify([sessionUid, withoutNumbers(note), ordinal]))
    .digest("hex")
    .slice(0, 32);
}
