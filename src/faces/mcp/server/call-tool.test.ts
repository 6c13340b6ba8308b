import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PommelError } from "../../../base/errors.ts";
import { type Tool, tools } from "../shapes/definitions.ts";
import { explain, readArguments } from "./call-tool.ts";

it("errors name tools, not commands, as there may be no shell", () => {
  const missing = new PommelError(
    "not_found",
    'No session "x" is remembered.',
    "`pm session list` lists them.",
  );
  expect(explain("get_session", missing)).toBe(
    'not_found: No session "x" is remembered.\nsearch_sessions without a query lists them.',
  );
});

const read = (args: unknown) => readArguments("search_code", tools.search_code.input, args);

function refusal(args: unknown): PommelError {
  try {
    read(args);
  } catch (error) {
    if (error instanceof PommelError) return error;
  }
  throw new Error("it was not refused");
}

describe("arguments", () => {
  it("are filled in", () => {
    expect(read({ query: "retry" })).toEqual({ query: "retry", limit: 10, max_tokens: 1000 });
    expect(read({ chunk: "a.ts:3" })).toEqual({ chunk: "a.ts:3", limit: 10, max_tokens: 1000 });
  });

  it("may be null or empty where they may be left out", () => {
    expect(read({ query: "retry", path: [], cursor: "", language: null })).toEqual(read({ query: "retry" }));
  });

  it.each([
    [undefined, "query is missing."],
    [{}, "query is missing."],
    [{ query: null }, "query is missing."],
    [{ query: 5 }, "query must be a text."],
    [{ query: "a", limit: "ten" }, "limit must be a number."],
    [{ query: "a", limit: 1.5 }, "limit must be a whole number."],
    [{ query: "a", limit: 51 }, "limit must be at most 50."],
    [{ query: "a", max_tokens: 1 }, "max_tokens must be at least 500."],
    [{ query: "a", path: "src" }, "path must be a list."],
    [{ query: "a", path: [7] }, "path.0 must be a text."],
    [{ query: "a", level: ["x"] }, "level.0 must be one of file, class, method, block, lines."],
    [{ query: "a\0b" }, "query contains a NUL character."],
    [{ query: "a", path: ["b", "\0"] }, "path.1 must be a path."],
    [{ query: "a".repeat(1001) }, "query must be a text of at most 1000 characters."],
    [{ query: "a", exclude: "b" }, 'Unknown argument "exclude".'],
    [["a"], "The arguments must be a JSON object."],
    ["a", "The arguments must be a JSON object."],
  ])("%j are refused with what is wrong", (args, message) => {
    expect(refusal(args)).toMatchObject({ code: "usage", message });
    expect(refusal(args).hint).toBe(
      "search_code takes: query, chunk, path, language, level, package, regex, graph, all_projects, limit, cursor, max_tokens.",
    );
  });

  it("of any shape are read or refused, and nothing else", () => {
    const all = Object.entries<Tool>(tools);
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.jsonValue(), ([name, tool], args) => {
        try {
          readArguments(name, tool.input, args);
        } catch (error) {
          expect(error).toMatchObject({ code: "usage" });
        }
      }),
    );
  });

  it("with names of built-in object properties are no arguments", () => {
    const hostile = JSON.parse('{"query": "a", "__proto__": {"limit": 3}, "constructor": 1}') as unknown;
    expect(refusal(hostile).message).toContain("Unknown argument");
    expect(read({ query: "a" })).toMatchObject({ limit: 10 });
  });
});
