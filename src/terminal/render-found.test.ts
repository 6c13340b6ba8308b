import { expect, it } from "vitest";
import { screenOf } from "../../test/support/screen.ts";
import { measureWidth } from "../base/text/display-width.ts";
import { type FoundItem, renderFound } from "./render-found.ts";

const code: FoundItem = {
  place: "src/retry.ts:10",
  title: "function retryRequest in Client",
  facts: [],
  why: ["defines retryRequest", "mentions retry"],
  snippet: {
    kind: "code",
    content: "\t// Tries the request again.\n\tasync function retryRequest() {\n\t}",
    startLine: 9,
    language: "typescript",
  },
  more: [],
};

const session: FoundItem = {
  place: "8ecde0fc:7",
  title: "修正登录页面",
  warning: "abandoned branch",
  facts: ["3 days ago", "", "main"],
  why: ["your note"],
  snippet: {
    kind: "text",
    content:
      "[USER] Why?\n\n[ASSISTANT] It needs **two** things:\n\n- a retry of the request, 网络 中断 之后 自动 重新 连接 并且\n- a limit\n\n[TOOL_USE] Read x",
    excerpt: "…two** things: - a retry of the request",
  },
  more: ["Led to abc1234"],
};

it("has one form for all results, as wide as the terminal", () => {
  const blocks = renderFound("retry", [code, session], { screen: screenOf(60), full: false });
  expect(blocks.join("\n\n")).toBe(
    [
      "1. src/retry.ts:10  function retryRequest in Client",
      "   defines retryRequest; mentions retry",
      "    9 │ // Tries the request again.",
      "   10 │ async function retryRequest() {",
      "",
      "2. 8ecde0fc:7  修正登录页面  (abandoned branch)",
      "   3 days ago | main",
      "   your note",
      "   │ agent   It needs **two** things:",
      "   │         • a retry of the request, 网络 中断 之后 自动",
      "   │           重新 连接 并且",
      "   │         • a limit",
      "   │ read    x",
      "   Led to abc1234",
    ].join("\n"),
  );
});

it("gives a pipe a line", () => {
  expect(renderFound("retry", [session], { screen: screenOf(), full: false })[0]!.split("\n").at(3)).toBe(
    "   …two things: - a retry of the request",
  );
});

it("marks the words, and lets comments step back", () => {
  const screen = screenOf(80, { color: true });
  const { match, dim } = screen.colors;
  const [block] = renderFound("retry request", [code], { screen, full: false });
  expect(block).toContain(dim(`// Tries the ${match("request")} again.`));
  expect(block).toContain(`async function ${match("retryRequest")}() {`);
});

it("lets nothing found move the cursor, and no line be wider than the terminal", () => {
  const evil = `\u001b]0;title\u0007\u001b[2J\u202e${"wide 页面 ".repeat(30)}`;
  const snippets: FoundItem["snippet"][] = [
    { kind: "code", content: evil, startLine: 1, language: "go" },
    { kind: "text", content: `[USER] ${evil}\n\`\`\`\n${evil}`, excerpt: evil },
  ];
  for (const width of [60, 80, 140]) {
    const results = snippets.map((snippet) => ({ ...code, snippet }));
    const text = renderFound("wide", results, { screen: screenOf(width), full: false }).join("\n");
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    for (const line of text.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(width);
  }
});
