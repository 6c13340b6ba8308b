import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitLines } from "./budget.ts";

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
