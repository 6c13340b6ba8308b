import languages from "./other-languages.json" with { type: "json" };

/**
 * Choices that a person types in a language other than English: few ways to put one, each by a table of words. As in English, what
 * asks, doubts, plans or reports is none (choice.ts). In the tables, words are whole ones where a language puts spaces between
 * them; `*` stands for any ending.
 */
interface ChoiceLanguage {
  /** Puts no spaces between words. */
  isUnspaced?: boolean;
  /** Stands before a colon: "Beslutning: ...". */
  marker: string;
  /** Says that it was decided: "vi har besluttet". */
  declared: string;
  /** Asks for it: "lad os bruge". */
  adopting: string;
  contrast: string;
  reason: string;
  /** What is not settled, or is told. */
  open: string;
}

/** Letters of languages that put no spaces between words, where four are about one word. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const limits = { minWords: 5, maxWords: 70, minUnspaced: 8, maxCharacters: 700 } as const;

const patterns = Object.values<ChoiceLanguage>(languages).map((language) => {
  const isSpaced = language.isUnspaced !== true;
  const whole = (words: string, before = "", after = "") => {
    const source = words.replaceAll("*", isSpaced ? "\\p{L}*" : "");
    return new RegExp(
      isSpaced ? `${before}(?<![\\p{L}])(?:${source})(?![\\p{L}])${after}` : `${before}(?:${source})${after}`,
      "iu",
    );
  };
  return {
    marker: whole(language.marker, "^[\\s#>*-]*", "\\s*[:：]\\s*\\S"),
    chooses: whole(`${language.declared}|${language.adopting}`),
    declared: whole(language.declared),
    adopting: whole(language.adopting),
    contrast: whole(language.contrast),
    reason: whole(language.reason),
    open: whole(language.open),
  };
});

/** Whether a sentence that a person typed chooses, in one of these languages. */
export function isChoiceElsewhere(sentence: string): boolean {
  if (
    sentence.length > limits.maxCharacters ||
    /[?？]["'»”」）)\s]*$/.test(sentence) ||
    sentence.startsWith("<")
  )
    return false;
  const words = sentence.split(/\s+/).length;
  const isLong = words >= limits.minWords || (sentence.match(unspaced)?.length ?? 0) >= limits.minUnspaced;
  if (!isLong || words > limits.maxWords) return false;
  return patterns.some(({ marker, chooses, declared, adopting, contrast, reason, open }) => {
    if (marker.test(sentence)) return true;
    if (!chooses.test(sentence) || open.test(sentence)) return false;
    return (
      declared.test(sentence) ||
      (adopting.test(sentence) && (contrast.test(sentence) || reason.test(sentence)))
    );
  });
}
