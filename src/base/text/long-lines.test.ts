import { expect, it } from "vitest";
import { shortenLines } from "./long-lines.ts";

const image = `![](data:image/png;base64,${"iVBORw0KGgo".repeat(4000)})`;

it("shortens data, and keeps what stands beside it and on other lines", () => {
  const text = shortenLines(`before\n${image} caption\nafterTheImage`);
  expect(text.length).toBeLessThan(300);
  expect(text).toMatch(/^before\n!\[\]\(data:image/);
  expect(text).toMatch(/\) caption\nafterTheImage$/);
});

it("cuts a long line of many words, and leaves ordinary texts as they are", () => {
  const words = "word ".repeat(3000);
  expect(shortenLines(`${words}\nnext`)).toBe(`${words.slice(0, 4000)}\nnext`);
  const many = "an ordinary line\n".repeat(2000);
  expect(shortenLines(many)).toBe(many);
});
