import { expect, it } from "vitest";
import { lean, leanSchema, withoutBounds } from "./lean.ts";

it("leaves out what says nothing, at any depth, and keeps zeros", () => {
  const value = { a: null, b: [], c: "", d: false, e: 0, f: [{ g: null, h: 1 }], i: { j: [] } };
  expect(lean(value)).toEqual({ e: 0, f: [{ h: 1 }], i: {} });
});

it("requires in a schema only what is always there", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "number" },
      s: { type: ["string", "null"] },
      o: {
        anyOf: [{ type: "object", properties: { t: { type: "array" } }, required: ["t"] }, { type: "null" }],
      },
    },
    required: ["n", "s", "o"],
  };
  expect(leanSchema(schema)).toMatchObject({
    required: ["n"],
    properties: { o: { anyOf: [{ required: [] }, {}] } },
  });
});

it("leaves out bounds that every whole number has", () => {
  const schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  expect(withoutBounds(schema)).toEqual({ type: "integer", minimum: 1 });
});
