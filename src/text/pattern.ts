import { RE2JS, RE2JSSyntaxException } from "re2js";
import { PommelError } from "../project/errors.ts";

/** Where a pattern matches a text for the first time; -1: nowhere. */
export type Finder = (text: string) => number;

/** Means itself, as a pattern and as one of JavaScript's, where it takes a tenth of the time. */
const plainWords = /^[\w -]+$/;

/**
 * A pattern that people wrote, in RE2's syntax: its time grows with the text only, whatever the pattern. Letter case
 * counts only if the pattern has a capital letter.
 * @throws PommelError `usage` when it is none
 */
export function compilePattern(pattern: string): Finder {
  if (plainWords.test(pattern)) {
    const words = new RegExp(pattern, isExact(pattern) ? "" : "i");
    return (text) => text.search(words);
  }
  const compiled = compileExpression(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? matcher.start() : -1;
  };
}

const isExact = (pattern: string) => /\p{Lu}/u.test(pattern.replace(/\\[A-Za-z]/g, ""));

/** A text that means itself, to find all its places. Letter case counts as in a pattern. */
export function compileLiteral(text: string): RegExp {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(escaped, /\p{Lu}/u.test(text) ? "g" : "gi");
}

/** The same as an expression, for who needs all places that it matches. */
export function compileExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern, (isExact(pattern) ? 0 : RE2JS.CASE_INSENSITIVE) | RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // It is shown with our flags in front.
    const reason = error.message.replace(/^error parsing regexp: /, "").replace(/\(\?[mi]\)/g, "");
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} is not a valid regular expression: ${reason}.`,
      "Use RE2 syntax: no look-around, no back-references.",
      { cause: error },
    );
  }
}
