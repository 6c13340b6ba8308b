import { expect, it } from "vitest";
import { Kept } from "./kept.ts";

it("keeps what was read last within its bytes, and counts what is set again once", () => {
  const kept = new Kept<string, string>(10, (text) => text.length);
  for (const [key, text] of [
    ["a", "1234"],
    ["b", "1234"],
    ["a", "123456"],
  ] as const)
    kept.set(key, text);
  expect([kept.get("a"), kept.get("b")]).toEqual(["123456", "1234"]);
  kept.set("c", "12");
  expect([kept.get("a"), kept.get("b"), kept.get("c")]).toEqual(["123456", undefined, "12"]);
  kept.clear();
  kept.set("d", "1234567890");
  expect([kept.get("a"), kept.get("d")]).toEqual([undefined, "1234567890"]);
});
