import { expect, test } from "vitest";
import type { ReviewAnswer, ReviewFile } from "../operation.ts";
import { groupByPrompt, orderFiles } from "../review-words.ts";
import { makeViewedMark } from "./viewed.ts";

const file = (path: string, { agent = 0, unknown = 0, human = 0 }, text = "a") =>
  ({
    path,
    status: "M",
    lines: { agent, human, unknown },
    hunks: [{ old_start: 1, new_start: 1, lines: [{ mark: "+", text, by: 0 }] }],
  }) as ReviewFile;

test("what breaks a decision and what was written and removed again come first, tests last", () => {
  const files = [
    file("a.test.ts", { agent: 90 }),
    file("by-people.ts", { human: 50 }),
    file("by-agents.ts", { agent: 20 }),
    file("untested.ts", { agent: 2 }),
    file("by-nobody-known.ts", { unknown: 30 }),
    file("reworked.ts", { agent: 1 }),
    file("contradicts.ts", { human: 1 }),
  ];
  const answer = {
    files,
    decisions: [{ files: ["contradicts.ts"], lines_removed: 2 }],
    reworked: [{ path: "reworked.ts", lines: 9, commits: 2 }],
    tests_changed: ["a.test.ts"],
    authors: [{ author: "human" }, { author: "agent", session_id: "s", turn: 4 }],
    sessions: [{ session_id: "s", last_test_turn: 3 }],
  };
  files[3]!.hunks[0]!.lines[0]!.by = 1;
  expect(orderFiles(answer as unknown as ReviewAnswer).map(({ path }) => path)).toEqual([
    "contradicts.ts",
    "reworked.ts",
    "untested.ts",
    "by-nobody-known.ts",
    "by-agents.ts",
    "by-people.ts",
    "a.test.ts",
  ]);
});

test("a mark is of a file and what was done to it", () => {
  const mark = makeViewedMark(file("a.ts", {}));
  expect(makeViewedMark(file("a.ts", { agent: 1 }))).toBe(mark);
  expect(makeViewedMark(file("a.ts", {}, "b"))).not.toBe(mark);
  expect(makeViewedMark(file("b.ts", {}))).not.toBe(mark);
});

test("by prompt, each prompt has its hunks, and what nobody asked for stands last", () => {
  const hunk = (by: number | null) => ({ old_start: 1, new_start: 1, lines: [{ mark: "+", text: "a", by }] });
  const answer = {
    files: [{ ...file("a.ts", { agent: 2 }), hunks: [hunk(0), hunk(1), hunk(null)] }],
    reworked: [],
    decisions: [],
    tests_changed: [],
    authors: [
      { session_id: "s", turn: 1 },
      { session_id: "s", turn: 2 },
    ],
    sessions: [
      {
        session_id: "s",
        turns: [
          { turn: 2, prompt: "then this", started_at: "2026-01-02T00:00:00Z" },
          { turn: 1, prompt: "first that", started_at: "2026-01-01T00:00:00Z" },
        ],
      },
    ],
  };
  const groups = groupByPrompt(answer as unknown as ReviewAnswer);
  expect(groups.map(({ title, files }) => [title, files[0]!.hunks.length])).toEqual([
    ["first that", 1],
    ["then this", 1],
    ["Prompt unknown", 1],
  ]);
});
