import { cleanLabel } from "./outside.ts";

/** Whose words something is, worded once for every face. Only a person's own are handed to agents as the person's. */

/** Who said it on the machine that recorded it; a tool is whatever is neither a person at work nor an agent. */
export const speakers = ["person", "agent", "tool"] as const;
export type Speaker = (typeof speakers)[number];

/** Where a note was written: a person's prompt, a person's shell or page; an agent's shell or tool; a script, another tool's file. */
export const noteSources = ["prompt", "shell", "agent", "tool"] as const;
export type NoteSource = (typeof noteSources)[number];

export const toSpeaker = (source: NoteSource): Speaker =>
  source === "prompt" || source === "shell" ? "person" : source;

/** As answers name it; a colleague's comes with the field `author`. */
export const origins = ["yours", "colleague", "agent", "tool"] as const;
export type Origin = (typeof origins)[number];

export interface Words {
  by: Speaker;
  /** The colleague who shared it; null or left out: recorded by this person. */
  author?: string | null | undefined;
}

export const toOrigin = ({ by, author }: Words): Origin =>
  author != null ? "colleague" : by === "person" ? "yours" : by;

/**
 * Whether later words can take the place of earlier ones: a person's give way to the same person's and to yours, an agent's and a
 * tool's to anyone's.
 * @param earlier `by` is null where the repository says it
 */
export const canReplace = (
  later: Words,
  earlier: { by: Speaker | null; author?: string | null | undefined },
): boolean =>
  toOrigin(later) === "yours" ||
  earlier.by === "agent" ||
  earlier.by === "tool" ||
  (later.by === earlier.by && later.author === earlier.author);

/** Who reads it: the person whose memory it is, an agent that works for that person, or whoever gets a file or a review. */
export type Reader = "person" | "agent" | "reader";

const persons: Readonly<Record<Reader, string>> = { person: "Your", agent: "User's", reader: "A person's" };

/**
 * "Your note", "An agent's note", "Note by ann, a colleague". A colleague's name stands where no name can make it the label of the
 * person's own words.
 */
export function labelWords(thing: "note" | "decision", { by, author }: Words, reader: Reader): string {
  if (author != null) {
    const whose = { person: "", agent: "an agent of ", tool: "a tool of " }[by];
    return `${thing === "note" ? "Note" : "Decision"} by ${whose}${nameAuthor(author)}, a colleague`;
  }
  return `${{ person: persons[reader], agent: "An agent's", tool: "Another tool's" }[by]} ${thing}`;
}

/** The same of a note, from where it was written. */
export const labelNote = (
  { source, author }: { source: NoteSource; author?: string | null | undefined },
  reader: Reader,
): string => labelWords("note", { by: toSpeaker(source), author }, reader);

/** "shared by ann": of sessions and what stands in them; "" for what was recorded here. */
export const formatSharedBy = (author: string | null | undefined): string =>
  author == null ? "" : `shared by ${nameAuthor(author)}`;

/** Cleaned where it came in; a memory from before, or from elsewhere, may hold any. */
const nameAuthor = (author: string): string => cleanLabel("author", author) || "unknown";
