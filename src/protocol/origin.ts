import { cleanLabel } from "./outside.ts";

/** Says whose words a text is, in the same words for all faces. Agents get only a person's own words as the person's. */

/** Who said something, as seen from the machine that recorded it. A tool is anything that is neither a person nor an agent. */
export const speakers = ["person", "agent", "tool"] as const;
export type Speaker = (typeof speakers)[number];

/** Where a note was written. prompt, shell: by a person, also on the page. agent: in its shell or by a tool. tool: a script, a file. */
export const noteSources = ["prompt", "shell", "agent", "tool"] as const;
export type NoteSource = (typeof noteSources)[number];

export const toSpeaker = (source: NoteSource): Speaker =>
  source === "prompt" || source === "shell" ? "person" : source;

/** The origins that answers name. A colleague's words also have the field `author`. */
export const origins = ["yours", "colleague", "agent", "tool"] as const;
export type Origin = (typeof origins)[number];

export interface WordsOrigin {
  by: Speaker;
  /** The colleague who shared the words; null or left out: this person recorded them. */
  author?: string | null | undefined;
}

export const toOrigin = ({ by, author }: WordsOrigin): Origin =>
  author != null ? "colleague" : by === "person" ? "yours" : by;

/**
 * Whether later words can replace earlier ones. A person's words can be replaced by the same person's and by yours; an agent's or
 * a tool's by anyone's.
 * @param earlier `by` is null if the words stand in the repository
 */
export const canReplace = (
  later: WordsOrigin,
  earlier: { by: Speaker | null; author?: string | null | undefined },
): boolean =>
  toOrigin(later) === "yours" ||
  earlier.by === "agent" ||
  earlier.by === "tool" ||
  (later.by === earlier.by && later.author === earlier.author);

/** Who reads: the person whose memory it is, an agent that works for this person, or anybody who gets a file or a review. */
export type Readership = "person" | "agent" | "reader";

const persons: Readonly<Record<Readership, string>> = {
  person: "Your",
  agent: "User's",
  reader: "A person's",
};

/**
 * "Your note", "An agent's note", "Note by ann, a colleague". The colleague's name stands in a place where no name can turn the
 * label into that of the person's own words.
 */
export function labelWords(
  thing: "note" | "decision",
  { by, author }: WordsOrigin,
  reader: Readership,
): string {
  if (author != null) {
    const whose = { person: "", agent: "an agent of ", tool: "a tool of " }[by];
    return `${thing === "note" ? "Note" : "Decision"} by ${whose}${nameAuthor(author)}, a colleague`;
  }
  return `${{ person: persons[reader], agent: "An agent's", tool: "Another tool's" }[by]} ${thing}`;
}

/** The same label for a note, derived from where the note was written. */
export const labelNote = (
  { source, author }: { source: NoteSource; author?: string | null | undefined },
  reader: Readership,
): string => labelWords("note", { by: toSpeaker(source), author }, reader);

/** "shared by ann", for sessions and their content; "" if they were recorded here. */
export const formatSharedBy = (author: string | null | undefined): string =>
  author == null ? "" : `shared by ${nameAuthor(author)}`;

/** Cleans a name again: names are cleaned when they arrive, but a memory from elsewhere may contain any. */
const nameAuthor = (author: string): string => cleanLabel("author", author) || "unknown";
