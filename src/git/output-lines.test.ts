import fc from "fast-check";
import { expect, it } from "vitest";
import { all } from "../../test/support/repository-fixture.ts";
import { splitLines, unquotePath } from "./output-lines.ts";

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let n = 0; at < bytes.length; n++) {
    const end = at + (sizes[n % sizes.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it("splits output into the same lines whatever the chunks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), sizesArbitrary, async (text, sizes) => {
      const odd = text.replaceAll("!", "\n");
      const lines = (await all(splitLines(inPieces(Buffer.from(odd), sizes)))).flat();
      expect(lines).toEqual(odd === "" ? [] : Buffer.from(odd).toString().replace(/\n$/, "").split("\n"));
    }),
  );
});

it("cuts lines that are too long", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 30 })), sizesArbitrary, async (lengths, sizes) => {
      const text = lengths.map((length) => `${"x".repeat(length)}\n`).join("");
      const lines = (await all(splitLines(inPieces(Buffer.from(text), sizes), 9))).flat();
      expect(lines.map(({ length }) => length)).toEqual(lengths.map((length) => Math.min(length, 10)));
    }),
  );
});

it("decodes quoted paths as git writes them", () => {
  expect(unquotePath("plain path")).toBe("plain path");
  expect(unquotePath(String.raw`"a\tb\nc\\d\"e\303\274\001"`)).toBe('a\tb\nc\\d"eü\u0001');
  expect(unquotePath(String.raw`"\377"`)).toBe("\ufffd");
});
