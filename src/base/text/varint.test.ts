import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeVarints, encodeVarints } from "./varint.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

describe("varints", () => {
  // As SQLite writes them.
  test.each([
    [[0], "00"],
    [[127], "7f"],
    [[128], "8100"],
    [[100, 200, 5050], "648148a73a"],
    [[2 ** 32], "9080808000"],
    [[Number.MAX_SAFE_INTEGER], "8fffffffffffff7f"],
  ])("%j is %s", (values, text) => {
    expect(hex(encodeVarints(values))).toBe(text);
    expect(decodeVarints(bytes(text), values.length)).toEqual(values);
  });

  test("survive a round trip", () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (values) => {
        expect(decodeVarints(encodeVarints(values), values.length)).toEqual(values);
      }),
    );
  });

  test.each([
    ["too few", "01", 2],
    ["too many", "010203", 2],
    ["an end that is missing", "0181", 2],
    ["nine bytes", "ffffffffffffffffff", 1],
    ["what is too large to be exact", "9080808080808000", 1],
    ["nothing", "", 1],
  ])("null for %s", (_, text, count) => {
    expect(decodeVarints(bytes(text), count)).toBeNull();
  });
});
