import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { renderTurn } from "./read-turns.ts";

const render = (...entries: TranscriptEntry[]) => renderTurn([{ uid: null, seq: 0, at: null, entries }]);

test("shows all messages and tool calls in order", () => {
  const result = { id: "1", isError: false, edits: null, subagent: null };
  expect(
    render(
      { kind: "title", text: "A title" },
      { kind: "prompt", text: " Fix it \n", images: 0 },
      { kind: "thinking", text: "Hm." },
      { kind: "text", text: "" },
      { kind: "text", text: "I look." },
      { kind: "tool_use", id: "1", tool: "Bash", input: { command: "ls", timeout: 5 }, files: [] },
      { kind: "tool_result", text: "a.ts\nb.ts\n", ...result },
      { kind: "tool_result", text: "exit 1", ...result, isError: true },
      { kind: "compaction", trigger: "auto", preTokens: 1 },
      { kind: "summary", text: "So far." },
      { kind: "notice", text: "Interrupted" },
    ),
  ).toBe(
    [
      "[USER] Fix it",
      "[THINKING] Hm.",
      "[ASSISTANT] I look.",
      "[TOOL_USE] Bash\n  command: ls\n  timeout: 5",
      "[TOOL_RESULT] a.ts\nb.ts",
      "[TOOL_RESULT] error: exit 1",
      "[COMPACTION] auto",
      "[SUMMARY] So far.",
      "[NOTICE] Interrupted",
    ].join("\n\n"),
  );
});

test("indents what has several lines, and names a picture", () => {
  const input = { file_path: "a.ts", content: "one\ntwo" };
  expect(render({ kind: "tool_use", id: "1", tool: "Write", input, files: [] })).toBe(
    "[TOOL_USE] Write\n  file_path: a.ts\n  content:\n    one\n    two",
  );
  expect(render({ kind: "prompt", text: "", images: 1 })).toBe("[USER] (an image)");
});
