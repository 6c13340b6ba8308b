import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PommelError } from "../../base/errors.ts";
import { tools } from "../../features/tools.ts";
import type { Tool } from "../../tools/tool.ts";
import { readArguments } from "./arguments.ts";
import { oldNames } from "./old-names.ts";

const read = (args: unknown) => readArguments("code", tools.code.input, args);
const understood = (args: unknown) => {
  const { args: given, notes } = read(args);
  const { max_tokens: _, ...others } = given;
  return { ...others, notes };
};

function refusal(args: unknown, name: "code" | "why" = "code"): PommelError {
  try {
    readArguments(name, tools[name].input, args);
  } catch (error) {
    if (error instanceof PommelError) return error;
  }
  throw new Error("it was not refused");
}

describe("arguments", () => {
  it.each([
    [{ query: "retry" }, { query: "retry" }],
    [{ q: "retry" }, { query: "retry" }],
    [
      { symbol: "retry", callers: "true" },
      { query: "retry", calls: true },
    ],
    [
      { query: "a", path: "src" },
      { query: "a", path: ["src"] },
    ],
    [
      { query: "a", files: ["src", "lib"] },
      { query: "a", path: ["src", "lib"] },
    ],
    [
      { query: "a", max_results: "5" },
      { query: "a", limit: 5 },
    ],
    [
      { query: "a", limit: 5000 },
      { query: "a", limit: 50 },
    ],
    [
      { query: "a", limit: 1.6 },
      { query: "a", limit: 2 },
    ],
    [{ query: "a", path: [], calls: null, place: "" }, { query: "a" }],
    [{ query: 5 }, { query: "5" }],
    ["retry", { query: "retry" }],
    [undefined, {}],
  ])("%j are read for what they mean", (args, meant) => {
    expect(understood(args)).toEqual({ ...meant, notes: [] });
  });

  it("that can be only some words are read without others", () => {
    const { args, notes } = readArguments("recall", tools.recall.input, { kind: ["x", "fix"] });
    expect(args).toMatchObject({ kind: ["fix"] });
    expect(notes).toEqual(["kind can be decision, attempt, fix, command, open: x was ignored."]);
  });

  it("have limits that are clamped, in the answer's length too", () => {
    expect(read({ query: "a", max_tokens: 100_000 }).args.max_tokens).toBe(20_000);
    expect(read({ query: "a", max_tokens: "1" }).args.max_tokens).toBe(200);
  });

  it.each([
    [{ query: "a", exclude: "b" }, { query: "a" }, 'code has no argument "exclude": it was ignored.'],
    [{ query: "a", limit: "ten" }, { query: "a" }, "limit must be a number: it was ignored."],
    [
      { query: "a", path: Array.from({ length: 60 }, () => "b") },
      { query: "a", path: Array.from({ length: 50 }, () => "b") },
      "path was cut to its first 50 entries.",
    ],
    [
      { query: `${"a".repeat(15_000)}${"b".repeat(15_000)}` },
      { query: `${"a".repeat(9999)} ${"b".repeat(10_000)}` },
      "query was cut to 20000 characters.",
    ],
    [
      { place: `${"a".repeat(900)}${"b".repeat(900)}` },
      { place: `${"a".repeat(499)} ${"b".repeat(500)}` },
      "place was cut to 1000 characters.",
    ],
    [["a"], {}, "The arguments are no JSON object: they were ignored."],
  ])("%j are answered all the same, with what was not understood", (args, meant, note) => {
    expect(understood(args)).toEqual({ ...meant, notes: [note] });
  });

  it.each([
    [{ query: "a\0b" }, "query contains a NUL character."],
    [{ query: "a", path: ["b", "\0"] }, "path contains a NUL character."],
  ])("%j are refused with what is wrong", (args, message) => {
    expect(refusal(args)).toMatchObject({ code: "usage", message });
  });

  it("that a tool cannot do without are asked for", () => {
    expect(refusal({}, "why")).toMatchObject({
      message: "place is missing.",
      hint: "why takes: place, revision, max_tokens.",
    });
  });

  it("of any shape are read or refused, and nothing else", () => {
    const all: [string, Pick<Tool, "input">][] = [...Object.entries(tools), ...Object.entries(oldNames)];
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.jsonValue(), ([name, { input }], args) => {
        try {
          readArguments(name, input, args);
        } catch (error) {
          expect(error).toMatchObject({ code: "usage" });
        }
      }),
    );
  });

  it("with names of built-in object properties are no arguments", () => {
    const hostile = JSON.parse('{"query": "a", "__proto__": {"limit": 3}, "constructor": 1}') as unknown;
    expect(understood(hostile)).toMatchObject({ query: "a" });
    expect(understood(hostile)).not.toHaveProperty("limit");
    expect(understood({ query: "a" })).toEqual({ query: "a", notes: [] });
  });
});
