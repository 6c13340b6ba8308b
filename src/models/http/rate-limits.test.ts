import { expect, it } from "vitest";
import { waitAskedFor } from "./request.ts";

const wait = (headers: Record<string, string>, now = 0) => waitAskedFor(new Headers(headers), now);

it("reads Retry-After in seconds and as a date, and OpenAI's in milliseconds before it", () => {
  expect(wait({ "retry-after": "2" })).toBe(2000);
  expect(wait({ "retry-after": "0.5" })).toBe(500);
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(wait({ "retry-after": "Sat, 21 Nov 2026 12:01:00 GMT" }, now)).toBe(60_000);
  expect(wait({ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, now)).toBe(0);
  expect(wait({ "retry-after": "9", "retry-after-ms": "1250" })).toBe(1250);
});

it.each([
  ["6m0s", 360_000],
  ["1.5s", 1500],
  ["12ms", 12],
  ["1h2m3s", 3_723_000],
  ["1d", 86_400_000],
  ["20", 20_000],
])("reads a reset in %s", (text, ms) => {
  expect(wait({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": text })).toBe(ms);
});

it("waits for the later of two limits that are used up, and for none that is not", () => {
  const resets = { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "3s" };
  const remaining = (requests: string, tokens: string) => ({
    ...resets,
    "x-ratelimit-remaining-requests": requests,
    "x-ratelimit-remaining-tokens": tokens,
  });
  expect(wait(remaining("0", "0"))).toBe(3000);
  expect(wait(remaining("0", "5"))).toBe(1000);
  expect(wait(remaining("-1", "5"))).toBeNull();
  expect(wait(resets)).toBeNull();
});

it("ignores what it cannot read", () => {
  expect(wait({})).toBeNull();
  expect(wait({ "retry-after": "soon" })).toBeNull();
  expect(wait({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "never" })).toBeNull();
  expect(wait({ "x-ratelimit-remaining-tokens": "0" })).toBeNull();
});
