import { expect, it } from "vitest";
import { createFinder } from "./finder.ts";
import type { SecretRule } from "./patterns/rule.ts";

it("tries what begins a word only there, however often its keyword occurs", () => {
  let tried = 0;
  const rule: SecretRule = {
    name: "key",
    type: "KEY",
    keywords: ["aaaa"],
    notBehind: /\w/,
    isWholeToken: true,
    at: () => {
      tried++;
      return null;
    },
    findAll: () => [],
  };
  createFinder([rule])(`${"a".repeat(10_000)} ${"a".repeat(10_000)}`);
  expect(tried).toBe(2);
});
