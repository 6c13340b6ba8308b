const asciiCodes = 128;
const notInWords = /[^A-Za-z0-9]/;

/**
 * Any of some words or phrases in a text: whole words, in any case, with any white space between them. A regular expression of dozens
 * of phrases tries each of them at each letter; this one is tried only where a word begins with the same two letters as one of them.
 */
export class WordPattern {
  private readonly pattern: RegExp;
  /** For the codes of two characters of ASCII, whether one of the phrases may begin with them. */
  private readonly beginnings = new Uint8Array(asciiCodes * asciiCodes);

  /**
   * @param phrases `_` matches any apostrophe or none, `*` the rest of a word
   * @param plain phrases that are meant as they are written
   */
  constructor(phrases: readonly string[], plain: readonly string[] = []) {
    const ours = phrases.map((word) =>
      escapePhrase(word).replaceAll("_", "['’]?").replaceAll("*", "[\\p{L}-]*"),
    );
    const theirs = plain
      .map((word) => escapePhrase(word).replaceAll("*", "\\*"))
      .filter((word) => word !== "");
    const any = [...ours, ...theirs].join("|");
    this.pattern = new RegExp(
      `(?<![\\p{L}\\p{N}_])(?:${any === "" ? "(?!)" : any})(?![\\p{L}\\p{N}_])`,
      "iuy",
    );
    for (const phrase of [...phrases, ...plain]) this.noteBeginning(phrase.trim());
  }

  get source(): string {
    return this.pattern.source;
  }

  isIn(text: string): boolean {
    return this.findFrom(text, 0) !== null;
  }

  /** How many different ones a text has, up to `enough`. */
  countDistinct(text: string, enough: number): number {
    const found = new Set<string>();
    for (let match = this.findFrom(text, 0); match !== null; match = this.findFrom(text, match.end)) {
      found.add(match.text.toLowerCase());
      if (found.size >= enough) break;
    }
    return found.size;
  }

  private noteBeginning(phrase: string): void {
    const [first = "", second = ""] = phrase;
    for (const one of [first.toLowerCase(), first.toUpperCase()]) {
      if (one.length !== 1 || one.charCodeAt(0) >= asciiCodes) continue;
      const row = one.charCodeAt(0) * asciiCodes;
      // An apostrophe may be there or not, and white space be any.
      if (second === "" || notInWords.test(second)) this.beginnings.fill(1, row, row + asciiCodes);
      else
        for (const next of [second.toLowerCase(), second.toUpperCase()])
          this.beginnings[row + next.charCodeAt(0)] = 1;
    }
  }

  private findFrom(text: string, from: number): { text: string; end: number } | null {
    let isInWord = from > 0 && isWordCode(text.charCodeAt(from - 1));
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const wasInWord = isInWord;
      isInWord = isWordCode(code);
      if (wasInWord) continue;
      const next = at + 1 < text.length ? text.charCodeAt(at + 1) : asciiCodes;
      // Of other letters than those of ASCII nothing is known.
      const mayBegin =
        code >= asciiCodes ||
        (next >= asciiCodes ? this.beginsWith(code) : this.beginnings[code * asciiCodes + next] === 1);
      if (!mayBegin) continue;
      this.pattern.lastIndex = at;
      const match = this.pattern.exec(text);
      if (match !== null) return { text: match[0], end: this.pattern.lastIndex };
    }
    return null;
  }

  private beginsWith(code: number): boolean {
    return this.beginnings.subarray(code * asciiCodes, (code + 1) * asciiCodes).includes(1);
  }
}

/** A letter of ASCII, a digit or `_`. */
const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;

const escapePhrase = (word: string): string =>
  word
    .trim()
    .replace(/[.+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/\s+/g, "\\s+");
