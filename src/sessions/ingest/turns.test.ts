import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conversation,
  edited,
  type Happening,
  pause,
  prompt,
  ran,
  read,
  text,
  wrote,
} from "../../../test/support/turn-fixture.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import { groupTurns, turnToStore } from "./turns.ts";

const options = { minTokens: 200, pauseMinutes: 5 };
const numbers = (turns: Turn[]) =>
  groupTurns(turns, options).map((group) => group.map(({ number }) => number));
const long = text("An answer of some length. ".repeat(40));

describe("groups of turns", () => {
  test("short turns belong together, until there is enough", () => {
    expect(numbers(conversation(prompt("a?"), text("b"), prompt("c?"), text("d")))).toEqual([[1, 2]]);
    expect(numbers(conversation(prompt("a?"), long, prompt("c?"), text("d"), prompt("e?")))).toEqual([
      [1],
      [2, 3],
    ]);
  });

  test("a pause of more than five minutes ends a group", () => {
    expect(numbers(conversation(prompt("a?"), pause(4), prompt("b?")))).toEqual([[1, 2]]);
    expect(numbers(conversation(prompt("a?"), pause(5.1), prompt("b?")))).toEqual([[1], [2]]);
  });

  test("missing times, or times that go backwards, are no pause", () => {
    const turns = conversation(prompt("a?"), pause(60), prompt("b?"), pause(-500), prompt("c?"));
    for (const line of turns[1]?.lines ?? []) line.at = null;
    expect(numbers(turns)).toEqual([[1, 2, 3]]);
  });

  test.each([
    ["now let's write the docs", true],
    ["Now, let’s write the docs", true],
    ["okay, let's move on to the docs", true],
    ["Next, can we look at the docs?", true],
    ["next let's look at the docs", true],
    ["Next I'd like the docs", true],
    ["switching to the docs", true],
    ["different topic: the docs", true],
    ["On a different topic, the docs", true],
    ["Lad os nu skrive dokumentationen", true],
    ["Næste: dokumentationen", true],
    ["nu skal vi skrive dokumentation", true],
    ["noget andet: dokumentationen", true],
    ["what comes next, let's see", false],
    ["the next test fails now", false],
    ["next.js is slow", false],
    ["nusse", false],
  ])("%j changes the topic, which ends a group: %s", (texts, changes) => {
    expect(numbers(conversation(prompt("a?"), prompt(texts)))).toEqual(changes ? [[1], [2]] : [[1, 2]]);
  });

  test("edits of files that the group did not touch end it", () => {
    const a = edited("/p/a.ts", "1", "2");
    const b = edited("/p/b.ts", "1", "2");
    expect(numbers(conversation(prompt("a"), a, prompt("b"), b))).toEqual([[1], [2]]);
    expect(numbers(conversation(prompt("a"), a, prompt("a again"), a))).toEqual([[1, 2]]);
    expect(numbers(conversation(prompt("a"), a, read("/p/b.ts"), prompt("b"), b))).toEqual([[1, 2]]);
    expect(numbers(conversation(prompt("why?"), prompt("b"), b))).toEqual([[1, 2]]);
  });
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.constantFrom("fix it", "now let's go", "why?", "næste").map((texts) => prompt(texts)),
  fc.constantFrom("short", "long ".repeat(100)).map((texts) => text(texts)),
  fc.constantFrom("/p/a.ts", "/p/b.ts", "/p/c.ts").map((path) => edited(path, "old", "new")),
  fc.constant(ran("npm test", "ok")),
  fc.constant(read("/p/a.ts")),
  fc.constantFrom(1, 6, -10).map((minutes) => pause(minutes)),
);

/** Like a reader that comes back after each line and only has the turns of the last group. */
function lineByLine(turns: readonly Turn[]): Turn[][] {
  const groups: Turn[][] = [];
  for (const turn of turns) {
    for (let end = 1; end <= turn.lines.length; end++) {
      const grown = { ...turn, lines: turn.lines.slice(0, end) };
      const last = groups.pop() ?? [];
      groups.push(...groupTurns([...last.filter(({ number }) => number !== turn.number), grown], options));
    }
  }
  return groups;
}

test("reading line by line gives the same groups as reading all at once", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const turns = conversation(...happenings);
      expect(lineByLine(turns)).toEqual(groupTurns(turns, options));
    }),
  );
});

test("a turn that begins a group still does when it grows", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 20 }), (happenings) => {
      const [first, second] = conversation(
        prompt("a"),
        edited("/p/a.ts", "1", "2"),
        prompt("b"),
        ...happenings,
      );
      if (first === undefined || second === undefined) throw new Error("expected two turns");
      const begins = second.lines.map((_, end) => {
        const beginning = { ...second, lines: second.lines.slice(0, end + 1) };
        return groupTurns([first, beginning], options).length === 2;
      });
      expect(begins).toEqual(begins.toSorted((a, b) => Number(a) - Number(b)));
    }),
  );
});

function turnOf(...happenings: Happening[]): Turn {
  const [turn] = conversation(...happenings);
  if (turn === undefined) throw new Error("no turn");
  return turn;
}
const stored = (turn: Turn) => turnToStore(turn, (path) => path.replace("/p/", ""));

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
  expect(stored(turn).files).toEqual([
    { path: "a.ts", how: "edit" },
    { path: "b.ts", how: "read" },
    { path: "c.ts", how: "write" },
  ]);
});

test("tools are counted, failed uses as well", () => {
  const turn = turnOf(ran("a"), ran("b", "x", { isError: true }), read("/p/a.ts"));
  expect(stored(turn).tools).toEqual({ Bash: 2, Read: 1 });
});

test("uses are counted by their action, failed ones as well", () => {
  const turn = turnOf(
    ran("a"),
    ran("b", "x", { isError: true }),
    read("/p/a.ts"),
    edited("/p/a.ts", "1", "2"),
    wrote("/p/c.ts", "x"),
  );
  expect(stored(turn).actions).toEqual({ command: 2, read: 1, write: 2 });
});

test("an adapter's own action for a call takes precedence over its looks", () => {
  const use = { kind: "tool_use" as const, id: "1", tool: "x", input: { command: "make" }, files: [] };
  expect(classifyToolUse(use)).toBe("command");
  expect(classifyToolUse({ ...use, action: "other" })).toBe("other");
  expect(classifyToolUse({ ...use, action: "of a later version" as "other" })).toBe("command");
});

test("the beginning of the prompt, in one line", () => {
  expect(stored(turnOf(prompt("why\n\n  does it\tfail? "), text("because"))).prompt).toBe(
    "why does it fail?",
  );
  expect(stored(turnOf(text("no prompt"))).prompt).toBe("");
  const { prompt: long } = stored(turnOf(prompt("word ".repeat(5_000))));
  expect(long.length).toBeLessThanOrEqual(300);
  expect(long).toMatch(/word…$/);
});
