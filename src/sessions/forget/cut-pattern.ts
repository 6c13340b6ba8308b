import { PommelError } from "../../project/errors.ts";
import { compileExpression } from "../../text/pattern.ts";

/** Replaces the text that was cut out. */
const forgottenMark = "[FORGOTTEN]";

export interface PatternCutter {
  /** The text with `[FORGOTTEN]` in place of everything that the pattern matches. */
  cut(text: string): string;
  /** Places that were cut out since the last time this was asked. */
  takeCount(): number;
}

/**
 * Cuts a pattern's matches out of texts. Letter case counts as in pattern searches.
 * @throws PommelError `usage` for an invalid pattern, or one that matches the empty text
 */
export function createPatternCutter(pattern: string): PatternCutter {
  const find = finderFor(pattern);
  if (find("").length > 0) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} matches empty text, and so everything.`,
      "Use a pattern that matches only what you want to forget.",
    );
  }
  let count = 0;
  const cutPart = (text: string): string => {
    let left = "";
    let at = 0;
    for (const { start, end } of find(text)) {
      if (start === end) continue;
      left += text.slice(at, start) + forgottenMark;
      at = end;
      count++;
    }
    return at === 0 ? text : left + text.slice(at);
  };
  return {
    // Earlier marks are skipped: "gotten" would match them.
    cut: (text) => text.split(forgottenMark).map(cutPart).join(forgottenMark),
    takeCount() {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

interface Place {
  start: number;
  end: number;
}

/** Characters with a meaning of their own in a pattern. */
const syntax = /[\\^$.|?*+()[\]{}]/;

/** Finds a pattern's matches. A literal word is found by the native engine, many times faster. */
function finderFor(pattern: string): (text: string) => Place[] {
  if (pattern !== "" && !syntax.test(pattern)) {
    const word = new RegExp(pattern, /\p{Lu}/u.test(pattern) ? "gu" : "giu");
    return (text) =>
      Array.from(text.matchAll(word), ({ 0: found, index }) => ({ start: index, end: index + found.length }));
  }
  const expression = compileExpression(pattern);
  return (text) => {
    const places: Place[] = [];
    const matcher = expression.matcher(text);
    while (matcher.find()) places.push({ start: matcher.start(), end: matcher.end() });
    return places;
  };
}
