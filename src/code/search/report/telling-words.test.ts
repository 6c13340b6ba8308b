import { expect, it } from "vitest";
import type { SearchableIndex } from "../../../store/index/port.ts";
import { selectTellingWords } from "./telling-words.ts";

const holding = new Map(
  Object.entries({ the: 90, error: 80, draft: 3, saveall: 1, save: 20, all: 50, twice: 2 }),
);
const index = { countFrequencies: async () => ({ chunks: 100, holding }) } as unknown as SearchableIndex;
const select = (text: string, most: number) => selectTellingWords(index, text, most);

it("takes rare words before common ones, in the order of the text", async () => {
  expect(await select("an error: saveAll stores the draft twice", 3)).toEqual(["saveAll", "draft", "twice"]);
});

it("takes a word before others as rare that occurs less often", async () => {
  expect(await select("twice draft, draft and draft", 1)).toEqual(["draft"]);
});

it("leaves out what the index does not hold, and words without meaning", async () => {
  expect(await select("you and unicorn", 10)).toEqual([]);
  expect(await select("", 10)).toEqual([]);
});
