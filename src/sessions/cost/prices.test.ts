import { describe, expect, it } from "vitest";
import { makePriceFinder, priceTokens } from "./prices.ts";

const october = Date.parse("2026-10-20");
const find = makePriceFinder([]);
const million = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, cacheWriteHour: 0 };

describe("a model's price", () => {
  it.each([
    "claude-opus-4-5",
    "claude-opus-4-5-20251101",
    "claude-opus-4-5[1m]",
    "anthropic/claude-opus-4.5",
    "claude-opus-4-5@20251101",
    "us.anthropic.claude-opus-4-5-20251101-v1:0",
    "Claude-Opus-4-5-latest",
  ])("is found by the name %s", (name) => {
    expect(find(name, october)).toMatchObject({ vendor: "Anthropic", input: 5, output: 25 });
  });

  it.each(["claude-opus-4-99", "claude-opus", "my-claude-opus-4-5", "gpt-5-unheard-of", "", "<synthetic>"])(
    "is not taken from another model for %s",
    (name) => {
      expect(find(name, october)).toBeNull();
    },
  );

  it("is that of the day", () => {
    const cacheRead = ["2026-10-06T23:59:59Z", "2026-10-07T00:00:00Z"].map(
      (time) => find("claude-sonnet-5-5", Date.parse(time))?.cacheRead,
    );
    expect(cacheRead).toEqual([0.2, 0.1]);
  });

  it("is the person's own where the settings have one", () => {
    const own = makePriceFinder(["Claude-Opus-4.5 1 2 0 3", "house-model 0 0 0 0"]);
    expect(own("claude-opus-4-5-20251101", october)).toMatchObject({ vendor: null, input: 1, cacheWrite: 3 });
    expect(own("house-model", october)).toMatchObject({ vendor: null, output: 0 });
    expect(own("claude-opus-4-1", october)).toMatchObject({ vendor: "Anthropic" });
  });
});

describe("tokens", () => {
  it("cost more in the cache for an hour", () => {
    const price = find("claude-opus-4-5", october)!;
    expect(priceTokens(price, million, false)).toBeCloseTo(5 + 25 + 0.5 + 6.25);
    expect(priceTokens(price, { ...million, cacheWriteHour: 1e6 }, false)).toBeCloseTo(5 + 25 + 0.5 + 10);
  });

  it("cost more after a long prompt", () => {
    const price = find("claude-haiku-5-5", october)!;
    expect(priceTokens(price, million, false)).toBeCloseTo(0.1 + 0.5 + 0.01 + 0.125);
    expect(priceTokens(price, million, true)).toBeCloseTo(0.5 + 2.5 + 0.05 + 0.625);
  });

  it("cost as much into the cache as other input, where the vendor names no price", () => {
    const price = find("gpt-5", october)!;
    expect(priceTokens(price, { ...million, output: 0, cacheRead: 0 }, false)).toBeCloseTo(2.5);
  });
});
