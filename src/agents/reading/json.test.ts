import fc from "fast-check";
import { expect, it } from "vitest";
import { parseRecordsOnLine } from "./json.ts";

const on = (text: string) => parseRecordsOnLine(Buffer.from(text));
const record = (n: number, more: object = {}) => ({ type: "user", n, ...more });
const [a, b] = [JSON.stringify(record(1)), JSON.stringify(record(2))];

it.each([
  ["one", a, [record(1)], null],
  ["two", a + b, [record(1), record(2)], { saved: 2, isLost: false }],
  ["two with NULs between them", `${a}\0\0${b}`, [record(1), record(2)], { saved: 2, isLost: false }],
  ["a cut one before a whole one", a.slice(0, 9) + b, [record(2)], { saved: 1, isLost: true }],
  ["a whole one before a cut one", a + b.slice(0, 9), [record(1)], { saved: 1, isLost: true }],
  ["a whole one between pieces", `${a.slice(0, 9)}${b}"x":1}`, [record(2)], { saved: 1, isLost: true }],
  ["a cut one", a.slice(0, 9), [], { saved: 0, isLost: true }],
  ["NULs", "\0\0", [], { saved: 0, isLost: false }],
  ["a list", "[]", [], { saved: 0, isLost: true }],
])("finds the records on a line with %s", (_, text, records, damage) => {
  expect(on(text)).toEqual({ records, damage });
});

it("takes no object within a cut record, nor JSON within a text, for a record", () => {
  const quoted = JSON.stringify(
    record(3, { content: [{ type: "text", text: `${a}{"type":"user"}` }], after: 1 }),
  );
  for (let cut = 2; cut < quoted.length; cut++) {
    const { records } = on(quoted.slice(0, cut) + b);
    expect(records.at(-1)).toEqual(record(2));
    // The one object that ends where it was cut may be one.
    expect(records.length).toBeLessThanOrEqual(2);
    if (quoted[cut - 1] !== "}") expect(records).toHaveLength(1);
  }
});

it("finds a record behind any other that was cut anywhere", () => {
  const content = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), {
    minKeys: 1,
    maxKeys: 4,
  });
  fc.assert(
    fc.property(content, content, fc.double({ min: 0, max: 1, noNaN: true }), (one, other, part) => {
      const text = JSON.stringify({ type: "one", ...one });
      const next = JSON.parse(JSON.stringify({ type: "next", ...other }));
      const cut = text.slice(0, Math.floor(part * text.length));
      expect(on(cut + JSON.stringify(next)).records.at(-1)).toEqual(next);
    }),
    { numRuns: 500 },
  );
});

it("reads a long line in one pass", () => {
  const deep = `{"a":[`.repeat(200_000);
  const texts = JSON.stringify(record(4, { text: '{"type": '.repeat(200_000) })).slice(0, -2);
  for (const begun of [deep, texts]) expect(on(begun + b).records.at(-1)).toEqual(record(2));
});
