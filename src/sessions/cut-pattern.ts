import { PommelError } from "../project/errors.ts";
import { compilePattern } from "../search/sessions/pattern.ts";

/** Stands for what was cut out. */
export const forgottenMark = "[FORGOTTEN]";

export interface PatternCutter {
  /** The text with `[FORGOTTEN]` in place of everything that the pattern matches. */
  cut(text: string): string;
  /** Places that were cut out since the last time this was asked. */
  takeCount(): number;
}

/**
 * Cuts what a pattern matches out of texts. Letter case counts as in searches by patterns.
 * @throws PommelError `usage` when it is no pattern, or one that matches a text of nothing
 */
export function createPatternCutter(pattern: string): PatternCutter {
  const expression = compilePattern(pattern);
  if (expression.matcher("").find()) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} matches where there is nothing, and so everywhere.`,
      "Give a pattern that matches only what is to be forgotten.",
    );
  }
  let count = 0;
  const cutPart = (text: string): string => {
    const matcher = expression.matcher(text);
    let left = "";
    let at = 0;
    while (matcher.find()) {
      if (matcher.end() === matcher.start()) continue;
      left += text.slice(at, matcher.start()) + forgottenMark;
      at = matcher.end();
      count++;
    }
    return left + text.slice(at);
  };
  return {
    // What was cut out before is not looked at: "gotten" would match it.
    cut: (text) => text.split(forgottenMark).map(cutPart).join(forgottenMark),
    takeCount() {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}
