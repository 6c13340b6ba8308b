import { expect, it } from "vitest";
import { createPalette } from "./palette.ts";

it("leaves texts as they are where there is no colour", () => {
  const plain = createPalette();
  const paints = [plain.bold, plain.id, plain.match, plain.prompt, plain.agent, plain.error];
  expect(paints.map((paint) => paint("x"))).toEqual(["x", "x", "x", "x", "x", "x"]);
  expect([plain.age("x", 1), plain.link("x", "https://example.org/")]).toEqual(["x", "x"]);
});

it("paints the new warm and the old faint", () => {
  const { age } = createPalette({ color: true });
  expect([1, 10, 60, 200, 900].map((days) => /\[(\d+)m/.exec(age("x", days))![1])).toEqual([
    "31",
    "33",
    "32",
    "36",
    "2",
  ]);
});

it("links texts, but none that lead nowhere", () => {
  const { link } = createPalette({ links: true });
  expect(link("a", "file:///a")).toBe("\u001b]8;;file:///a\u0007a\u001b]8;;\u0007");
  expect([link("a", null), link("", "file:///a")]).toEqual(["a", ""]);
});
