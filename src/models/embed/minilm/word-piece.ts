/** Sentence marks of BERT's vocabulary. */
const marks = { unknown: "[UNK]", start: "[CLS]", end: "[SEP]" } as const;

/** A longer text is cut before it is looked at: what it has in front fills every token there is. Characters. */
const mostCharacters = 16_384;
/** Longer words are unknown to BERT, whatever they are made of. Characters. */
const longestWord = 100;

/** Punctuation, and ideographs, are words of their own; in ASCII every symbol counts as punctuation. */
const asciiWords = /[!-/:-@[-`{-~]|[0-9a-z]+/g;
const words =
  /[!-/:-@[-`{-~]|\p{P}|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2ceaf}\u{2f800}-\u{2fa1f}]|[^\s!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2ceaf}\u{2f800}-\u{2fa1f}]+/gu;
/** Control, format, private and unassigned characters, half characters, and what stands for lost ones. */
const noise = /(?![\t\n\r])[\p{C}\ufffd]/gu;
const isPlainAscii = /^[\t\n\r -~]*$/;

/**
 * BERT's uncased tokeniser: text without accents and case is cut into words, each word into the longest known pieces
 * from the left (pieces inside a word begin with `##`). The same ids as the model was trained with, so unlike the
 * tokeniser of the static model it knows nothing of identifiers.
 */
export class WordPiece {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #unknown: number;
  readonly #start: number;
  readonly #end: number;

  /** @throws Error when it is not BERT's vocabulary */
  constructor(vocabulary: ReadonlyMap<string, number>) {
    const idOf = (token: string): number => {
      const id = vocabulary.get(token);
      if (id === undefined) throw new Error(`the vocabulary has no ${token}`);
      return id;
    };
    this.#ids = vocabulary;
    this.#unknown = idOf(marks.unknown);
    this.#start = idOf(marks.start);
    this.#end = idOf(marks.end);
  }

  /** The ids of a text between the marks of a sentence, `most` in all; none when there is nothing in it. */
  encode(text: string, most: number): number[] {
    const ids = [this.#start];
    for (const [word] of wordsOf(text)) {
      this.#append(word, ids);
      if (ids.length >= most) break;
    }
    if (ids.length === 1) return [];
    ids.length = Math.min(ids.length, most - 1);
    ids.push(this.#end);
    return ids;
  }

  #append(word: string, ids: number[]): void {
    const whole = this.#ids.get(word);
    if (whole !== undefined) ids.push(whole);
    else ids.push(...(this.#pieces(word) ?? [this.#unknown]));
  }

  /** null when a part of the word is in no piece. */
  #pieces(word: string): number[] | null {
    if (word.length > longestWord && [...word].length > longestWord) return null;
    const pieces: number[] = [];
    for (let start = 0; start < word.length; ) {
      let end = word.length;
      let id: number | undefined;
      for (; end > start; end--) {
        id = this.#ids.get((start > 0 ? "##" : "") + word.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return null;
      pieces.push(id);
      start = end;
    }
    return pieces;
  }
}

/** The words of a text, lower-cased and without accents, as matches. */
function wordsOf(text: string): Iterable<RegExpExecArray> {
  const beginning = text.slice(0, mostCharacters);
  if (isPlainAscii.test(beginning)) return beginning.toLowerCase().matchAll(asciiWords);
  const plain = beginning
    .replace(noise, "")
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  return plain.matchAll(words);
}
