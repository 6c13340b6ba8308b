import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { measureWidth } from "../../base/text/display-width.ts";
import { renderLog } from "./log-words.ts";
import type { TurnStatement } from "./operation.ts";

const said = (kind: TurnStatement["kind"], text: string): TurnStatement => ({
  turn: 1,
  kind,
  text,
  call: null,
});
const called = (
  tool: string,
  text: string,
  more: Partial<NonNullable<TurnStatement["call"]>> = {},
): TurnStatement => ({
  turn: 1,
  kind: "tool",
  text: `${tool} ${text}`,
  call: {
    tool,
    is_error: false,
    action: "other",
    took_ms: null,
    result: "done",
    added: 0,
    removed: 0,
    changed: [],
    ...more,
  },
});

const log = [
  said("prompt", "Fix the **login** page:\n- 修正登录页面, 网络 中断 之后 自动 重新 连接 并且 提示 用户"),
  said("thinking", "Where is it?"),
  said("text", "I look at the code first."),
  called("Read", "src/login.ts", { action: "read" }),
  called("Read", "src/session.ts", { action: "read" }),
  called("Edit", "src/login.ts", { added: 2, removed: 1, changed: ["-old", "+new", "+newer"] }),
  called("Bash", "npm test", {
    action: "command",
    took_ms: 65_000,
    is_error: true,
    result: "\nFAIL login.test.ts\n  1 failed",
  }),
  called("Task", "Look for callers", { action: "delegate", result: "Two callers:\n- `a.ts`\n- `b.ts`" }),
  said("compaction", "auto"),
  said("summary", "The login page was fixed."),
];

const turn = {
  number: 1,
  prompt: "",
  started_at: new Date(2026, 0, 28, 14, 3).toISOString(),
  ended_at: null,
  branch: null,
  abandoned: true,
  tools: {},
  commands: { ran: 0, failed: 0, fixed: 0 },
  files: [],
};

const shown = (width: number, full: boolean, statements: readonly TurnStatement[] = log) =>
  renderLog(statements, [turn], { screen: screenOf(width), full });

describe("a session as a chat", () => {
  it("folds calls to a line, and shows what failed", () => {
    expect(shown(60, false)).toBe(
      [
        "── turn 1, 2026-01-28, abandoned branch ────────────────────",
        "❯ Fix the **login** page:",
        "  • 修正登录页面, 网络 中断 之后 自动 重新 连接 并且 提示",
        "    用户",
        "",
        "  I look at the code first.",
        "",
        "  · Explored: 2 × Read src/login.ts, src/session.ts",
        "  · Edit src/login.ts +2 -1",
        "  ✗ Bash npm test 1m 5s",
        "    FAIL login.test.ts",
        "  · Task Look for callers",
        "    └ Two callers:",
        "",
        "  ◇ context compacted (auto)",
        "",
        "  ◦ summary: The login page was fixed.",
      ].join("\n"),
    );
  });

  it("shows diffs and results in full on request", () => {
    const text = shown(80, true);
    for (const part of [
      "  ◦ thinking:\n    Where is it?",
      "  · Read src/login.ts\n    done\n  · Read src/session.ts\n    done",
      "  · Edit src/login.ts +2 -1\n    -old\n    +new\n    +newer\n",
      "  ✗ Bash npm test 1m 5s\n    FAIL login.test.ts\n      1 failed\n",
      "  · Task Look for callers\n    │ Two callers:\n    │ • `a.ts`\n    │ • `b.ts`\n",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("counts the rest of a long prompt and a long result", () => {
    const long = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join("\n");
    expect(shown(80, false, [said("prompt", long)])).toMatch(
      / {2}line 30\n {2}and 30 more lines \(--full\)$/,
    );
    expect(shown(80, true, [called("Bash", "x", { result: long })])).toMatch(
      /line 40\n {4}and 20 more lines/,
    );
  });

  it("is no wider than the terminal, and lets no text move the cursor", () => {
    const evil = `\u001b]0;title\u0007\u001b[2J\u202e\u009b31m${"wide 页面 ".repeat(40)}`;
    const kinds = ["prompt", "text", "thinking", "notice", "summary", "compaction"] as const;
    const statements = [
      ...kinds.map((kind) => said(kind, evil)),
      called("Bash", evil, { result: evil, is_error: true }),
      called(evil, evil, { result: evil, action: "delegate", added: 1, changed: [`+${evil}`] }),
    ];
    for (const width of [60, 80, 140]) {
      for (const full of [true, false]) {
        const text = shown(width, full, statements);
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        for (const line of text.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });
});
