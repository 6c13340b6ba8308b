import { describe, expect, it } from "vitest";
import { howSure, howUsed, isCall, nameInFull } from "./how-sure.ts";

describe("an edge", () => {
  it("says how sure it is, behind whatever else is said of it", () => {
    expect(howSure({ confidence: "resolved", candidates: 1 })).toBe("");
    expect(howSure({ confidence: "ambiguous", candidates: 3 })).toBe(" (1 of 3)");
    expect(howSure({ confidence: "resolved", candidates: 1 }, "type")).toBe(" (type)");
    expect(howSure({ confidence: "unique", candidates: 1 }, "type")).toBe(" (type, unique)");
  });

  it("says how its end is used where that is no call", () => {
    expect(howUsed({ how: "call", confidence: "unique", candidates: 1 })).toBe(" (unique)");
    expect(howUsed({ how: "base", confidence: "ambiguous", candidates: 2 })).toBe(" (base, 1 of 2)");
  });

  it("names its end with the type that it is in", () => {
    expect(nameInFull({ name: "fetch", parent: "Hono", kind: "method" })).toBe("Hono.fetch");
    expect(nameInFull({ name: "compose", parent: null, kind: "function" })).toBe("compose");
    expect(nameInFull({ name: "app.ts", parent: null, kind: "file" })).toBe("app.ts");
  });

  it("is a call only where code runs", () => {
    const kinds = ["call", "construct", "base", "use", "type"] as const;
    expect(kinds.filter((how) => isCall({ how }))).toEqual(["call", "construct"]);
  });
});
