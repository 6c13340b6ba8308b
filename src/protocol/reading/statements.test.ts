import { expect, it } from "vitest";
import { formatSnippet, parseStatements } from "./statements.ts";

it("says who speaks and what was done", () => {
  expect(parseStatements("…end. [USER] Why [x]? [TOOL_USE] Bash npm test", true)).toEqual([
    { speaker: "", text: "…end. " },
    { speaker: "you", text: "Why [x]? " },
    { speaker: "ran", text: "npm test" },
  ]);
  // In a whole turn only what begins a line is a label.
  expect(parseStatements("[USER] what does [USER] mean?\n[TOOL_USE] Todo list")).toEqual([
    { speaker: "you", text: "what does [USER] mean?\n" },
    { speaker: "tool", text: "Todo list" },
  ]);
  expect(parseStatements("plain")).toEqual([{ speaker: "", text: "plain" }]);
});

it("makes a line of a snippet, without marks", () => {
  expect(
    formatSnippet("…### 7. Tests [TOOL_USE] Grep src x|y [TOOL_USE] LS src [TOOL_USE] WebFetch https://a.b"),
  ).toBe("…7. Tests searched src x|y listed src fetched https://a.b");
  expect(
    formatSnippet(
      "…cut [ASSISTANT] ## Plan **Two** things: `a_b` [TOOL_USE] Write src/a.ts [TOOL_USE] Bash ls -la",
    ),
  ).toBe("…cut agent: Plan Two things: a_b wrote src/a.ts ran: ls -la");
  expect(formatSnippet("[NOTE] keep it ```go cwd := 1``` and ``b`c`` here")).toBe(
    "note: keep it cwd := 1 and b`c here",
  );
  expect(formatSnippet("…two** things")).toBe("…two things");
  expect(formatSnippet("a ** b, src/**/*.ts and #1")).toBe("a ** b, src/**/*.ts and #1");
});
