/**
 * The grammar of values from outside: from transcripts, hooks, requests, colleagues' records, imports and backups. An id, a path or
 * a name may become a key, a file's name or a program's argument. If it does not fit, it is refused: it is not stored, and the
 * sender is told. A label is only read by people, so it is cleaned instead. An id that is only compared with others is replaced
 * by a digest if it does not fit.
 */

interface OutsideGrammar {
  /** For messages: "not a session's id". */
  about: string;
  maxChars: number;
  fits(value: string): boolean;
}

/** Makes a grammar. @param all must match the value @param none must not match it */
const makeGrammar = (about: string, maxChars: number, all: RegExp, none?: RegExp): OutsideGrammar => ({
  about,
  maxChars,
  fits: (value) => all.test(value) && !none?.test(value),
});

/** Control characters, characters that change the direction of writing, line separators, tags, halves of surrogate pairs. */
const unwritable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|\p{Cs}/u;
/** The scrubber's marks, which any name may contain. */
const redactionMarks = /\[(?:REDACTED|FORGOTTEN)\w*\]/g;

const grammars = {
  /** An agent's own id; for a subagent `<session>/<agent's id>`. It cannot be an option, and cannot lead out of a directory. */
  session: makeGrammar("a session's id", 300, /^[A-Za-z0-9_](?:[\w.:@+-]|\/(?![/.-]))*$/, /\.\./),
  /** A session as other tools name it: by its id, or by an address. */
  reference: makeGrammar("a session's id or address", 500, /^[A-Za-z0-9_[][\x21-\x7e]*$/, /\/\.\.(?:\/|$)/),
  /** A whole hash. */
  commit: makeGrammar("a commit's hash", 64, /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** A revision that `git rev-parse` accepts. */
  revision: makeGrammar("a commit, a branch or a tag", 500, /^[^-]/s, unwritable),
  /** A branch, by the rules of `git check-ref-format --branch`. */
  branch: {
    about: "a branch's name",
    maxChars: 500,
    fits(value) {
      const name = value.replace(redactionMarks, "x");
      const isRef = !/^[-/@]$|^[-/]|[\s~^:?*[\\]|\.\.|\/\/|@\{|[/.]$|(?:^|\/)\.|\.lock(?:\/|$)/.test(name);
      return name !== "" && isRef && !unwritable.test(name);
    },
  },
  /** A path from the root of a project or repository, which stays within it. */
  file: makeGrammar(
    "a path within the project",
    4096,
    /^[^\0]+$/,
    /^[\\/]|^[A-Za-z]:[\\/]|(?:^|[\\/])\.\.(?:[\\/]|$)|\p{Cs}/u,
  ),
  /** A path anywhere, as a client or a person gives it. */
  place: makeGrammar("a path", 4096, /^[^\0]*$/, /\p{Cs}/u),
  /** The name of a coding agent. */
  agent: makeGrammar("an agent's name", 64, /^[a-z][a-z0-9_-]*$/),
  /** Pommel's own id of a note, a checkpoint, an event or a project. */
  uid: makeGrammar("an id", 100, /^[A-Za-z0-9_][\w.-]*$/, /\.\./),
  /** The id of a line, a message or a tool call, which is only compared with others. */
  id: makeGrammar("an id", 300, /^.+$/s, unwritable),
} satisfies Record<string, OutsideGrammar>;

export type OutsideKind = keyof typeof grammars;

export const outsideKinds = Object.keys(grammars) as OutsideKind[];

export function isValidAs(kind: OutsideKind, value: string): boolean {
  const { maxChars, fits } = grammars[kind];
  return value.length <= maxChars && fits(value);
}

/** "a session's id" */
export const describeKind = (kind: OutsideKind): string => grammars[kind].about;

/** The value; null if there is none, or if it does not fit. */
export const keepIfValid = (kind: OutsideKind, value: string | null | undefined): string | null =>
  value != null && isValidAs(kind, value) ? value : null;

/**
 * The greatest length of each kind of label. Characters. `author` names somebody whose words are shown; `person` is a name from git
 * or another tool.
 */
const maxLabelChars = { author: 80, person: 200, title: 1000, tool: 200, model: 200 } as const;
export type LabelKind = keyof typeof maxLabelChars;

const everyUnwritable = new RegExp(`(?:${unwritable.source})+|\\s+`, "gu");
/** Characters that could end a quotation, a label or a line. An author's name stands in Pommel's own lines, so it has none. */
const everyUnwritableInName = /[\p{C}\p{Z}\s"“”«»<>()[\]{}:;,`|]+/gu;

/** Normalizes letters, except the ellipsis of a cut text, which would become three dots. */
const normalizeLetters = (text: string): string =>
  text
    .split("…")
    .map((part) => part.normalize("NFKC"))
    .join("…");

/**
 * Cleans a label: one line, no invisible characters, not longer than its kind allows. An author's name also loses characters that
 * could look like part of the line around it, and its letters are normalized.
 */
export function cleanLabel(kind: LabelKind, text: string): string {
  const max = maxLabelChars[kind];
  // Do not read a far too long text to its end.
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
