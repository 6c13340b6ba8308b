import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitLines, makeCursor, readCursorOffset } from "./budget.ts";

describe("linesThatFit", () => {
  it("gives as many as there is room for, from the first on", () => {
    expect(fitLines(["aaaa", "bbbb", "cccc"], 10)).toEqual(["aaaa", "bbbb"]);
  });

  it("gives of the first always something", () => {
    const [line = ""] = fitLines(["x".repeat(5000)], 200);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(fitLines(["y"], 0)).toEqual(["y…".slice(0, 2)]);
  });

  it("never gives more than there is room for", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { maxLength: 30 }),
        fc.integer({ min: 60, max: 2000 }),
        (lines, room) => {
          expect(fitLines(lines, room).join("\n").length).toBeLessThanOrEqual(room);
        },
      ),
    );
  });
});

describe("cursors", () => {
  it("lead on in the call that gave them, however much of the answer is wanted then", () => {
    const call = { query: "a", limit: 5, max_tokens: 2000 };
    const cursor = makeCursor("search_sessions", call, 12);
    expect(readCursorOffset("search_sessions", { ...call, cursor, limit: 9, max_tokens: 500 }, cursor)).toBe(
      12,
    );
    expect(readCursorOffset("search_sessions", call, undefined)).toBe(0);
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
    expect(() => readCursorOffset("related", { query: "a" }, cursor)).toThrow("does not belong to this call");
  });

  it("refuses one of another call", () => {
    const cursor = makeCursor("search_sessions", { query: "a" }, 12);
    expect(() => readCursorOffset("search_sessions", { query: "b" }, cursor)).toThrow("does not belong");
    expect(() => readCursorOffset("related", { query: "a" }, cursor)).toThrow("does not belong");
  });
});
