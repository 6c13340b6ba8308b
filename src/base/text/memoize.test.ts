import { expect, it } from "vitest";
import { memoize } from "./memoize.ts";

it("a memoized function computes each text once, and forgets all when it remembers too many", () => {
  const computed: string[] = [];
  const upper = memoize(2, (text) => {
    computed.push(text);
    return text.toUpperCase();
  });
  expect(["a", "b", "a", "", ""].map(upper)).toEqual(["A", "B", "A", "", ""]);
  expect(computed).toEqual(["a", "b", ""]);
  expect(upper("a")).toBe("A");
  expect(computed).toEqual(["a", "b", "", "a"]);
});
