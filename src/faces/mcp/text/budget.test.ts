import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cursorAt, fitIn, offsetOf, omitEmpty } from "./budget.ts";

const make = (text: string, longest: number) => ({ text: text.slice(0, longest) });
const render = ({ text }: { text: string }) => `> ${text}`;

describe("fitIn", () => {
  it("gives as many as there is room for, from the first on, and says which are left", () => {
    const { items, left } = fitIn(["aaaa", "bbbb", "cccc"], 40, 10, make, render);
    expect(items.map(({ text }) => text)).toEqual(["aaaa", "bbbb"]);
    expect(left).toEqual(["cccc"]);
  });

  it("shortens the first until it fits, and gives it in any case", () => {
    const { items } = fitIn(["x".repeat(5000)], 200, 5000, make, render);
    expect(items[0]!.text.length).toBeGreaterThan(40);
    expect(JSON.stringify(items[0]).length).toBeLessThanOrEqual(200);
    expect(fitIn(["y"], 1, 10, make, render).items).toHaveLength(1);
  });

  it("never gives more than there is room for, in either form", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { maxLength: 30 }),
        fc.integer({ min: 400, max: 2000 }),
        (texts, room) => {
          const { items, left } = fitIn(texts, room, 100, make, render);
          expect(items.map(render).join("\n").length).toBeLessThanOrEqual(room);
          expect(JSON.stringify(omitEmpty(items)).length - 2).toBeLessThanOrEqual(room);
          expect(items.length + left.length).toBe(texts.length);
        },
      ),
    );
  });
});

describe("cursors", () => {
  it("lead on in the call that gave them, however much of the answer is wanted then", () => {
    const call = { query: "a", limit: 5, max_tokens: 2000 };
    const cursor = cursorAt("search_code", call, 12);
    expect(offsetOf("search_code", { ...call, cursor, limit: 9, max_tokens: 500 }, cursor)).toBe(12);
    expect(offsetOf("search_code", call, undefined)).toBe(0);
  });

  it.each([
    "",
    "12",
    "c-",
    "-1-0000000000",
    "zzzzzzzzzzzz-0000000000",
    "c-0123456789",
    "../../etc",
    "\u0000",
  ])("refuses %j", (cursor) => {
    expect(() => offsetOf("search_code", { query: "a" }, cursor)).toThrow("does not belong to this call");
  });

  it("refuses one of another call", () => {
    const cursor = cursorAt("search_code", { query: "a" }, 12);
    expect(() => offsetOf("search_code", { query: "b" }, cursor)).toThrow("does not belong");
    expect(() => offsetOf("related", { query: "a" }, cursor)).toThrow("does not belong");
  });
});

it("leaves out empty values at any depth, and keeps zeros", () => {
  const value = { a: null, b: [], c: "", d: false, e: 0, f: [{ g: null, h: 1 }], i: { j: [] } };
  expect(omitEmpty(value)).toEqual({ e: 0, f: [{ h: 1 }], i: {} });
});
