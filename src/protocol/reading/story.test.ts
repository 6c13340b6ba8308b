import { expect, test } from "vitest";
import type { TurnEntry } from "../operations/sessions.ts";
import { storyOf } from "./story.ts";

const said = (kind: TurnEntry["kind"], text: string) => ({ kind, text, images: 0, tool: null }) as TurnEntry;
const call = (name: string, action: string, is_error = false) =>
  ({ kind: "tool", text: "", images: 0, tool: { name, action, is_error } }) as TurnEntry;
const told = (entries: TurnEntry[]) =>
  storyOf(entries).map((step) =>
    step.kind === "explored" ? step.says : (step.entry.tool?.name ?? step.entry.text),
  );

test("what was looked at in a row is one step", () => {
  expect(
    told([
      said("prompt", "why?"),
      call("Read", "read"),
      said("thinking", "so"),
      call("Read", "read"),
      call("Grep", "read"),
      said("thinking", "then"),
      said("text", "because"),
      call("Read", "read"),
      call("Edit", "write"),
    ]),
  ).toEqual(["why?", "Looked around: 2 × Read, Grep", "then", "because", "Read", "Edit"]);
});

test("a look that failed stands for itself, and what says nothing is left out", () => {
  expect(
    told([said("thinking", ""), call("Read", "read"), call("Read", "read", true), said("thinking", "hm")]),
  ).toEqual(["Read", "Read", "hm"]);
});
