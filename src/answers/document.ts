/**
 * An answer in words: what it says, and what each part of it is, for all faces. A feature words its answers once, as documents;
 * the terminal, agents and editors have one renderer each. The renderers make text harmless, so features need not.
 */
import { shortenHash } from "../base/text/short-hash.ts";
import { formatLineRange } from "../protocol/reading/numbers.ts";
import { formatTurnPlace } from "../protocol/reading/short-id.ts";

/** What a piece of text is. A face shows it shows such things. */
export type Role =
  | "strong"
  | "faint"
  | "good"
  | "caution"
  | "bad"
  | "place"
  | "id"
  /** A command line, to be run again. */
  | "command"
  | "hint"
  | "added"
  | "removed"
  | "commit"
  | "agent"
  | "human"
  | "unknown";

export interface TextPiece {
  text: string;
  /** What a terminal shows instead of `text`, next to a mark that says the rest. */
  short?: string;
  role?: Role;
  /** Somebody's own words. An agent gets at most this many characters of them, as a quotation. */
  quotedChars?: number;
  /** The full hash of the commit that the text names. */
  commit?: string;
  /** The absolute path of the file that the text names. */
  path?: string;
  /** The session that the text names, by its full id, and the turn. */
  session?: { id: string; turn: number | null };
}

/** A time, as a face shows times: how long ago, and the time itself where there is room for it. */
export interface ShownTime {
  /** ISO 8601. */
  at: string;
  form: "ago" | "exact" | "time" | "day" | "age";
  role?: "faint";
}

/** A drawing, which only a terminal shows. */
export type TerminalDrawing =
  | { draw: "bar" | "progress"; share: number; columns: number; role?: "agent" }
  | {
      draw: "authors";
      lines: Readonly<Record<"agent" | "human" | "unknown", number>> & { before_agents?: number };
      columns: number;
    }
  | { draw: "sparkline"; values: readonly number[]; role?: "agent" | "human" };

/** A plain string is in Pommel's own words. */
export type LinePart = string | TextPiece | ShownTime | TerminalDrawing;
export type DocumentLine = readonly LinePart[];

/** A column of a table. */
export interface DocumentColumn {
  title: string;
  /** Numbers stand on the right. */
  isNumber?: boolean;
  /** Wraps at words where the table is wider than the terminal; of several, all get narrower. */
  wraps?: boolean;
  /** Left out where the terminal is too narrow; the highest number goes first. */
  optional?: number;
  /** A terminal leaves the column out if all rows have the same value. */
  isForMixed?: boolean;
  /** Somebody's name: cut on a terminal, shorter where that is narrow. */
  isName?: boolean;
}

/** Lines of a file that one author wrote together. */
interface AnnotatedRange {
  first: number;
  last: number;
  /** In the colour of its role, beside each of its lines on a terminal. */
  mark: TextPiece;
  cells: readonly DocumentLine[];
}

export type DocumentBlock =
  /** If the line is wrapped, its later lines are indented by `hang`. */
  | { is: "line"; line: DocumentLine; indent: number; hang: number }
  /** One of a list: a line in Markdown's lists. */
  | { is: "item"; line: DocumentLine; indent: number; hang: number }
  /** Belongs to the line above, and is never wrapped: a terminal cuts the words that it quotes to fit. */
  | { is: "cut"; line: DocumentLine; indent: number }
  /** Of a part of the answer; a title stands above a few lines of it. */
  | { is: "heading"; text: string }
  | { is: "title"; text: string }
  /** A cell is a line; a terminal shows `shownRows` at first, if there are more. */
  | {
      is: "table";
      columns: readonly DocumentColumn[];
      rows: readonly (readonly DocumentLine[])[];
      shownRows: number | null;
    }
  /**
   * Lines of a file, each with the annotation of its range. A reader who has the file open gets only the ranges, as a table. A
   * terminal shows the legend of the marks below.
   */
  | {
      is: "annotated";
      columns: readonly DocumentColumn[];
      ranges: readonly AnnotatedRange[];
      lines: readonly { line: number; text: string }[];
      legend: DocumentLine;
    }
  /** Somebody's own Markdown. */
  | { is: "passage"; text: string }
  /** `shown` of the lines are shown in short. */
  | { is: "labelled"; label: string; line: DocumentLine }
  /** Somebody's own words, which may be Markdown and any number of lines. */
  | { is: "prompt"; label: string; text: string; shownLines: number }
  /** Lines of a file from its line `first` on, of which `shownLines` are shown in short; the file has `total` of them. */
  | { is: "code"; first: number; lines: readonly string[]; total: number; shownLines: number }
  /** Lines that the reader does not have: of the patch of a file, or of what a file had. */
  | { is: "lines"; lines: readonly string[]; indent?: number; patchOf?: string }
  /** Lines of another version. */
  | { is: "former"; sign: string; lines: readonly string[] };

/** Blocks without a blank line between them. */
export type Paragraph = readonly DocumentBlock[];
export type Document = readonly Paragraph[];

const piece =
  (role: Role) =>
  (text: string): TextPiece => ({ text, role });

export const strong = piece("strong");
export const faint = piece("faint");
export const good = piece("good");
export const caution = piece("caution");
export const bad = piece("bad");
export const place = piece("place");
export const id = piece("id");
export const command = piece("command");
export const hint = piece("hint");

const marks = {
  ok: { text: "✓", role: "good" },
  warn: { text: "!", role: "caution" },
  fail: { text: "✗", role: "bad" },
} as const satisfies Record<string, TextPiece>;
export type TextMark = keyof typeof marks;

/** Before what is well, doubtful or wrong. */
export const mark = (name: TextMark): TextPiece => marks[name];

