/**
 * An answer in words: what it says, and what each part of it is, for all faces. A feature words its answers once, as documents;
 * the terminal, agents and editors have one renderer each. Renderers make text harmless: whoever words an answer need not.
 */

/** What a piece of text is. A face shows it shows such things. */
export type Role =
  | "strong"
  | "faint"
  | "good"
  | "caution"
  | "place"
  | "id"
  | "commit"
  | "agent"
  | "human"
  | "unknown";

export interface Piece {
  text: string;
  role?: Role;
  /** Somebody's own words, of at most so many characters for an agent: it gets them as a quotation. */
  quotedChars?: number;
  /** The whole hash of the commit that it names. */
  commit?: string;
}

/** A time, as a face shows times: how long ago, and the time itself where there is room for it. */
interface Moment {
  /** ISO 8601. */
  at: string;
  form: "ago" | "exact" | "day";
}

/** A plain string is in Pommel's own words. */
export type Part = string | Piece | Moment;
export type Line = readonly Part[];

export type Block =
  /** What follows the first line of it is indented by `hang`. */
  | { is: "line"; line: Line; indent: number; hang: number }
  | { is: "title"; text: string }
  /** `shown` of the lines are shown in short. */
  | { is: "labelled"; label: string; line: Line }
  /** Somebody's own words, which may be Markdown and any number of lines. */
  | { is: "prompt"; label: string; text: string; shownLines: number }
  /** Lines of a file from its line `first` on, of which `shownLines` are shown in short; the file has `total` of them. */
  | { is: "code"; first: number; lines: readonly string[]; total: number; shownLines: number }
  /** Lines of another version. */
  | { is: "former"; sign: string; lines: readonly string[] };

/** Blocks without a blank line between them. */
export type Paragraph = readonly Block[];
export type Document = readonly Paragraph[];

const piece =
  (role: Role) =>
  (text: string): Piece => ({ text, role });

export const strong = piece("strong");
export const faint = piece("faint");
export const good = piece("good");
export const caution = piece("caution");
export const place = piece("place");
export const id = piece("id");

/** A commit by its short hash, which leads to its page. */
export const makeCommitPiece = (hash: string): Piece => ({
  text: hash.slice(0, 8),
  role: "commit",
  commit: hash,
});

/** Words of somebody else. */
export const quoted = (text: string, quotedChars = 200): Piece => ({ text, quotedChars });

export const line = (...parts: readonly (Part | null | false)[]): Block => ({
  is: "line",
  line: dropMissingParts(parts),
  indent: 0,
  hang: 3,
});

export const indentedLine = (
  indent: number,
  hang: number,
  ...parts: readonly (Part | null | false)[]
): Block => ({ is: "line", line: dropMissingParts(parts), indent, hang });

export const labelled = (label: string, ...parts: readonly (Part | null | false)[]): Block => ({
  is: "labelled",
  label,
  line: dropMissingParts(parts),
});

function dropMissingParts(parts: readonly (Part | null | false)[]): Part[] {
  return parts.flatMap((part) => (part === null || part === false || part === "" ? [] : [part]));
}

/** Facts with a separator between them; those that are missing are left out. */
export function joinParts(parts: readonly (Part | null | false)[], separator = " | "): Part[] {
  return dropMissingParts(parts).flatMap((part, i) => (i === 0 ? [part] : [separator, part]));
}

/** Paragraphs without those that are empty. */
export const makeDocument = (...paragraphs: readonly (Paragraph | null | false)[]): Document =>
  paragraphs.flatMap((one) => (one === null || one === false || one.length === 0 ? [] : [one]));
