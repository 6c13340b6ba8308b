import { describe, expect, it } from "vitest";
import { fileOf, safetensorsOf } from "../../../../test/support/tiny-weights.ts";
import { Safetensors } from "./safetensors.ts";

function halves(...bits: number[]): Buffer {
  const bytes = Buffer.alloc(bits.length * 2);
  bits.forEach((half, i) => {
    bytes.writeUInt16LE(half, i * 2);
  });
  return bytes;
}

describe("Safetensors", () => {
  it("widens half precision: zero, one, the smallest, the largest, infinity and no number", () => {
    const bits = [
      0x0000, 0x8000, 0x3c00, 0xc000, 0x3555, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x7e00,
    ];
    const file = safetensorsOf({ a: { dtype: "F16", shape: [bits.length], bytes: halves(...bits) } });
    const values = new Safetensors(file).tensor("a", [bits.length]);
    expect([...values]).toEqual([
      0,
      -0,
      1,
      -2,
      0.333251953125,
      2 ** -24,
      1023 * 2 ** -24,
      2 ** -14,
      65504,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
    ]);
  });

  it("reads each tensor from its own place, single precision as well", () => {
    const single = Buffer.alloc(8);
    single.writeFloatLE(1.5, 0);
    single.writeFloatLE(-0.1, 4);
    const file = new Safetensors(
      safetensorsOf({
        ids: { dtype: "I64", shape: [1], bytes: Buffer.alloc(8) },
        half: { dtype: "F16", shape: [1, 2], bytes: halves(0x3c00, 0x4000) },
        single: { dtype: "F32", shape: [2, 1], bytes: single },
      }),
    );
    expect([...file.tensor("half", [1, 2])]).toEqual([1, 2]);
    expect([...file.tensor("single", [2, 1])]).toEqual([1.5, Math.fround(-0.1)]);
  });

  it("refuses what is no such file", () => {
    const shorterThanItSays = fileOf("{}");
    shorterThanItSays.writeBigUInt64LE(3n);
    const enormous = fileOf("{}");
    enormous.writeBigUInt64LE(2n ** 63n);
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(7), shorterThanItSays, enormous]) {
      expect(() => new Safetensors(bytes)).toThrow("shorter than its header");
    }
    for (const header of ["", "{", "[]", "null", "7", "\0\0"]) {
      expect(() => new Safetensors(fileOf(header))).toThrow("not a safetensors file: its header is not JSON");
    }
  });

  it("says which tensor is missing, of another shape, of another type or cut off", () => {
    const whole = safetensorsOf({
      a: { dtype: "F16", shape: [2, 3], bytes: Buffer.alloc(12) },
      b: { dtype: "I64", shape: [1], bytes: Buffer.alloc(8) },
      short: { dtype: "F16", shape: [2, 3], bytes: Buffer.alloc(10) },
    });
    const file = new Safetensors(whole);
    expect(() => file.tensor("c", [1])).toThrow("no tensor c");
    expect(() => file.tensor("toString", [1])).toThrow("no tensor toString");
    expect(() => file.tensor("__metadata__", [1])).toThrow("no tensor __metadata__");
    expect(() => file.tensor("a", [3, 2])).toThrow("tensor a is 2x3, not 3x2");
    expect(() => file.tensor("a", [2])).toThrow("tensor a is 2x3, not 2");
    expect(() => file.tensor("b", [1])).toThrow("tensor b is of type I64");
    expect(() => file.tensor("short", [2, 3])).toThrow("tensor short is cut off");
    const cut = new Safetensors(whole.subarray(0, whole.length - 1));
    expect([...cut.tensor("a", [2, 3])]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(() => new Safetensors(whole.subarray(0, whole.length - 25)).tensor("a", [2, 3])).toThrow(
      "cut off",
    );
  });

  it("takes no place before the data for a tensor", () => {
    const info = { dtype: "F16", shape: [1], data_offsets: [-2, 0] };
    const file = new Safetensors(fileOf(JSON.stringify({ a: info }), Buffer.alloc(4)));
    expect(() => file.tensor("a", [1])).toThrow("no tensor a");
  });
});
