import fc from "fast-check";
import { expect, test } from "vitest";
import { lineEnds } from "./line-ends.ts";

const { room, endOfLines } = lineEnds();

test("lines end behind a line feed, whatever is before it", () => {
  const text = fc.string({ unit: fc.constantFrom("\r", "\n", "\r\n", "a", "0123456789"), maxLength: 30 });
  fc.assert(
    fc.property(text, text, fc.nat({ max: 12 }), fc.nat({ max: 8 }), (held, behind, lines, from) => {
      const start = Math.min(from, held.length);
      const ends = [...held.slice(start).matchAll(/\n/g)].map(({ index }) => index + 1);
      const expected = lines === 0 ? start : start + (ends[lines - 1] ?? -1 - start);
      // A file that was read before, and was longer.
      room.write(held + behind);
      expect(endOfLines(room.subarray(0, held.length), start, lines)).toBe(expected);
      expect(endOfLines(Buffer.from(held), start, lines)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test("a room that is full is searched to its end", () => {
  room.fill("a");
  room[room.length - 1] = 10;
  expect(endOfLines(room, 0, 1)).toBe(room.length);
  expect(endOfLines(room, 0, 2)).toBe(-1);
});
