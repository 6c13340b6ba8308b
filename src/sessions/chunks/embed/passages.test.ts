import fc from "fast-check";
import { expect, test } from "vitest";
import { passagesOf } from "../embed.ts";

const none = { prompt: "", answer: "", actions: "", errors: "" };

test("a passage for each paragraph or two, and one for the actions", () => {
  const first = "The token was compared with the old one. ".repeat(12).trim();
  const second = "Now both are read from the same place. ".repeat(8).trim();
  const passages = passagesOf({
    prompt: "why does the resume test fail?",
    answer: `${first}\n\n${second}\nDone.`,
    actions: "Edit src/resume.ts",
    errors: "expected 1, got 2",
  });
  expect(passages).toEqual([
    "why does the resume test fail?",
    first,
    `${second}\nDone.`,
    "Edit src/resume.ts\nexpected 1, got 2",
  ]);
});

test("trivial text is not a passage, unless there is nothing else", () => {
  const question = "why does the resume test fail?";
  expect(passagesOf({ ...none, prompt: question, answer: "Done." })).toEqual([question]);
  expect(passagesOf({ ...none, prompt: "tabs", answer: "Done." })).toEqual(["tabs\nDone."]);
  expect(passagesOf(none)).toEqual([]);
});

test("every word is in a passage, except in passages that are too short", () => {
  const said = fc.array(fc.stringMatching(/^[a-z]{21,80}( [a-z]{3,9}){0,20}$/), { maxLength: 20 });
  fc.assert(
    fc.property(said, (lines) => {
      const passages = passagesOf({ ...none, answer: lines.join("\n") });
      expect(passages.join("\n")).toBe(lines.join("\n"));
    }),
  );
});
