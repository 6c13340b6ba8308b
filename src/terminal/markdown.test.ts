import { expect, it } from "vitest";
import { measureWidth } from "../base/text/display-width.ts";
import { formatMarkdown } from "./markdown.ts";
import { createPalette } from "./palette.ts";

const text = [
  "## Why we retry",
  "",
  "- The server **drops** connections; see `retry.ts` and [the report](https://example.org/report) on it",
  "  1. 网络 中断 之后 自动 重新 连接 并且 提示 用户 再试 一次",
  "> quoted",
  "```ts",
  "if (a) {",
  "    again();",
  "```",
  "---",
].join("\n");

it("shows headings, lists, quotes and code, wrapped at words", () => {
  const colors = createPalette();
  expect(formatMarkdown(text, { colors, width: 40 })).toEqual([
    "Why we retry",
    "",
    "• The server **drops** connections; see",
    "  `retry.ts` and [the",
    "  report](https://example.org/report) on",
    "  it",
    "  1. 网络 中断 之后 自动 重新 连接 并且",
    "     提示 用户 再试 一次",
    "│ quoted",
    "  if (a) {",
    "      again();",
    "────────────────────",
  ]);
});

it("has its signs replaced by colours where there are any", () => {
  const colors = createPalette({ color: true });
  const line = formatMarkdown("The **bold** `code` [page](https://a.org/x) **`both`**", {
    colors,
    width: 80,
  })[0];
  expect(line).toBe(
    `The ${colors.bold("bold")} ${colors.code("code")} page ${colors.dim("(https://a.org/x)")} ${colors.bold(colors.code("both"))}`,
  );
  const linked = createPalette({ color: true, links: true });
  expect(formatMarkdown("[page](https://a.org/x)", { colors: linked, width: 80 })).toEqual([
    linked.link("page", "https://a.org/x"),
  ]);
  // No other scheme becomes a link.
  expect(formatMarkdown("[x](file:///etc/passwd)", { colors: linked, width: 80 })).toEqual([
    "[x](file:///etc/passwd)",
  ]);
});

it("lets no text move the cursor, and none be wider than the terminal", () => {
  const evil = "# a\u001b[2J\n- \u001b]0;t\u0007\u202ex **\u009b31m**\n```\n\tx\u001bc\n```\n`\u0007`";
  const colors = createPalette();
  expect(formatMarkdown(evil, { colors, width: 40 }).join("")).not.toMatch(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/,
  );
  for (const line of formatMarkdown(`${"y".repeat(200)}\n- ${"z".repeat(90)}`, { colors, width: 30 })) {
    expect(measureWidth(line)).toBeLessThanOrEqual(30);
  }
});
