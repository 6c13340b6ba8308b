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
  expect(leanSchema(schema)).toMatchObject({ required: ["n"] });
});

it("has one type for each in a schema, as null is left out", () => {
  const text = { type: ["string", "null"], description: "d" };
  const either = { anyOf: [{ type: "object", properties: { text } }, { type: "null" }], description: "e" };
  const some = { anyOf: [{ type: "number" }, { type: "string" }, { type: "null" }] };
  const schema = { type: "object", properties: { either, some }, required: ["either", "some"] };
  expect(leanSchema(schema)).toEqual({
    type: "object",
    properties: {
      either: {
        type: "object",
        properties: { text: { type: "string", description: "d" } },
        description: "e",
      },
      some: { anyOf: [{ type: "number" }, { type: "string" }] },
    },
    required: [],
  });
});

it("leaves out bounds that every whole number has", () => {
  const schema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  expect(withoutBounds(schema)).toEqual({ type: "integer", minimum: 1 });
});
