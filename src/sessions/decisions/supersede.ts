import { contentWords, coverage } from "../summaries/words.ts";

/** A decision, prepared for comparison with others. */
export interface Claim {
  words: ReadonlySet<string>;
  /** The chosen option, and the rejected one: "... instead of X". */
  chosen: ReadonlySet<string>;
  rejected: ReadonlySet<string>;
  isNegative: boolean;
  numbers: string;
  /** Of an answered question, the question and the answer. */
  asked: ReadonlySet<string> | null;
  answer: string;
}

/** Words that two decisions on one subject share at least, and their part of the shorter one. */
const shared = { words: 3, ofShorter: 0.5, same: 0.85, swapped: 0.6 } as const;

const against = /\b(?:instead of|rather than|in place of|as opposed to)\b/i;
const negative = /\b(?:not|never|no longer|don['’]t|doesn['’]t|shouldn['’]t|must(?:n['’]t| not))\b/i;

const number = /\b(?:\d+(?:\.\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|once|twice)\b/gi;

export function claimOf(text: string): Claim {
  const [asked, answer] = text.includes(" → ") ? text.split(" → ", 2) : [null, ""];
  const [chosen = "", rejected = ""] = text.split(against, 2);
  return {
    words: contentWords(text.replace(number, " ")),
    chosen: contentWords(chosen),
    rejected: contentWords(rejected),
    isNegative: negative.test(chosen),
    numbers: (text.toLowerCase().match(number) ?? []).join(" "),
    asked: asked === null ? null : contentWords(asked!),
    answer: answer!.toLowerCase().trim(),
  };
}

/**
 * How a later decision relates to an earlier one. They share a subject when they have at least three distinctive words
 * in common, and half of the shorter one's. Then the later one repeats the earlier, or contradicts it: another answer
 * to the same question, the rejected option instead of the chosen one, a "not" more or less, another number. Null:
 * neither.
 */
export function relationOf(later: Claim, earlier: Claim): "repeats" | "contradicts" | null {
  if (later.asked !== null && earlier.asked !== null) {
    if (coverage(later.asked, earlier.asked) < shared.same) return null;
    return later.answer === earlier.answer ? "repeats" : "contradicts";
  }
  const [short, long] =
    later.words.size < earlier.words.size ? [later.words, earlier.words] : [earlier.words, later.words];
  const part = coverage(short, long);
  if (part * short.size < shared.words || part < shared.ofShorter) return null;
  if (isSwapped(later, earlier, part)) return "contradicts";
  if (part < shared.same) return null;
  const sizes = short.size / long.size;
  if (later.isNegative !== earlier.isNegative && later.rejected.size + earlier.rejected.size === 0)
    return sizes >= shared.ofShorter ? "contradicts" : null;
  if (later.numbers !== earlier.numbers && later.numbers !== "" && earlier.numbers !== "")
    return sizes >= shared.same ? "contradicts" : null;
  return sizes >= shared.same ? "repeats" : null;
}

/** Whether the later one rejects what the earlier one chose, and chooses what that one rejected, if it rejected anything. */
function isSwapped(later: Claim, earlier: Claim, part: number): boolean {
  const given = new Set([...later.rejected].filter((word) => !later.chosen.has(word)));
  if (given.size === 0 || coverage(given, earlier.chosen) < shared.same) return false;
  if (earlier.rejected.size === 0) return part >= shared.swapped;
  return coverage(earlier.rejected, later.chosen) >= shared.swapped;
}
