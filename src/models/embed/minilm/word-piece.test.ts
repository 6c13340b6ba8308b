import { describe, expect, it } from "vitest";
import { WordPiece } from "./word-piece.ts";

/** A part of BERT's uncased vocabulary, with the ids that its tokens have there. */
const vocabulary = new Map<string, number>([
  ["[PAD]", 0],
  ["[UNK]", 100],
  ["[CLS]", 101],
  ["[SEP]", 102],
  ["hello", 7592],
  ["world", 2088],
  ["una", 14477],
  ["##ffa", 20961],
  ["##ble", 3468],
  ["don", 2123],
  ["t", 1056],
  ["'", 1005],
  ["!", 999],
  [",", 1010],
  [".", 1012],
  ["_", 1035],
  ["=", 1027],
  ["3", 1017],
  ["14", 2403],
  ["get", 2131],
  ["user", 5310],
  ["##user", 20330],
  ["naive", 15743],
  ["中", 1746],
  ["国", 1799],
  ["…", 1529],
  ["а", 1180],
  ["##б", 29740],
]);
const tokenizer = new WordPiece(vocabulary);

function ids(text: string, most = 256): number[] {
  const encoded = tokenizer.encode(text, most);
  expect(encoded[0]).toBe(101);
  expect(encoded.at(-1)).toBe(102);
  return encoded.slice(1, -1);
}

describe("WordPiece", () => {
  it("puts a text between the marks of a sentence, in lower case", () => {
    expect(tokenizer.encode("Hello WORLD", 256)).toEqual([101, 7592, 2088, 102]);
  });

  it("cuts a word into the longest pieces from the left", () => {
    expect(ids("unaffable")).toEqual([14477, 20961, 3468]);
    expect(ids("getUser")).toEqual([2131, 20330]);
  });

  it("does not know a word whose rest is in no piece, but the others around it", () => {
    expect(ids("hello unaffablez world")).toEqual([7592, 100, 2088]);
  });

  it("takes every punctuation mark for a word, and in ASCII every symbol", () => {
    expect(ids("don't")).toEqual([2123, 1005, 1056]);
    expect(ids("hello,world!3.14")).toEqual([7592, 1010, 2088, 999, 1017, 1012, 2403]);
    expect(ids("get_user=3")).toEqual([2131, 1035, 5310, 1027, 1017]);
    expect(ids("hello…world")).toEqual([7592, 1529, 2088]);
    // Not so beyond: a euro sign belongs to its word.
    expect(ids("hello€")).toEqual([100]);
  });

  it("drops accents, however they are written", () => {
    expect(ids("Naïve")).toEqual([15743]);
    expect(ids("nai\u0308ve")).toEqual([15743]);
    expect(ids("héllo wörld")).toEqual([7592, 2088]);
  });

  it("takes every ideograph for a word, and other scripts as words", () => {
    expect(ids("中国hello")).toEqual([1746, 1799, 7592]);
    expect(ids("\u{20000}中")).toEqual([100, 1746]);
    expect(ids("АБ")).toEqual([1180, 29740]);
  });

  it("drops control characters, half characters and what stands for lost ones; blanks separate", () => {
    expect(ids("hel\0lo\u200b wor\ud800ld\ufffd")).toEqual([7592, 2088]);
    expect(ids("hel\x0clo\x7f")).toEqual([7592]);
    expect(ids("hello\t\r\nworld")).toEqual([7592, 2088]);
    expect(ids("hello\u00a0world\u3000hello")).toEqual([7592, 2088, 7592]);
  });

  it("has the same tokens on the quick path for ASCII as on the other", () => {
    const text = "get_user(3.14) != 'hello';\n\tdon't[world]{unaffable}~`^|\\/ <>@#$%&*-+\"?";
    expect(ids(`${text} 中`)).toEqual([...ids(text), 1746]);
  });

  it("gives nothing for a text with nothing in it", () => {
    for (const text of ["", " \n\t", "\0\u200b", "\ud800"]) expect(tokenizer.encode(text, 256)).toEqual([]);
  });

  it("cuts a text that is too long, and keeps the mark of the end", () => {
    expect(tokenizer.encode("hello ".repeat(10), 5)).toEqual([101, 7592, 7592, 7592, 102]);
    expect(tokenizer.encode("hello hello hello", 5)).toEqual([101, 7592, 7592, 7592, 102]);
    expect(tokenizer.encode("hello unaffable", 4)).toEqual([101, 7592, 14477, 102]);
    expect(tokenizer.encode("hello hello", 5)).toEqual([101, 7592, 7592, 102]);
  });

  it("does not know words of more than a hundred characters", () => {
    const known = new WordPiece(
      new Map([...vocabulary, ["a", 1], ["##a", 2], ["\u{1d538}", 3], ["##\u{1d538}", 4]]),
    );
    expect(known.encode("a".repeat(100), 256)).toHaveLength(102);
    expect(known.encode("a".repeat(101), 256)).toEqual([101, 100, 102]);
    expect(known.encode("\u{1d538}".repeat(100), 256)).toHaveLength(102);
    expect(known.encode("\u{1d538}".repeat(101), 256)).toEqual([101, 100, 102]);
  });

  it("takes megabytes of blanks, of one word and of a script without blanks", () => {
    expect(tokenizer.encode(`hello ${" ".repeat(1_000_000)}`, 256)).toEqual([101, 7592, 102]);
    expect(tokenizer.encode("x".repeat(1_000_000), 256)).toEqual([101, 100, 102]);
    expect(tokenizer.encode("ก".repeat(1_000_000), 256)).toEqual([101, 100, 102]);
  });

  it("refuses a vocabulary that is not BERT's", () => {
    expect(() => new WordPiece(new Map([["hello", 1]]))).toThrow("the vocabulary has no [UNK]");
  });
});