/** A commit by its short hash, which leads to its page. */
export const makeCommitPiece = (hash: string): TextPiece => ({
  text: shortenHash(hash),
  role: "commit",
  commit: hash,
});

/** A turn of a session by its short name, which leads to it. */
export const makeTurnPiece = (session: string, turn: number | null, role?: Role): TextPiece => ({
  text: formatTurnPlace(session, turn),
  ...(role !== undefined && { role }),
  session: { id: session, turn },
});

/** How long ago something was, beside what matters more; null: not known. */
export const faintlyAgo = (at: string | null): ShownTime | null =>
  at === null ? null : { at, form: "ago", role: "faint" };

/** How long ago something was; null: not known. */
export const ago = (at: string | null): ShownTime | null => (at === null ? null : { at, form: "ago" });

/** A time in full. */
export const exactly = (at: string): ShownTime => ({ at, form: "exact" });

/** "+12 -3" */
export const formatChange = (insertions: number, deletions: number): LinePart[] => [
  { text: `+${insertions}`, role: "added" },
  " ",
  { text: `-${deletions}`, role: "removed" },
];

/** A text made harmless, with the spaces that part it from what is beside it. */
export function keepOuterSpaces(text: string, clean: (text: string) => string): string {
  const [, before = "", inner = "", after = ""] = /^( *)(.*?)( *)$/s.exec(text)!;
  return `${before}${clean(inner)}${after}`;
}

/** Words of somebody else. */
export const quoted = (text: string, quotedChars = 200): TextPiece => ({ text, quotedChars });

type Missing = null | false;

export const heading = (text: string): DocumentBlock => ({ is: "heading", text });
export const title = (text: string): DocumentBlock => ({ is: "title", text });

export const line = (...parts: readonly (LinePart | Missing)[]): DocumentBlock => ({
  is: "line",
  line: dropMissingParts(parts),
  indent: 0,
  hang: 3,
});

export const cutLine = (indent: number, ...parts: readonly (LinePart | Missing)[]): DocumentBlock => ({
  is: "cut",
  line: dropMissingParts(parts),
  indent,
});

/** "  3. prompt": a turn in a list. */
export const labelTurn = (turn: number, ...parts: readonly (LinePart | Missing)[]): DocumentBlock =>
  cutLine(Math.max(0, 3 - `${turn}`.length), id(`${turn}.`), " ", ...parts);

/** @param rows of cells; what is missing in one is left out */
export const table = (
  columns: readonly DocumentColumn[],
  rows: readonly (readonly (LinePart | Missing | readonly (LinePart | Missing)[])[])[],
  shownRows: number | null = null,
): DocumentBlock => ({
  is: "table",
  columns,
  rows: rows.map((row) => row.map((cell) => dropMissingParts(isLine(cell) ? cell : [cell]))),
  shownRows,
});

const isLine = (
  cell: LinePart | Missing | readonly (LinePart | Missing)[],
): cell is readonly (LinePart | Missing)[] => Array.isArray(cell);

/** The ranges of annotated lines, without the lines. */
export const tabulateRanges = ({
  columns,
  ranges,
}: DocumentBlock & { is: "annotated" }): DocumentBlock & { is: "table" } => ({
  is: "table",
  columns: [{ title: "lines" }, ...columns],
  rows: ranges.map(({ first, last, cells }) => [[formatLineRange(first, last)], ...cells]),
  shownRows: null,
});

/** "3 of 12", where not all are shown. */
export const wordShown = (shown: number, total: number, noun = ""): Paragraph =>
  shown < total ? [line(faint(`${shown} of ${total}${noun}`))] : [];

export const indentedLine = (
  indent: number,
  hang: number,
  ...parts: readonly (LinePart | Missing)[]
): DocumentBlock => ({
  is: "line",
  line: dropMissingParts(parts),
  indent,
  hang,
});

/** Below a title: what something is called, and what it is like. */
export const factTable = (
  rows: readonly (readonly [string, ...(LinePart | Missing)[]])[],
): DocumentBlock[] =>
  rows.length === 0
    ? []
    : [
        table(
          [{ title: "" }, { title: "", wraps: true }],
          rows.map(([label, ...value]) => [["  ", faint(label)], value]),
        ),
      ];

/** "✓ It is done." */
export const doneLine = (...parts: readonly (LinePart | Missing)[]): DocumentBlock =>
  line(mark("ok"), " ", ...parts);

export const labelled = (label: string, ...parts: readonly (LinePart | Missing)[]): DocumentBlock => ({
  is: "labelled",
  label,
  line: dropMissingParts(parts),
});

function dropMissingParts(parts: readonly (LinePart | Missing)[]): LinePart[] {
  return parts.filter(
    (part): part is LinePart =>
      part !== null &&
      part !== false &&
      (typeof part === "string" || !("text" in part) || part.text !== "") &&
      part !== "",
  );
}

/** Facts with a separator between them, each of one part or more; those that are missing are left out. */
export function joinParts(
  facts: readonly (LinePart | Missing | readonly (LinePart | Missing)[])[],
  separator: LinePart = " | ",
): LinePart[] {
  return facts
    .map((fact) => dropMissingParts(isLine(fact) ? fact : [fact]))
    .filter((fact) => fact.length > 0)
    .flatMap((fact, i) => (i === 0 ? fact : [separator, ...fact]));
}

/** Paragraphs without those that are empty. */
export const makeDocument = (...paragraphs: readonly (Paragraph | Missing)[]): Document =>
  paragraphs.flatMap((one) => (one === null || one === false || one.length === 0 ? [] : [one]));
