import { expect, test } from "vitest";
import { parseReplacedDecision } from "./stored.ts";

test.each([
  ["Instead of “We poll every second.”: we wait for events", "We poll every second."],
  ['instead of "We poll": we wait', "We poll"],
  ["Instead of “say “hi” twice”: once", "say “hi” twice"],
])("a note that replaces a decision quotes it: %s", (note, replaced) => {
  expect(parseReplacedDecision(note)).toBe(replaced);
});

test.each([
  "Instead of polling we wait for events",
  "Instead of “polling” we wait",
  "Instead of “polling”:",
  "We wait instead of “polling”: always",
])("any other note replaces nothing: %s", (note) => {
  expect(parseReplacedDecision(note)).toBeNull();
});
