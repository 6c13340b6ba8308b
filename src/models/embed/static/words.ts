import { detached } from "../../../text/detached.ts";

/** Parts of an identifier: `HTTPServer2` is HTTP, Server, 2. */
export const identifierParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/** The same in any script; ideographs stand alone, scripts without letter case are cut at their blanks only. */
const lettersAnywhere =
  /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[0-9]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{Lo}+/gu;
const isAscii = /^[\x00-\x7f]*$/;

/** Cached runs with their tokens; code repeats itself. */
const maxRemembered = 25_000;
/** Longer ASCII runs are data (base64, hashes). Characters. */
const maxRun = 100;
/** A paragraph without blanks, as in Chinese, is read up to here. Characters. */
const maxParagraphLength = 10_000;

/**
 * Cuts text into the ids of a vocabulary: identifiers into their parts, lower-cased, each part into the longest
 * known pieces from the left (WordPiece, Schuster and Nakajima 2012; pieces inside a word begin with `##`).
 * A part that cannot be covered is left out.
 */
export class Tokenizer {
  private readonly whole = new Map<string, number>();
  private readonly inside = new Map<string, number>();
  private readonly remembered = new Map<string, readonly number[]>();

  constructor(vocabulary: readonly string[]) {
    vocabulary.forEach((token, id) => {
      if (token.startsWith("##")) this.inside.set(token.slice(2), id);
      else this.whole.set(token, id);
    });
  }

  /** Appends the ids of `text` to `ids`, until there are `most`. */
  tokenize(text: string, most: number, ids: number[] = []): number[] {
    let start = -1;
    for (let i = 0; i <= text.length && ids.length < most; i++) {
      if (i < text.length && isWordCharacter(text.charCodeAt(i))) {
        if (start < 0) start = i;
      } else if (start >= 0) {
        for (const id of this.idsOfRun(text.slice(start, i))) {
          if (ids.length < most) ids.push(id);
        }
        start = -1;
      }
    }
    return ids;
  }

  private idsOfRun(run: string): readonly number[] {
    if (run.length > maxRun) return isAscii.test(run) ? [] : this.cut(run.slice(0, maxParagraphLength));
    let ids = this.remembered.get(run);
    if (ids === undefined) {
      ids = this.cut(run);
      if (this.remembered.size >= maxRemembered) this.remembered.clear();
      this.remembered.set(detached(run), ids);
    }
    return ids;
  }

  private cut(run: string): number[] {
    return partsOf(run)
      .filter((part) => part.length <= maxRun)
      .flatMap((part) => this.piecesOf(part));
  }

  private piecesOf(part: string): number[] {
    const whole = this.whole.get(part);
    if (whole !== undefined) return [whole];
    const ids: number[] = [];
    for (let start = 0; start < part.length; ) {
      const pieces = start === 0 ? this.whole : this.inside;
      let end = part.length;
      while (end > start && !pieces.has(part.slice(start, end))) end--;
      if (end === start) return [];
      ids.push(pieces.get(part.slice(start, end))!);
      start = end;
    }
    return ids;
  }
}

/** Letters, digits, `$`, `_` and everything beyond ASCII. */
function isWordCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 36 ||
    code === 95 ||
    code > 127
  );
}

/** The lower-case parts of a run of word characters. */
function partsOf(run: string): string[] {
  if (isAscii.test(run)) return (run.match(identifierParts) ?? []).map((part) => part.toLowerCase());
  const plain = run.normalize("NFD").replace(/\p{Mn}/gu, "");
  return (plain.match(lettersAnywhere) ?? []).map((part) => part.toLowerCase());
}
