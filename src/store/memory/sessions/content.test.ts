import { expect, it } from "vitest";
import { packContent, unpackContent } from "./content.ts";
import { hashWord, mayHoldWords } from "./word-filter.ts";

const lines = [
  { seq: 0, entries: [{ kind: "prompt", text: "Why does\nRetryLimit fail?" }] },
  { seq: 1, entries: [{ kind: "tool_use", id: "t1", tool: "Bash", input: { command: ["npm", "straße"] } }] },
];
const mayHave = (...words: string[]) => mayHoldWords(packContent(lines).words, words.map(hashWord));

it("gives back what was packed", () => {
  expect(unpackContent(packContent(lines).json)).toEqual(lines);
  expect(unpackContent(packContent([]).json)).toEqual([]);
});

it("tells without unpacking which words may be there: of every text, in lower case", () => {
  expect(mayHave("why", "does", "retrylimit", "fail", "npm", "straße", "bash")).toBe(true);
  expect(mayHave("why", "pelican")).toBe(false);
  expect(mayHave("retry")).toBe(false);
});
