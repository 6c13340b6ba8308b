import { PommelError } from "../../../base/errors.ts";
import { compileExpression, compileLiteral } from "../../../base/text/pattern.ts";
import { type HeldWord, listHeldWords } from "../../../base/text/tokens.ts";
import type { MatchMode } from "../../../protocol/values.ts";
import { findRequiredTexts } from "./required-texts.ts";

/** What is searched word by word. */
export interface VerbatimQuery {
  query: string;
  match?: MatchMode | undefined;
}

/** Text that a result must contain literally. Its time grows linearly with the text. */
export interface Matcher {
  /** Why a result is there, for its reader. */
  reason: string;
  /** The words of it, to rank by. */
  text: string;
  /** Texts that are part of every match, letter case aside. */
  parts: readonly string[];
  /** Those of them that every match has in these very bytes, letter case aside, if its encoding is one of ASCII and more. */
  bytes: readonly string[];
  /** Words in every text that matches. */
  words: readonly HeldWord[];
  /** How many steps a character takes at most: a pattern of 1,000 repetitions has as many states to go on from. */
  cost: number;
  /** Start and end (exclusive) of each match, in order. UTF-16 offsets. */
  matchesIn: (text: string) => Iterable<readonly [number, number]>;
  /** Whether it may contain values that the program fills in: then a template matches if no text has it literally. */
  mayBeRendered: boolean;
}

/** JavaScript's engine refuses much longer ones. Characters. */
const maxLength = 10_000;

/**
 * The texts that every result of a query must contain: all of it, or its parts in double quotes.
 * @throws PommelError `usage` for an invalid pattern, or one that is too long
 */
export function buildMatchers({ query, match }: VerbatimQuery): Matcher[] {
  if (match !== undefined && query.length > maxLength) {
    throw new PommelError(
      "usage",
      "The text or pattern has more than 10,000 characters.",
      "Search for a part of it.",
    );
  }
  if (match === "regex") return [createPatternMatcher(query)];
  if (match === "exact") return [createLiteralMatcher(query, { mayBeRendered: false })];
  return parseQuotedParts(query).map((text) => createLiteralMatcher(text, { mayBeRendered: true }));
}

/** A text as it is; letter case counts only if it has a capital letter. */
function createLiteralMatcher(text: string, options: { mayBeRendered: boolean }): Matcher {
  const literal = compileLiteral(text);
  // Files end their lines in one way or the other.
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return {
    ...options,
    reason: `contains ${JSON.stringify(text)}`,
    text,
    parts: lines,
    bytes: lines.filter(isAscii),
    words: listHeldWords(text),
    cost: 1,
    matchesIn: (searched) => findLiteralMatches(searched, text, literal),
  };
}

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);

function* findLiteralMatches(
  searched: string,
  text: string,
  literal: RegExp,
): Generator<readonly [number, number]> {
  // In a text of the same length a substring is found some ten times faster, letter case aside.
  const lower = searched.toLowerCase();
  if (!isAscii(text) || text.includes("\n") || lower.length !== searched.length) {
    for (const { index, 0: found } of searched.matchAll(literal)) yield [index, index + found.length];
    return;
  }
  const wanted = text.toLowerCase();
  for (let at = lower.indexOf(wanted); at >= 0; ) {
    const end = at + wanted.length;
    literal.lastIndex = 0;
    // Letter case may count, and some letters of no ASCII are ASCII in lower case.
    const isMatch = literal.test(searched.slice(at, end));
    if (isMatch) yield [at, end];
    at = lower.indexOf(wanted, isMatch ? end : at + 1);
  }
}

/**
 * A pattern in RE2's syntax.
 * @throws PommelError `usage` if it is invalid
 */
function createPatternMatcher(pattern: string): Matcher {
  const expression = compileExpression(pattern);
  const required = findRequiredTexts(pattern);
  const lowered = required.map((part) => part.toLowerCase());
  return {
    mayBeRendered: false,
    reason: `matches /${pattern}/`,
    text: required.join(" "),
    parts: required,
    // RE2 takes the sign of kelvin for a k as well.
    bytes: required.filter((part) => isAscii(part) && !/k/i.test(part)),
    words: required.flatMap(listHeldWords),
    cost: expression.programSize(),
    *matchesIn(searched) {
      // A substring is found some hundred times faster than a pattern.
      const lower = searched.toLowerCase();
      if (!lowered.every((part) => lower.includes(part))) return;
      const matcher = expression.matcher(searched);
      while (matcher.find()) yield [matcher.start(), matcher.end()];
    },
  };
}

/** The same where nothing is found by meaning: words without quotes must be there, too. */
export function buildWordMatchers(query: VerbatimQuery): Matcher[] {
  if (query.match !== undefined) return buildMatchers(query);
  const words = query.query
    .replace(/"[^"]*"/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "");
  return [
    ...buildMatchers(query),
    ...words.map((word) => createLiteralMatcher(word, { mayBeRendered: false })),
  ];
}

/** A query that is a text in quotes, or several, and nothing else. */
export const isWhollyQuoted = (query: VerbatimQuery): boolean =>
  query.match === undefined && query.query.includes('"') && !canBeErrorMessage(query);

/** A query that has words outside of its quotes may be a message whose quotes are its own. */
export function canBeErrorMessage({ query, match }: VerbatimQuery): boolean {
  return match === undefined && /\w/.test(query.replace(/"[^"]*"/g, ""));
}

/** The quoted parts of a query, in double quotes. */
function parseQuotedParts(query: string): string[] {
  return [...query.matchAll(/"([^"]*)"/g)]
    .map(([, text]) => text!.trim())
    .filter((text) => text !== "" && text.length <= maxLength);
}
