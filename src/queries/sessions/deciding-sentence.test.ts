import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../project/config/settings.ts";
import { sentenceFinder } from "./deciding-sentence.ts";

const find = sentenceFinder(defaultConfig());
const sentenceOf = (text: string, query?: string) => find(text, query).text;

describe("the sentence that says what was decided", () => {
  it("is the one that decides, or with a query that with most of its words", () => {
    const text =
      "[USER] What now?\n[ASSISTANT] Tests pass. We decided to retry thrice. We decided on SQLite for the queue.";
    expect(sentenceOf(text)).toBe("We decided to retry thrice.");
    expect(sentenceOf(text, "which queue")).toBe("We decided on SQLite for the queue.");
  });

  it.each([
    "## Decision: retries\n\n### Why\n\nThe ledger is slow, so three times.",
    "**Decision: retries**\nThe ledger is slow, so three times.",
    "Decision: retries:\n- The ledger is slow, so three times.",
  ])("takes what a heading announces: %j", (statement) => {
    expect(sentenceOf(`[ASSISTANT] ${statement}`)).toBe(
      "Decision: retries: The ledger is slow, so three times.",
    );
  });

  it("is a row of a table, not its head, and no code", () => {
    const table =
      "## Design decisions\n\n| What | Why |\n|---|---|\n| **Three** retries | The ledger is slow |";
    const told = "Design decisions: Three retries; The ledger is slow";
    expect(sentenceOf(`[ASSISTANT] ${table}`)).toBe(told);
    expect(sentenceOf(`[ASSISTANT] My recommendation:\n\`\`\`go\nx := 1\n\`\`\`\nCount them.`)).toBe(
      "My recommendation: Count them.",
    );
  });

  it("is what the human chose before what the agent proposed", () => {
    const options = "[ASSISTANT] Option A: a cache. Option B: a queue.";
    expect(find(options)).toEqual({ text: "Option A: a cache.", decides: false });
    expect(find(`${options}\n[USER] Go with the queue please.`)).toEqual({
      text: "Go with the queue please.",
      decides: true,
    });
    const answered =
      'User has answered your questions: "How many? Really?"="Three", "Where?"="In the ledger". Go on.';
    expect(find(`${options}\n[USER] ${answered}`)).toEqual({
      text: "How many? Really? → Three",
      decides: true,
    });
    expect(sentenceOf(`[USER] ${answered}`, "where")).toContain("Where? → ");
  });

  it("is a heading where nothing comes after it, and is never what a tool printed", () => {
    expect(sentenceOf("[ASSISTANT] ## Design decisions")).toBe("Design decisions");
    expect(sentenceOf("[TOOL_RESULT] We decided to fail.\n[ASSISTANT] Done.")).toBe("Done.");
    expect(sentenceOf("")).toBe("");
  });
});
