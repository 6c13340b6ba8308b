import fc from "fast-check";
import { expect, it } from "vitest";
import { listIdentifiers } from "../../../base/text/tokens.ts";
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

it("knows every identifier of a text as the search splits it, also long ones and those of other scripts", () => {
  const text = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom("Größe", "_a$1", " ", "été→fin", "日本", "x".repeat(70), "aLongName".repeat(9)),
    ),
  );
  fc.assert(
    fc.property(text, (parts) => {
      const { words } = packContent([parts.join("")]);
      for (const name of listIdentifiers(parts.join("")))
        expect(mayHoldWords(words, [hashWord(name.toLowerCase())])).toBe(true);
    }),
  );
});

it("tells without unpacking which words may be there: of every text, in lower case", () => {
  expect(mayHave("why", "does", "retrylimit", "fail", "npm", "straße", "bash")).toBe(true);
  expect(mayHave("why", "pelican")).toBe(false);
  expect(mayHave("retry")).toBe(false);
});
