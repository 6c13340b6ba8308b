import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../../test/support/any-text.ts";
import { tinyVocabulary } from "../../../../test/support/tiny-model.ts";
import { Tokenizer } from "./words.ts";

const everything = Number.POSITIVE_INFINITY;

/** The tokens of a text, as spelled in the vocabulary. */
function tokens(text: string, most = everything): string[] {
  return new Tokenizer(tinyVocabulary).tokenize(text, most).map((id) => tinyVocabulary[id]!);
}

/** Code, prose in any script, half characters and long runs. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary-ascii", maxLength: 400 }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom("readFile(path)", "HTTPServer2", "𝓪\ud800", "解析".repeat(120), "A".repeat(300)),
);

describe("Tokenizer", () => {
  it("cuts identifiers into their parts and parts into known pieces", () => {
    expect(tokens("readFile OPEN_FILE")).toEqual(["read", "file", "open", "file"]);
    expect(tokens("reopen")).toEqual(["r", "##e", "##o", "##p", "##e", "##n"]);
    expect(tokens("HTTPFile2")).toEqual(["h", "##t", "##t", "##p", "file", "2"]);
  });

  it("takes the longest known piece first", () => {
    expect(tokens("opens")).toEqual(["open", "##s"]);
  });

  it("drops accents and reads ideographs one by one", () => {
    expect(tokens("réàd 解x")).toEqual(["read", "解", "x"]);
  });

  it("leaves out a part that it cannot cover, and only that", () => {
    expect(tokens("öß file")).toEqual(["file"]);
    expect(tokens("")).toEqual([]);
  });

  it("takes runs of more than 100 ASCII characters for data", () => {
    expect(tokens(`${"a".repeat(101)} file`)).toEqual(["file"]);
    expect(tokens("a".repeat(100))).toHaveLength(100);
  });

  it("reads a long paragraph without blanks", () => {
    expect(tokens("解".repeat(500))).toHaveLength(500);
    expect(tokens("解，".repeat(200))).toHaveLength(200);
  });

  it("stops at the number of tokens it is given", () => {
    expect(tokens("read the file", 2)).toEqual(["read", "t"]);
    expect(tokens("解".repeat(500), 7)).toHaveLength(7);
  });

  it("never throws, and gives ids of the vocabulary only, the same each time", () => {
    const tokenizer = new Tokenizer(tinyVocabulary);
    fc.assert(
      fc.property(anyText, (text) => {
        const ids = tokenizer.tokenize(text, everything);
        for (const id of ids) expect(tinyVocabulary[id]).toBeDefined();
        expect(tokenizer.tokenize(text, everything)).toEqual(ids);
        expect(new Tokenizer(tinyVocabulary).tokenize(text, everything)).toEqual(ids);
      }),
    );
  });

  it("tokenizes two texts with a blank between like one after the other", () => {
    const tokenizer = new Tokenizer(tinyVocabulary);
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const apart = tokenizer.tokenize(other, everything, tokenizer.tokenize(one, everything));
        expect(tokenizer.tokenize(`${one} ${other}`, everything)).toEqual(apart);
      }),
    );
  });

  it("returns the first tokens of a text up to the limit", () => {
    const tokenizer = new Tokenizer(tinyVocabulary);
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, most) => {
        expect(tokenizer.tokenize(text, most)).toEqual(tokenizer.tokenize(text, everything).slice(0, most));
      }),
    );
  });
});
