import { RE2JS, RE2JSSyntaxException } from "re2js";
import { PommelError } from "../errors.ts";
import { escapeRegExp } from "./escape-reg-exp.ts";

/** The index of the first match; -1 without one. */
export type PatternFinder = (text: string) => number;

/** Literal patterns run on JavaScript's engine in a tenth of the time. */
const plainWords = /^[\w -]+$/;

/**
 * Compiles a user's pattern with RE2, which is linear in the text for every pattern. Case-sensitive only if the pattern
 * has a capital letter.
 * @throws PommelError `usage` when it is invalid
 */
export function compilePattern(pattern: string): PatternFinder {
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

/** A text that means itself, to find all its places, whatever ends their lines. Letter case counts as in a pattern. */
export function compileLiteral(text: string): RegExp {
  const escaped = escapeRegExp(text).replace(/\r?\n/g, "\\r?\\n");
  return new RegExp(escaped, /\p{Lu}/u.test(text) ? "g" : "gi");
}

/** The expression, for finding all matches. */
export function compileExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern, (isExact(pattern) ? 0 : RE2JS.CASE_INSENSITIVE) | RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // Remove our flags from the message.
    const reason = error.message.replace(/^error parsing regexp: /, "").replace(/\(\?[mi]\)/g, "");
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} is not a valid regular expression: ${reason}.`,
      "Use RE2 syntax: no look-around, no back-references.",
      { cause: error },
    );
  }
}
