import { memoize } from "../../../base/text/memoize.ts";
import { splitRuns } from "../../../base/text/runs.ts";
import { isAscii } from "../../../base/text/tokens.ts";

/** Parts of an identifier: `HTTPServer2` is HTTP, Server, 2. */
export const identifierParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/** The same in any script; ideographs stand alone, scripts without letter case are cut at their blanks only. */
const lettersAnywhere =
  /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[0-9]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{Lo}+/gu;

/** Runs, and parts, that are remembered with their tokens; code repeats itself. */
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
  private readonly cutKnown = memoize(maxRemembered, (run) => this.cut(run));
  /** Of a part that is no token itself. */
  private readonly piecesOfPart = memoize(maxRemembered, (part) => this.cutPart(part));

  constructor(vocabulary: readonly string[]) {
    vocabulary.forEach((token, id) => {
      if (token.startsWith("##")) this.inside.set(token.slice(2), id);
      else this.whole.set(token, id);
    });
  }

  /** Appends the ids of `text` to `ids`, until there are `most`. */
  tokenize(text: string, most: number, ids: number[] = []): number[] {
    for (const run of splitRuns(text)) {
      for (const id of this.tokenizeRun(run)) {
        if (ids.length >= most) return ids;
        ids.push(id);
      }
    }
    return ids;
  }

  private tokenizeRun(run: string): readonly number[] {
    return run.length > maxRun ? this.cut(run) : this.cutKnown(run);
  }

  /** The ids of a run of word characters. */
  cut(run: string): number[] {
    if (run.length > maxRun && isAscii(run)) return [];
    return splitRun(run.slice(0, maxParagraphLength))
      .filter((part) => part.length <= maxRun)
      .flatMap((part) => this.findPieces(part));
  }

  private findPieces(part: string): readonly number[] {
    const whole = this.whole.get(part);
    return whole === undefined ? this.piecesOfPart(part) : [whole];
  }

  private cutPart(part: string): number[] {
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

/** The lower-case parts of a run of word characters. */
function splitRun(run: string): string[] {
  if (isAscii(run)) return (run.match(identifierParts) ?? []).map((part) => part.toLowerCase());
  const plain = run.normalize("NFD").replace(/\p{Mn}/gu, "");
  return (plain.match(lettersAnywhere) ?? []).map((part) => part.toLowerCase());
}
