import { describe, expect, it } from "vitest";
import { analyseQuery } from "../query.ts";
import {
  holdsNames,
  isLiteral,
  listLookupTerms,
  measureHeldShare,
  namesAsked,
  weighTerms,
} from "./asked-terms.ts";

const asked = (query: string, holding: Record<string, number>) => {
  const terms = listLookupTerms(analyseQuery(query));
  return weighTerms(terms, { chunks: 1000, holding: new Map(Object.entries(holding)) });
};

describe("weighTerms", () => {
  it("gives unseen words the highest weight, and knows the rest", () => {
    const { weights, known } = asked("quantum flux retry", { retri: 400 });
    expect([...weights.values()].reduce((a, b) => a + b, 0)).toBeCloseTo(1);
    expect(weights.get("quantum")).toBeGreaterThan(3 * weights.get("retri")!);
    expect(known).toBeCloseTo(weights.get("retri")!);
  });

  it("asks for pairs of characters where a script has no blanks", () => {
    const terms = listLookupTerms(analyseQuery("如何重试 retries"));
    expect(terms).toEqual(["retri", "如何", "何重", "重试"]);
    expect(weighTerms(terms, { chunks: 10, holding: new Map([["重试", 2]]) }).known).toBeGreaterThan(0);
  });
});

describe("heldShare", () => {
  const both = asked("retry backoff", { retri: 10, backoff: 10 });

  it.each([
    ["await withRetries(send)", 0.5],
    ["RETRY_LIMIT and exponentialBackoff", 1],
    ["retrieves the backofficer", 0],
    ["", 0],
  ])("finds in %j what the index would", (text, share) => {
    expect(measureHeldShare(both, text)).toBeCloseTo(share);
  });

  it("finds words whose case changes the length of the text", () => {
    expect(measureHeldShare(both, "İİİ retry")).toBeCloseTo(0.5);
  });
});

describe("holdsNames", () => {
  it.each([
    ["zanzibar1", "const zanzibar2 = 1", false],
    ["zanzibar1", "call(Zanzibar1)", true],
    ["where is parseConfig read", "parse the config", false],
    ["where is the config parsed", "anything", true],
  ])("%j in %j: %j", (query, text, holds) => {
    expect(holdsNames(namesAsked(analyseQuery(query)), text)).toBe(holds);
  });
});

describe("isLiteral", () => {
  it.each([
    ["g", "g = 1", true],
    ["g", "glob", false],
    ["parseConfig", "call parseConfig(x)", true],
    ["parse config", "parseConfig", false],
    ['where is "the retry budget" spent', "the retry budget of ten", true],
    ['where is "retry budget" spent', "a retry budget of ten", false],
    ['where is "retry budget" spent', "retry with a budget", false],
    ["重试", "我们重试三次", true],
    ["…", "… and so on", false],
  ])("%j in %j: %j", (query, text, is) => {
    expect(isLiteral(query, text)).toBe(is);
  });
});
