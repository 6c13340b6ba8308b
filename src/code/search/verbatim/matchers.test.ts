import fc from "fast-check";
import { expect, it } from "vitest";
import { compileLiteral } from "../../../base/text/pattern.ts";
import { heldBytes } from "./held-bytes.ts";
import { buildMatchers } from "./matchers.ts";

const matches = (text: string, searched: string) => [
  ...buildMatchers({ query: text, match: "exact" })[0]!.matchesIn(searched),
];

it("finds a text wherever the regular expression for it does", () => {
  // U+212A is a k in lower case, U+0130 is two characters there.
  const text = fc.string({ unit: fc.constantFrom("a", "A", "k", "K", " ", "é", "É", "."), maxLength: 4 });
  const searched = fc.string({
    unit: fc.constantFrom("a", "A", "k", "K", " ", "é", "É", ".", "\u212a", "\u0130"),
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, searched, (text, searched) => {
      fc.pre(text !== "");
      const expected = [...searched.matchAll(compileLiteral(text))].map(({ index, 0: found }) => [
        index,
        index + found.length,
      ]);
      expect(matches(text, searched)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

it("finds lines whatever ends them, there and in the query", () => {
  const [unix, windows] = ["one\ntwo", "one\r\ntwo"];
  for (const query of [unix, windows]) {
    for (const searched of [unix, windows]) {
      expect(matches(query, `zero ${searched} three`)).toEqual([[5, 5 + searched.length]]);
      const [matcher] = buildMatchers({ query, match: "exact" });
      expect(heldBytes()(Buffer.from(searched), matcher!.bytes)).toBe(true);
    }
  }
});

it("finds nothing in files whose bytes lack what it says", () => {
  const wanted = fc.string({
    unit: fc.constantFrom("a", "A", "k", "K", " ", "é"),
    minLength: 1,
    maxLength: 3,
  });
  const searched = fc.string({
    unit: fc.constantFrom("a", "A", "k", "K", " ", "é", "\u212a"),
    maxLength: 20,
  });
  const mode = fc.constantFrom<("exact" | "regex")[]>("exact", "regex");
  fc.assert(
    fc.property(wanted, searched, mode, (query, text, match) => {
      const [matcher] = buildMatchers({ query, match });
      if (heldBytes()(Buffer.from(text), matcher!.bytes)) return;
      expect([...matcher!.matchesIn(text)]).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

it("refuses a text or pattern that no engine takes, and leaves out such a quote", () => {
  const long = "a".repeat(100_000);
  for (const match of ["exact", "regex"] as const)
    expect(() => buildMatchers({ query: long, match })).toThrow("more than 10,000 characters");
  expect(buildMatchers({ query: `"${long}" and "b c"` }).map(({ text }) => text)).toEqual(["b c"]);
});
