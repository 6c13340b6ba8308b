import { expect, it } from "vitest";
import { shortenToClause } from "./text-size.ts";

it.each([
  ["Short enough.", 40, "Short enough."],
  ["The lock is taken first. Then the file is read again.", 40, "The lock is taken first."],
  [
    "The lock is taken before the read; the file is then written whole",
    45,
    "The lock is taken before the read…",
  ],
  ["The lock is taken before the read, because it races otherwise", 45, "The lock is taken before the read…"],
  ["Reads node.js 20.19 and later versions of it", 30, "Reads node.js 20.19 and…"],
  ["Oh. The lock is taken before each of the reads", 30, "Oh. The lock is taken before…"],
])("%j of %d characters is cut at a sentence, a clause, or a word", (text, max, cut) => {
  expect(shortenToClause(text, max)).toBe(cut);
});
