import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createWordFinder,
  listHeldWords,
  listIdentifiers,
  makeTokenStream,
  nameKey,
  splitIdentifier,
  stem,
  tokenize,
} from "./tokens.ts";

describe("partsOf", () => {
  it.each([
    ["parseHTTPRequests2", ["parse", "http", "requests", "2"]],
    ["snake_case_name", ["snake", "case", "name"]],
    ["MAX_RETRY_COUNT", ["max", "retry", "count"]],
    ["__init__", ["init"]],
    ["$scope", ["scope"]],
    ["Überprüfung", ["überprüfung"]],
    ["X", ["x"]],
    ["___", []],
  ])("%s", (name, parts) => {
    expect(splitIdentifier(name)).toEqual(parts);
  });
});

describe("tokenStream", () => {
  it("gives an identifier whole and its parts stemmed", () => {
    expect(makeTokenStream("retryRequests()").split(" ")).toEqual(["retryrequests", "retri", "request"]);
  });

  it("gives pairs of characters where a script has no blanks", () => {
    expect(makeTokenStream("数据库连接").split(" ")).toContain("据库");
  });

  it("gives of ASCII what it gives beside other characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 200 }), (text) => {
        expect(`${makeTokenStream(text)} é`.trimStart()).toBe(makeTokenStream(`${text} é`));
        for (const name of listIdentifiers(text))
          expect(splitIdentifier(name)).toEqual(splitIdentifier(`${name} é`).slice(0, -1));
      }),
    );
  });

  it("leaves out runs that are data rather than names", () => {
    expect(makeTokenStream("a".repeat(100))).toBe("");
    const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    expect(makeTokenStream(hash + hash)).toBe("");
    expect(makeTokenStream(Buffer.from(hash + hash).toString("base64url"))).toBe("");
  });

  it("knows names of tests, however long they are", () => {
    const name = "can_extract_nested_matched_path_with_prefix_and_suffix_in_middleware_on_nested_router";
    for (const long of [
      name,
      "shouldAnswerWithAnErrorWhenTheConnectionWasClosedBeforeTheWholeBodyOfTheRequestWasRead",
    ]) {
      expect(long.length).toBeGreaterThan(80);
      expect(makeTokenStream(long).split(" ")).toContain(long.toLowerCase());
    }
    expect(makeTokenStream(name)).toContain("middlewar");
  });

  it("holds only blanks and characters that the index takes for parts of words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const stream = makeTokenStream(text);
        expect(stream).toMatch(/^(?:[\p{L}\p{N}\p{M}_$]+(?: [\p{L}\p{N}\p{M}_$]+)*)?$/u);
      }),
    );
  });

  it("finds every word of a query in the text it was taken from", () => {
    const word = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,20}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const text = new Set(makeTokenStream(words.join(" + ")).split(" "));
        for (const w of words) {
          for (const token of makeTokenStream(w).split(" ")) expect(text).toContain(token);
        }
      }),
    );
  });
});

it("knows a name however it is written", () => {
  expect(nameKey("path_router")).toBe(nameKey("PathRouter"));
  expect(nameKey("PATH-ROUTER")).toBe("pathrouter");
});

it("stems only words of plain letters", () => {
  expect(stem("retries")).toBe("retri");
  expect(stem("sha256s")).toBe("sha256s");
  expect(stem("of")).toBe("of");
});

it("splits at everything that is not part of a word", () => {
  expect(listIdentifiers('a.b_c("d-e")\n$f')).toEqual(["a", "b_c", "d", "e", "$f"]);
});

describe("heldWordsOf", () => {
  const told = (text: string) => listHeldWords(text).map(({ text: word, is }) => `${is} ${word}`);

  it.each([
    ["must not be Null", ["part must", "whole not", "whole be", "beginning null"]],
    ["(not found)", ["whole not", "whole found"]],
    [".status(404", ["whole status", "beginning 404"]],
    ["econnrefused", ["part econnrefused"]],
    ["größe ist", ["beginning ist"]],
    ["=> {", []],
  ])("of %s", (text, words) => {
    expect(told(text)).toEqual(words);
  });

  it("are in every text that holds the text", () => {
    const piece = fc.constantFrom("a", "B", "_", " ", "(", "1", "é");
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    const isIn = { whole: (word: string, held: string) => word === held };
    const begins = (word: string, held: string) => word.startsWith(held);
    const has = (word: string, held: string) => word.includes(held);
    const checks = { ...isIn, beginning: begins, part: has };
    fc.assert(
      fc.property(text, text, text, (before, held, behind) => {
        const words = listIdentifiers(before + held + behind).map((word) => word.toLowerCase());
        for (const { text, is } of listHeldWords(held)) {
          expect(words.some((word) => checks[is](word, text))).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("createWordFinder", () => {
  it("finds just the tokens that cutting the whole text finds", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "retries",
        "Retry",
        "flying",
        "fly",
        "hoping",
        "HopeFul",
        "tests",
        "ties",
        "日本語",
        "İstanbul",
        "$a",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (words, asked) => {
          const text = words.join(" ");
          const tokens = [...new Set(tokenize(asked.join(" ")))];
          fc.pre(tokens.length > 0);
          const held = new Set(tokenize(text));
          expect([...createWordFinder(tokens)(text)].sort()).toEqual(
            tokens.filter((token) => held.has(token)).sort(),
          );
        },
      ),
    );
  });
});
