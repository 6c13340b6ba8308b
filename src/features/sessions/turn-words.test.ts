import { expect, test } from "vitest";
import { foldSteps } from "./turn-words.ts";

type Told = ReturnType<Parameters<typeof foldSteps<object>>[1]>;
const said = (kind: Told["kind"], text: string): Told => ({ kind, text, call: null });
const call = (tool: string, action: string, is_error = false): Told => ({
  kind: "tool",
  text: "",
  call: { tool, action, is_error },
});
const told = (entries: Told[]) =>
  foldSteps(entries, (entry) => entry).map((step) =>
    step.kind === "explored" ? step.says : (step.entry.call?.tool ?? step.entry.text),
  );

test("what was looked at in a row is one step", () => {
  expect(
    told([
      said("prompt", "why?"),
      call("Read", "read"),
      said("thinking", "so"),
      call("Read", "read"),
      said("text", "Let me look for it."),
      call("Grep", "other"),
      said("thinking", "then"),
      said("text", "because"),
      call("Edit", "write"),
    ]),
  ).toEqual(["why?", "Explored: 2 × Read, Grep", "then", "because", "Edit"]);
});

test("an answer stands for itself between looks", () => {
  const answer = "It is a race:\nthe lock is taken after the check.";
  expect(told([call("Read", "read"), said("text", answer), call("Read", "read")])).toEqual([
    "Read",
    answer,
    "Read",
  ]);
});

test("a look that failed stands for itself, and what says nothing is left out", () => {
  expect(
    told([said("thinking", ""), call("Read", "read"), call("Read", "read", true), said("thinking", "hm")]),
  ).toEqual(["Read", "Read", "hm"]);
});
