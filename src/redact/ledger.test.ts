import { describe, expect, it } from "vitest";
import { createLedger } from "./scrubber.ts";

const key = Buffer.from("0123456789abcdef");

describe("a ledger", () => {
  it("numbers secrets by type, from 1, and reuses the number of a known one", () => {
    const ledger = createLedger(key);
    expect([
      ledger.numberOf("A", "x"),
      ledger.numberOf("A", "y"),
      ledger.numberOf("B", "x"),
      ledger.numberOf("A", "x"),
    ]).toEqual([1, 2, 1, 1]);
  });

  it("continues from the stored entries", () => {
    const first = createLedger(key);
    first.numberOf("A", "x");
    first.numberOf("A", "y");
    const rows = first.takeNew();
    expect(rows.map(({ type, number }) => [type, number])).toEqual([
      ["A", 1],
      ["A", 2],
    ]);
    expect(first.takeNew()).toEqual([]);

    const second = createLedger(key, rows);
    expect([second.numberOf("A", "y"), second.numberOf("A", "z")]).toEqual([2, 3]);
    expect(second.takeNew()).toHaveLength(1);
  });

  it("stores six hexadecimal digits that depend on the key", () => {
    const rowOf = (with_: Buffer) => {
      const ledger = createLedger(with_);
      ledger.numberOf("A", "x");
      return ledger.takeNew()[0]!.fingerprint;
    };
    expect(rowOf(key)).toMatch(/^[0-9a-f]{6}$/);
    expect(rowOf(key)).not.toBe(rowOf(Buffer.from("another key, 16+")));
  });
});
