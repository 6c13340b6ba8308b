import fc from "fast-check";
import { expect, it } from "vitest";
import { mapSavedLines } from "./saved-lines.ts";

it("follows lines through what was typed above them", () => {
  const lines = mapSavedLines("new\na\nb changed\nc\n", "a\nb\nc\n");
  expect([1, 2, 3, 4].map(lines.toSaved)).toEqual([null, 1, null, 3]);
  expect([1, 2, 3].map(lines.fromSaved)).toEqual([2, null, 4]);
});

it("takes line ends of any kind for the same", () => {
  expect(mapSavedLines("a\nb", "a\r\nb").toSaved(2)).toBe(2);
});

it("leads each line to one with the same text, and back", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (edited, saved) => {
      const lines = mapSavedLines(edited.join("\n"), saved.join("\n"));
      for (const [i, line] of edited.entries()) {
        const there = lines.toSaved(i + 1);
        if (there === null) continue;
        expect(saved[there - 1] ?? "").toBe(line);
        expect(lines.fromSaved(there)).toBe(i + 1);
      }
    }),
  );
});
