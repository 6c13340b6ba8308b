import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { analyseQuery } from "./query.ts";

describe("intent", () => {
  it.each([
    ["parseConfig", "symbol"],
    ["retry", "symbol"],
    ["Router::route", "symbol"],
    ["fs.readFile()", "symbol"],
    ["MAX_RETRIES constant", "symbol"],
    ["src/http/server.ts", "path"],
    ["server.ts", "path"],
    ["tsconfig.base.json", "path"],
    ["app.use", "symbol"],
    ["Promise.all", "symbol"],
    ['TypeError: cannot read property "x"', "error"],
    ["panic: runtime error: index out of range", "error"],
    ["where are retries with backoff done", "language"],
    ["how the router stores routes", "language"],
  ])("%j is %s", (query, intent) => {
    expect(analyseQuery(query).intent).toBe(intent);
  });
});

describe("a question", () => {
  it.each([
    ["A builder that collects options", true],
    ["Represents a parsed response", true],
    ["where's the type of a query key defined", true],
    ["errors of the parser", true],
    ["returns the type of a key", false],
    ["parse a type declaration", false],
    ["how are requests retried", false],
    ["where are retries counted", false],
    ["Options", false],
  ])("%j asks for a type: %j", (query, is) => {
    expect(analyseQuery(query).asksForType).toBe(is);
  });
});

describe("words", () => {
  it("leaves out words without meaning, unless there are no others", () => {
    expect(analyseQuery("where is the retry").stems).toEqual(["retri"]);
    expect(analyseQuery("where is it").stems).toEqual(["where", "is", "it"]);
  });

  it("recognises a name in neighbouring words", () => {
    const { nameKeys, namesAsWritten } = analyseQuery("how does the path router work");
    expect(nameKeys).toContain("pathrouter");
    expect(namesAsWritten.has("pathrouter")).toBe(true);
    expect(namesAsWritten.has("router")).toBe(false);
  });

  it("has none in a query of punctuation", () => {
    for (const query of ["", "   ", "?!", "-- * ()"]) expect(analyseQuery(query).tokens).toEqual([]);
  });
});

it("accepts any text of any length, and stays small", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 20_000 }), (text) => {
      expect(analyseQuery(text).tokens.length).toBeLessThanOrEqual(192);
    }),
  );
  expect(analyseQuery("word ".repeat(5000)).tokens).toEqual(["word"]);
});

it("takes contractions and possessives for the words they are of", () => {
  expect(analyseQuery("why doesn't the session's lock expire").words).toEqual(["session", "lock", "expire"]);
  expect(analyseQuery("they’re the parser’s errors, isn't it").words).toEqual(["parser", "errors"]);
  expect(analyseQuery("it's 'x's").tokens.length).toBeGreaterThan(0);
});
