import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { splitText } from "./split-text.ts";

test("splits between paragraphs into pieces of about one length", () => {
  const paragraphs = Array.from({ length: 9 }, (_, i) => `Paragraph ${i} ${"word ".repeat(20)}`.trim());
  const pieces = splitText(paragraphs.join("\n\n"), 500);
  expect(pieces).toHaveLength(3);
  expect(pieces.join("\n\n")).toBe(paragraphs.join("\n\n"));
});

test("keeps a block of code whole where it fits, with empty lines in it", () => {
  const code = `\`\`\`ts\nconst a = 1;\n\n${"a += 1;\n".repeat(20)}\`\`\``;
  const text = `${"Before. ".repeat(40)}\n\n${code}\n\n${"After. ".repeat(40)}`;
  expect(splitText(text, 350).some((piece) => piece.includes(code))).toBe(true);
});

test("splits a long paragraph between sentences", () => {
  const pieces = splitText("This is a sentence of a paragraph. ".repeat(30).trim(), 200);
  expect(pieces.length).toBeGreaterThan(4);
  for (const piece of pieces) expect(piece).toMatch(/\.$/);
});

test("an empty text has no pieces", () => {
  expect(splitText("", 10)).toEqual([]);
  expect(splitText(" \n ", 10)).toEqual([]);
});

const part = fc.constantFrom(
  ..."word|Sentence end. |\n|\n\n|```\n|~~~|x = y;\n|  |longerWordThanOthers|😀|é".split("|"),
);
test("loses nothing but blanks, keeps the order, and no piece is too long", () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 200, size: "max" }),
      fc.integer({ min: 20, max: 300 }),
      (parts, most) => {
        const text = parts.join("");
        const pieces = splitText(text, most);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(most);
          expect(piece.trim()).not.toBe("");
          expect(Buffer.from(piece).toString()).toBe(piece);
        }
        expect(pieces.join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
      },
    ),
  );
});

test("whatever text it is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (text, most) => {
        const pieces = splitText(text, most);
        expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(Math.max(most, 2));
        expect(pieces.join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
      },
    ),
  );
});
