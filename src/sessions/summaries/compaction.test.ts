import { describe, expect, it } from "vitest";
import { conversation, prompt, summary, text } from "../../../test/support/turn-fixture.ts";
import { cleanSummary, compactionSummaries } from "./summarise.ts";

const preamble =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n";
const goOn =
  "\n\nIf you need specific details from before compaction (like exact code snippets), read the full transcript at: /home/x/y.jsonl\nPlease continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.";
const statements =
  "1. Primary Request and Intent:\n   Fix the resume command.\n\n8. Current Work:\n   Tests pass.";

describe("cleanSummary", () => {
  it("leaves the summary itself", () => {
    expect(cleanSummary(`${preamble}Analysis:\nLet me think.\n\nSummary:\n${statements}${goOn}`)).toBe(
      statements,
    );
    expect(
      cleanSummary(
        `${preamble}<analysis>\nLet me think.\n</analysis>\n\n<summary>\n${statements}\n</summary>`,
      ),
    ).toBe(statements);
    expect(cleanSummary(`${preamble}${statements}`)).toBe(statements);
    expect(cleanSummary(statements)).toBe(statements);
  });

  it("keeps a summary that only mentions one", () => {
    const text = `${statements}\n\nSummary: all is well`;
    expect(cleanSummary(text)).toBe(text);
  });

  it("leaves nothing of one that says nothing", () => {
    expect(cleanSummary(`${preamble}<analysis>Let me think`)).toBe("");
    expect(cleanSummary("")).toBe("");
  });

  it("is bounded, and drops code before words", () => {
    const code = `\`\`\`\n${"let x = 1;\n".repeat(2000)}\`\`\``;
    const long = cleanSummary(`${preamble}Analysis:\nx\n\nSummary:\n1. Request:\n${code}\n${statements}`);
    expect(long).toBe(`1. Request:\n[code]\n${statements}`);
    expect(cleanSummary("word ".repeat(10_000)).length).toBeLessThanOrEqual(12_000);
    expect(cleanSummary("\n".repeat(200_000))).toBe("");
  });
});

describe("compactionSummaries", () => {
  it("gives each with the turns that it covers", () => {
    const turns = conversation(
      prompt("Fix the resume command"),
      text("Fixed."),
      summary(`${preamble}Summary:\nThe first.`),
      prompt("Now the docs"),
      prompt("And the tests"),
      summary(`${preamble}Summary:\nThe second.`),
      summary(preamble),
    );
    expect(compactionSummaries(turns)).toEqual([
      { text: "The first.", upToTurn: 1 },
      { text: "The second.", upToTurn: 3 },
    ]);
    expect(compactionSummaries([])).toEqual([]);
  });
});
