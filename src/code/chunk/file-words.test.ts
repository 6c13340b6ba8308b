import fc from "fast-check";
import { expect, it } from "vitest";
import { mostRuns } from "../../base/text/runs.ts";
import { makeTokenStream } from "../../base/text/tokens.ts";
import { FileWords } from "./file-words.ts";

const spelled = ({ all }: FileWords, numbers: Uint32Array) =>
  [...numbers].map((number) => all[number]!).join(" ");

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc
    .array(
      fc.constantFrom("parseHTTPRequests2", "retry_count", "解析する", "x".repeat(90), "é".repeat(200)),
      {
        maxLength: 40,
      },
    )
    .map((words) => words.join(" + ")),
);

it("numbers stand for the token stream of a text, in each of the files", () => {
  const words = new FileWords();
  fc.assert(
    fc.property(fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 4 }), (files) => {
      for (const texts of files) {
        words.begin(texts.join("").length);
        const numbers = texts.map((one) => words.toWordNumbers(one));
        expect(numbers.map((one) => spelled(words, one))).toEqual(texts.map(makeTokenStream));
        expect(new Set(words.all).size).toBe(words.all.length);
      }
    }),
  );
});

it("a file keeps its numbers when more was met than is remembered", () => {
  const words = new FileWords();
  words.begin(100);
  const first = words.toWordNumbers("first second");
  const many = Array.from({ length: mostRuns + 10 }, (_, i) => `w${i}`).join(" ");
  expect(spelled(words, words.toWordNumbers(many))).toBe(makeTokenStream(many));
  expect(spelled(words, words.toWordNumbers("second third first"))).toBe("second third first");
  expect(spelled(words, first)).toBe("first second");
  expect(words.toWordNumbers("first")).toEqual(first.subarray(0, 1));
});
