import { expect, test } from "vitest";
import {
  conversation,
  edited,
  type Happening,
  prompt,
  ran,
  read,
  text,
  wrote,
} from "../../../test/support/turn-fixture.ts";
import { actionOf, type Turn } from "../turn-content.ts";
import { actionCounts, promptBeginning, toolCounts, touchedFiles } from "./turns.ts";

function turnOf(...happenings: Happening[]): Turn {
  const [turn] = conversation(...happenings);
  if (turn === undefined) throw new Error("no turn");
  return turn;
}
const relative = (path: string): string => path.replace("/p/", "");

test("files with the strongest action on each, in order; failed edits do not count", () => {
  const turn = turnOf(
    prompt("go"),
    read("/p/a.ts"),
    read("/p/b.ts"),
    edited("/p/a.ts", "1", "2"),
    read("/p/a.ts"),
    wrote("/p/c.ts", "x"),
    edited("/p/c.ts", "x", "y"),
    edited("/p/d.ts", "1", "2", { isError: true }),
  );
  expect(touchedFiles(turn, relative)).toEqual([
    { path: "a.ts", how: "edit" },
    { path: "b.ts", how: "read" },
    { path: "c.ts", how: "write" },
  ]);
});

test("tools are counted, failed uses as well", () => {
  const turn = turnOf(ran("a"), ran("b", "x", { isError: true }), read("/p/a.ts"));
  expect(toolCounts(turn)).toEqual({ Bash: 2, Read: 1 });
});

test("uses are counted by their action, failed ones as well", () => {
  const turn = turnOf(
    ran("a"),
    ran("b", "x", { isError: true }),
    read("/p/a.ts"),
    edited("/p/a.ts", "1", "2"),
    wrote("/p/c.ts", "x"),
  );
  expect(actionCounts(turn)).toEqual({ command: 2, read: 1, write: 2 });
});

test("an adapter's own action for a call takes precedence over its looks", () => {
  const use = { kind: "tool_use" as const, id: "1", tool: "x", input: { command: "make" }, files: [] };
  expect(actionOf(use)).toBe("command");
  expect(actionOf({ ...use, action: "other" })).toBe("other");
  expect(actionOf({ ...use, action: "of a later version" as "other" })).toBe("command");
});

test("the beginning of the prompt, in one line", () => {
  expect(promptBeginning(turnOf(prompt("why\n\n  does it\tfail? "), text("because")))).toBe(
    "why does it fail?",
  );
  expect(promptBeginning(turnOf(text("no prompt")))).toBe("");
  const long = promptBeginning(turnOf(prompt("word ".repeat(5_000))));
  expect(long.length).toBeLessThanOrEqual(300);
  expect(long).toMatch(/word…$/);
});
