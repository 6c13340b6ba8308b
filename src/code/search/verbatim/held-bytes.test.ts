import fc from "fast-check";
import { expect, test } from "vitest";
import { heldBytes } from "./held-bytes.ts";

const holdsAll = heldBytes();
const letters = fc.constantFrom(..."aAbB@`[{ \n");

test("bytes hold texts wherever they stand, letter case aside", () => {
  const text = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.string({ unit: letters, maxLength: 60 }),
      fc.array(text, { maxLength: 2 }),
      (held, texts) => {
        const bytes = Buffer.from(held);
        const holds = texts.every((one) => held.toLowerCase().includes(one.toLowerCase()));
        expect(holdsAll(bytes, texts)).toBe(holds);
      },
    ),
  );
});

test("what an earlier file had behind the end of this one is not found", () => {
  holdsAll(Buffer.from("one two three four five six"), ["x"]);
  expect(holdsAll(Buffer.from("one tw"), ["two"])).toBe(false);
  expect(holdsAll(Buffer.from("one two"), ["two"])).toBe(true);
});
