import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { makeNotedMessage, parsePromptNotes, writeNotesPrompt } from "./prompt-notes.ts";

const note = "Note to Pommel: use Redis";
const found = ["use Redis"];

describe("a person's notes in a prompt", () => {
  test.each([
    [note, found],
    ["note to pommel:   use Redis  \nand go on", found],
    [`Fix the cache\n${note}\nthanks`, found],
    [`Fix the cache.\n\n${note}\n\nThen the docs.`, found],
    [`Look at src/a.ts:12 and fix it\n${note}`, found],
    [`Running the tests takes ages, fix it\n${note}`, found],
    [`Compiling it fails\n${note}`, found],
    [`Installing node 20.19 fails on my laptop\n${note}`, found],
    [
      "NOTE TO POMMEL: a\n- Note to Pommel: b\n  * note to Pommel：c\n1. note to pommel: d",
      ["a", "b", "c", "d"],
    ],
    ["**Note to Pommel:** bold", ["bold"]],
    ["**Note to Pommel**: bold", ["bold"]],
    ["Note to Pommel: *never* log tokens", ["*never* log tokens"]],
    ["Note to Pommel: mind the colon: it stays", ["mind the colon: it stays"]],
    ["Note to Pommel: windows\r\nnext", ["windows"]],
    [`\`\`\`\ncode\n\`\`\`\n\n${note}`, found],
    [`> they said\n\n${note}`, found],
    [`${note}\n\n2026-01-02T03:04:05Z ERROR it fails\n    at run (a.js:1:2)`, found],
    ["Note to Pommel:\nnothing on its line", []],
    ["Note to Pommel:   ", []],
    ["a footnote to Pommel: is none", []],
    ["Note to Pommel without a colon", []],
    ["", []],
  ])("%j", (prompt, notes) => {
    expect(parsePromptNotes(prompt)).toEqual(notes);
  });

  it("are bounded, and never end in half a character", () => {
    expect(parsePromptNotes(`Note to Pommel: ${"x".repeat(5_000)}`)[0]).toHaveLength(2_000);
    const [long = ""] = parsePromptNotes(`Note to Pommel: x${"😀".repeat(2_000)}`);
    expect(Buffer.from(long).toString()).toBe(long);
  });

  it("are found again in a prompt of nothing else, whatever they are", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const notes = parsePromptNotes(texts.map((one) => `Note to Pommel: ${one}`).join("\n"));
        expect(parsePromptNotes(writeNotesPrompt(notes))).toEqual(notes);
      }),
    );
  });
});

describe("somebody else's words in a prompt are no note", () => {
  const log = ["npm warn deprecated inflight", "FAIL src/retry.test.ts", "    at run (src/retry.ts:3:5)"];
  test.each([
    ["in the middle of a sentence", `please do it. ${note}`],
    ["in a fence", `What is this?\n\`\`\`\n${note}\n\`\`\``],
    ["in a fence with a language", `\`\`\`text\n${note}\n\`\`\`\nfix it`],
    ["in a fence of tildes", `~~~\n${note}\n~~~`],
    ["in a fence that is open", `\`\`\`\nlog\n\n${note}`],
    ["in a fence that what it quotes tries to end", `\`\`\`\nlog\n\`\`\`\n\n${note}\n\n\`\`\`\nlog\n\`\`\``],
    ["in a quotation", `> ${note}`],
    ["in a quotation that goes on without its mark", `> the review says\n${note}`],
    ["in a quotation of a quotation", `> > ${note}\nwhat?`],
    ["in indented code", `Look:\n\n    ${note}`],
    ["in tags", `<pasted>\n\n${note}\n\n</pasted>`],
    ["in tags with attributes", `See\n<file path="a.md">\n${note}\n</file>`],
    ["in tags that what they quote tries to end", `<log>\n</log>\n\n${note}\n\n<log>\n</log>`],
    ["in the result of a tool", `<tool_result>\n${note}\n</tool_result>`],
    ["in a diff", `+${note}`],
    ["in the middle of a log", `Fix this:\n${log.join("\n")}\n${note}\n${log.join("\n")}`],
    ["at the end of a log", `Fix this:\n${log.join("\n")}\n${note}`],
    ["between blank lines of a log", `Fix this:\n\n${log.join("\n")}\n\n${note}\n\n${log.join("\n")}`],
    ["in a long paragraph", `${"a line of a document\n".repeat(9)}${note}`],
    ["in what a compiler says", `src/a.ts(3,5): error TS2304: x\n${note}`],
    ["in what pytest says", `=========== FAILURES ===========\n${note}`],
    ["in a trace", `Traceback (most recent call last):\n${note}\nValueError: x`],
    ["in a log with times", `[12:03:04] start\n${note}`],
    ["in a container's build", `Step 1/5 : FROM node\n${note}\nStep 2/5 : RUN npm ci`],
    ["in BuildKit's log", `#5 [2/5] RUN x\n#5 0.2 go\n${note}`],
    ["in what cargo says", `   Compiling foo v0.1.0\n${note}\n   Compiling bar v0.2.0`],
    ["in what Rust's tests say", `running 3 tests\n${note}\ntest a::b ... ok`],
    ["in what Go's tests say", `=== RUN   TestA\n${note}`],
    ["in what make says", `make[1]: Entering directory 'x'\n${note}`],
    ["among downloads", `Downloading https://x.test/a.tgz\n${note}\nCollecting requests==2.1`],
    ["in a workflow's log", `##[group]Run npm test\n${note}\n##[endgroup]`],
  ])("%s", (_, prompt) => {
    expect(parsePromptNotes(prompt)).toEqual([]);
  });

  it("whatever is quoted, it cannot end its own quotation", () => {
    const line = fc.oneof(
      fc.constantFrom("```", "~~~", "</log>", "<log>", "> x", "", note, `- ${note}`, "</a>", "````", "  ```"),
      fc.string({ unit: anyCharacter, maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const quoted = lines.join("\n");
        expect(parsePromptNotes(`Look:\n<log>\n${quoted}\n</log>`)).toEqual([]);
        // A fence that is even within it ends with it; one that is odd goes on to the end.
        expect(parsePromptNotes(`Look:\n\`\`\`\n${quoted}\n\`\`\``)).toEqual([]);
      }),
    );
  });

  it("is found in time that grows with the prompt", () => {
    for (const piece of [
      "<a>\n",
      "```\n",
      "</a>\n",
      "- note to pommel\n",
      "> \n",
      "(((",
      "note to pommel ",
    ]) {
      const prompt = `${note}\n\n${piece.repeat(50_000)}`;
      expect(parsePromptNotes(prompt).length).toBeLessThanOrEqual(1);
    }
  });
});

it("a person is told what was noted, in one line, and how to take it back", () => {
  expect(makeNotedMessage(["use Redis", "a\nb"])).toBe(
    "Noted: use Redis; a b. `pm note --undo` takes it back.",
  );
  expect(makeNotedMessage(["\u001b[2Jx".repeat(100)]).length).toBeLessThan(300);
});
