import { expect, test } from "vitest";
import type { Decision } from "../../protocol/decision.ts";
import type { CheckpointSummary } from "../checkpoints/operation.ts";
import type { Note } from "../notes/operation.ts";
import type { ToolCall, TurnEntry, TurnInFull } from "./operation.ts";
import { listBriefLines } from "./session-words.ts";
import { buildMargins, turnAsMarkdown } from "./turn-words.ts";

test("a margin has a turn's notes and decisions, and a commit beside the last turn that led to it", () => {
  const note = { id: "n", note: "keep it", turn: 2 } as Note;
  const made = { source: "conversation", session_id: "s", turn: 2, text: "use WAL" } as Decision;
  const elsewhere = { ...made, session_id: "t" };
  const commit = {
    commit: "c",
    sessions: [
      { session_id: "t", turns: [9] },
      { session_id: "s", turns: [1, 3] },
    ],
  } as CheckpointSummary;
  const margins = buildMargins("s", { notes: [note], decisions: [made, elsewhere], commits: [commit] });
  expect(margins.get(2)).toEqual({ notes: [note], decisions: [made], commits: [] });
  expect(margins.get(3)?.commits).toEqual([commit]);
  expect([...margins.keys()].sort()).toEqual([2, 3]);
});

const entry = (kind: TurnEntry["kind"], text: string, tool: ToolCall | null = null): TurnEntry => ({
  kind,
  text,
  tool,
  timestamp: null,
  images: 0,
  omitted: 0,
});

test("a turn as Markdown quotes the prompt, keeps answers, and fences edits safely", () => {
  const call: ToolCall = {
    id: "t1",
    name: "Edit",
    action: "write",
    took_ms: null,
    headline: "Edit `a`.md",
    command: null,
    result: "ok",
    is_error: false,
    edits: [{ file: "a.md", is_whole: false, lines: ["+```js"] }],
    subagent: null,
  };
  const turn: TurnInFull = {
    number: 4,
    started_at: null,
    ended_at: null,
    branch: null,
    abandoned: false,
    entries: [
      entry("prompt", "one\ntwo"),
      entry("thinking", "hm"),
      entry("text", "**done**"),
      entry("tool", "", call),
    ],
  };
  expect(turnAsMarkdown(turn)).toBe(
    ["## Turn 4", "> one\n> two", "**done**", "- `` Edit `a`.md ``", "````diff\n--- a.md\n+```js\n````"].join(
      "\n\n",
    ),
  );
});

test("a session in brief has at most five lines, and none that says nothing", () => {
  const nothing = {
    asked: "",
    last_asked: "",
    outcome: "",
    open: "",
    checks: [],
    rejected: null,
    state: null,
    files: [],
    commits: [],
    commands: [],
  };
  expect(listBriefLines(nothing)).toEqual([]);
  const commits = [{ hash: "c0ffee", subject: "Retry" }];
  expect(
    listBriefLines({
      asked: "retry",
      last_asked: "commit",
      outcome: "it retries",
      open: "the docs",
      checks: [],
      rejected: "too slow",
      state: "completed",
      files: ["a.ts"],
      commits,
      commands: ["npm test"],
    }),
  ).toEqual([
    { title: "Asked", says: "retry" },
    { title: "Last asked", says: "commit" },
    { title: "Agent said", says: "it retries" },
    { title: "Left open", says: "the docs" },
    { title: "Commits", says: commits },
  ]);
});
