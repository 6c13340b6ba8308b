import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeVarints } from "../../../base/text/varint.ts";
import { ByteStrings } from "./byte-strings.ts";

const value = fc.oneof(fc.nat(255), fc.nat(20_000), fc.nat(2 ** 31 - 1));
const pushed = fc.array(fc.tuple(fc.nat(4), fc.array(value, { minLength: 1, maxLength: 40 })), {
  maxLength: 200,
});

it("strings that grow side by side are read as they were written", () => {
  fc.assert(
    fc.property(pushed, (given) => {
      const strings = new ByteStrings();
      const expected = Array.from({ length: 5 }, () => [] as number[]);
      for (const _ of expected) strings.add();
      for (const [string, values] of given) {
        for (const one of values) {
          strings.pushVarint(string, one);
          strings.push(string, one & 0xff);
          expected[string]!.push(...encodeVarints([one]), one & 0xff);
        }
      }
      expect(expected.map((_, string) => [...strings.read(string)])).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

it("strings that follow cleared ones hold nothing of them", () => {
  const strings = new ByteStrings();
  const fill = (count: number, from: number) => {
    for (let i = 0; i < count; i++) {
      const string = strings.add();
      for (let byte = 0; byte < 40; byte++) strings.push(string, (from + i + byte) % 256);
    }
  };
  fill(200, 1);
  strings.clear();
  fill(100, 7);
  for (let i = 0; i < 100; i++) {
    expect([...strings.read(i)]).toEqual(Array.from({ length: 40 }, (_, byte) => (7 + i + byte) % 256));
  }
});
