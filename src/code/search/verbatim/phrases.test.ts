import { expect, it } from "vitest";
import { buildPhrases } from "./phrases.ts";

const tokensOf = (text: string) => buildPhrases(text.split(" ")).map(({ tokens }) => tokens);

it("takes neighbouring words, by the tokens that touch", () => {
  expect(tokensOf("called multiple times")).toEqual(["call multiple", "multipl times"]);
  expect(tokensOf("parseHTTP twice")).toEqual(["http twice"]);
});

it("reaches over stop words to a distinctive one", () => {
  expect(tokensOf("map is not a function")).toEqual([
    "map is",
    "is not a function",
    "not a function",
    "a function",
  ]);
  expect(tokensOf("it is not")).toEqual([]);
  expect(tokensOf("one")).toEqual([]);
});
