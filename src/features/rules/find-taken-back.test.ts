import { expect, it } from "vitest";
import { findRulesTakenBack } from "./find-taken-back.ts";
import type { PastTurn } from "./read-past.ts";
import { describeCheck } from "./words.ts";

/** What the agent puts in place of what, in `src/a.go`. */
type Edit = [before: string, after: string];
const makeTurn = (turn: number, prompt: string, ...edits: Edit[]): PastTurn => ({
  session: "s1",
  turn,
  at: null,
  said: [{ text: prompt, denied: null }],
  calls: edits.map(([removed, added]) => ({
    call: { tool: "Edit", command: "", files: ["src/a.go"], created: [], added },
    id: "",
    removed,
    result: null,
    wasDenied: false,
    isOther: false,
  })),
});
const print = "fmt.Println(err)";
const find = (prompt: string, ...edits: Edit[]) =>
  findRulesTakenBack([
    makeTurn(1, "log the error", ["x()", `x()\n${print}`]),
    makeTurn(2, prompt, ...edits),
  ]).map(({ check, holdsOn, turn }) => `${turn}: ${describeCheck(check)}${holdsOn ? ", for good" : ""}`);

it("what a person refuses by its name, and what then goes, is a rule with their reason", () => {
  const back: Edit = [print, "slog.Error(err)"];
  const found = "2: `fmt.Println` in what is written, for good";
  expect(find("don't use fmt.Println, we log with slog", back)).toEqual([found]);
  expect(find("Please use slog instead of `fmt.Println()` because the output is parsed.", back)).toEqual([
    found,
  ]);
  expect(find("remove the fmt.Println, it breaks the JSON output", back)).toEqual([found]);
  expect(find("I removed fmt.Println because the output is parsed")).toEqual([found]);
  expect(find("use slog instead of fmt.Println", back)).toEqual(["2: `fmt.Println` in what is written"]);
});

it("nothing is a rule that the agent did not write, that stands, or that is about one place or time", () => {
  const back: Edit = [print, "slog.Error(err)"];
  for (const prompt of [
    "don't use log.Fatal, we log with slog",
    "remove the fmt.Println",
    "don't use fmt.Println in cmd/main.go, it is parsed",
    "don't use fmt.Println here, it is parsed",
    "for now don't use fmt.Println, it is parsed",
    "why did you use slog instead of fmt.Println?",
    "drop the error, it is never read",
  ])
    expect(find(prompt, back), prompt).toEqual([]);
  const refused = "don't use fmt.Println, we log with slog";
  expect(find(refused)).toEqual([]);
  expect(find(refused, [print, "slog.Error(err)"], ["y()", "fmt.Println(y)"])).toEqual([]);
  expect(findRulesTakenBack([makeTurn(1, refused, back)])).toEqual([]);
  // What the agent made itself is taken back once.
  const made = makeTurn(1, "do it", ["", "func breakRuns() {"]);
  const gone = makeTurn(2, "remove breakRuns as it's no longer needed", ["func breakRuns() {", ""]);
  expect(findRulesTakenBack([made, gone])).toEqual([]);
});
