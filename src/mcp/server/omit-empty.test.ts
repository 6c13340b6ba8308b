import { expect, it } from "vitest";
import { omitEmpty } from "./omit-empty.ts";

it("leaves out empty values at any depth, and keeps zeros", () => {
  const value = { a: null, b: [], c: "", d: false, e: 0, f: [{ g: null, h: 1 }], i: { j: [] } };
  expect(omitEmpty(value)).toEqual({ e: 0, f: [{ h: 1 }], i: {} });
});
