/**
 * The grammar of what comes from outside: transcripts, hooks, requests, colleagues' records, imports, backups. An id, a path
 * or the name of something becomes a key, a file's name or a program's argument, so one that does not fit is refused: it
 * is stored nowhere, and whoever gave it is told. A label is read by people only, so it is cleaned. An id that serves
 * nothing but to find its equal again is replaced by a digest where it does not fit.
 */

interface Grammar {
  /** For messages: "not a session's id". */
  about: string;
  maxChars: number;
  fits(value: string): boolean;
}

/** A grammar is one expression for what must be there, and one for what must not. */
const makeGrammar = (about: string, maxChars: number, all: RegExp, none?: RegExp): Grammar => ({
  about,
  maxChars,
  fits: (value) => all.test(value) && !none?.test(value),
});

/** Control characters, those that turn the direction of writing, line separators, tags, halves of surrogate pairs. */
const unwritable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|\p{Cs}/u;
/** The scrubber's marks may stand in any name. */
const redactionMarks = /\[(?:REDACTED|FORGOTTEN)\w*\]/g;

const grammars = {
  /** An agent's own id; of a subagent `<session>/<agent's id>`. Neither an option nor a way out of a directory. */
  session: makeGrammar("a session's id", 300, /^[A-Za-z0-9_](?:[\w.:@+-]|\/(?![/.-]))*$/, /\.\./),
  /** A session as other tools name it: by its id, or by an address. */
  reference: makeGrammar("a session's id or address", 500, /^[A-Za-z0-9_[][\x21-\x7e]*$/, /\/\.\.(?:\/|$)/),
  /** A whole hash. */
  commit: makeGrammar("a commit's hash", 64, /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** What `git rev-parse` reads. */
  revision: makeGrammar("a commit, a branch or a tag", 500, /^[^-]/s, unwritable),
  /** As `git check-ref-format --branch` has it. */
  branch: {
    about: "a branch's name",
    maxChars: 500,
    fits(value) {
      const name = value.replace(redactionMarks, "x");
      const isRef = !/^[-/@]$|^[-/]|[\s~^:?*[\\]|\.\.|\/\/|@\{|[/.]$|(?:^|\/)\.|\.lock(?:\/|$)/.test(name);
      return name !== "" && isRef && !unwritable.test(name);
    },
  },
  /** From the root of a project or repository, within it. */
  file: makeGrammar(
    "a path within the project",
    4096,
    /^[^\0]+$/,
    /^[\\/]|^[A-Za-z]:[\\/]|(?:^|[\\/])\.\.(?:[\\/]|$)|\p{Cs}/u,
  ),
  /** A path anywhere, as a client or a person gives it. */
  place: makeGrammar("a path", 4096, /^[^\0]*$/, /\p{Cs}/u),
  /** Of a coding agent. */
  agent: makeGrammar("an agent's name", 64, /^[a-z][a-z0-9_-]*$/),
  /** Pommel's own: of a note, a checkpoint, an event, a project. */
  uid: makeGrammar("an id", 100, /^[A-Za-z0-9_][\w.-]*$/, /\.\./),
  /** Of a line, a message, a tool call: it only finds its equal again. */
  id: makeGrammar("an id", 300, /^.+$/s, unwritable),
} satisfies Record<string, Grammar>;

export type OutsideKind = keyof typeof grammars;

export const outsideKinds = Object.keys(grammars) as OutsideKind[];

export function isValidAs(kind: OutsideKind, value: string): boolean {
  const { maxChars, fits } = grammars[kind];
  return value.length <= maxChars && fits(value);
}

/** "a session's id" */
export const describeKind = (kind: OutsideKind): string => grammars[kind].about;

/** The value; null where there is none, or it does not fit. */
export const keepIfValid = (kind: OutsideKind, value: string | null | undefined): string | null =>
  value != null && isValidAs(kind, value) ? value : null;

/**
 * Labels, by how long they may be. Characters. `author` is the name of somebody whose words are shown, `person` of somebody as git or
 * another tool has it.
 */
const maxLabelChars = { author: 80, person: 200, title: 1000, tool: 200, model: 200 } as const;
export type LabelKind = keyof typeof maxLabelChars;

const everyUnwritable = new RegExp(`(?:${unwritable.source})+|\\s+`, "gu");
/** What a name has none of, for it says in a line of ours whose words they are: what ends a quotation, a label or a line. */
const everyUnwritableInName = /[\p{C}\p{Z}\s"“”«»<>()[\]{}:;,`|]+/gu;

/** Each letter in one form; the mark of what was cut off stays one, which would become three dots. */
const normalizeLetters = (text: string): string =>
  text
    .split("…")
    .map((part) => part.normalize("NFKC"))
    .join("…");

/**
 * A label in one line, without what no one can see, and no longer than its kind. Of an author's name also without what reads
 * like a part of the line around it, and with each letter in one form only.
 */
export function cleanLabel(kind: LabelKind, text: string): string {
  const max = maxLabelChars[kind];
  // What is far too long is not read to its end.
  const beginning = text.slice(0, 4 * max);
  const line = (
    kind === "author"
      ? normalizeLetters(beginning).replace(everyUnwritableInName, " ")
      : beginning.replace(everyUnwritable, " ")
  ).trim();
  return line.length <= max
    ? line
    : line
        .slice(0, max)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd();
}
