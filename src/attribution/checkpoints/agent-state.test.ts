import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { readAgentState } from "../../protocol/agent-state.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { buildAgentState } from "./agent-state.ts";

let memory: Memory;
let remove: () => void;
beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

const bound = (sessionUid: string, ...turns: number[]) => ({
  sessionUid,
  turns,
  lines: 1,
  how: "lines" as const,
  confidence: 1,
});
const text = (said: string): TranscriptEntry => ({ kind: "text", text: said });
const use = (id: string, tool: string, input: Record<string, unknown>): TranscriptEntry => ({
  kind: "tool_use",
  id,
  tool,
  input,
  files: [],
});
const result = (id: string, said: string): TranscriptEntry => ({
  kind: "tool_result",
  id,
  text: said,
  isError: false,
  edits: null,
  subagent: null,
});

/** Turns of a session, each of entries a second apart; turn n begins at n minutes. */
function session(uid: string, title: string, turns: TranscriptEntry[][]): void {
  const { id } = addSession(memory, uid, { title: { text: title, source: "agent" } });
  for (const [i, entries] of turns.entries()) {
    const startedAt = (i + 1) * 60_000;
    const lines = entries.map((entry, j) => ({
      uid: null,
      seq: j,
      at: startedAt + j * 1000,
      entries: [entry],
      model: `model-${i + 1}`,
    }));
    const content = packContent(lines);
    saveTurn(memory, id, turn(i + 1, { startedAt, endedAt: startedAt + 30_000, content }));
  }
}

it("reports an agent's state, and nothing of what came later", () => {
  const todos = [
    { content: "write it", status: "completed", activeForm: "Writing it" },
    { content: "test it", status: "in_progress" },
  ];
  session("s", "A title", [
    [use("1", "TodoWrite", { todos }), text("first")],
    [text("second\n\nin two   paragraphs"), text("  ")],
    [text("third"), text("too late")],
  ]);
  expect(buildAgentState(memory, [bound("s", 1)], 2.5 * 60_000)).toEqual({
    s: {
      turn: 2,
      title: "A title",
      prompt: "prompt 2",
      said: "second in two paragraphs",
      model: "model-2",
      todos: [
        { text: "write it", status: "completed" },
        { text: "test it", status: "in_progress" },
      ],
    },
  });
  // Git's times are whole seconds.
  expect(buildAgentState(memory, [bound("s", 1)], 3 * 60_000)).toMatchObject({
    s: { turn: 3, said: "third" },
  });
  // Of another machine there may be nothing but the uid; a clock may be wrong.
  expect(buildAgentState(memory, [bound("elsewhere", 1)], 1)).toEqual({});
  expect(buildAgentState(memory, [bound("s", 2)], 1)).toMatchObject({ s: { turn: 2, said: null } });
});

it("follows tasks that are made and changed one by one", () => {
  session("s", "t", [
    [
      use("a", "TaskCreate", { subject: "one" }),
      result("a", "Task #1 created successfully: one"),
      use("b", "TaskCreate", { subject: "two" }),
      result("b", "Task #2 created successfully: two"),
      use("c", "TaskCreate", { subject: "three" }),
      result("c", "Task #3 created successfully: three"),
      use("d", "TaskUpdate", { taskId: "1", status: "completed" }),
      use("e", "TaskUpdate", { taskId: "2", status: "deleted" }),
      use("f", "TaskUpdate", { taskId: "9", status: "completed" }),
      use("g", "TaskUpdate", "nonsense" as never),
    ],
  ]);
  expect(buildAgentState(memory, [bound("s", 1)], 1e9)).toMatchObject({
    s: {
      todos: [
        { text: "one", status: "completed" },
        { text: "three", status: "pending" },
      ],
    },
  });
});

it("never exceeds its limit, for any text, and can be read back", () => {
  let n = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 3000 }), fc.jsonValue()), { maxLength: 12 }),
      (said) => {
        const uids = said.map(([words, value]) => {
          const uid = `session-${++n}`;
          const todos = Array.from({ length: 30 }, () => ({ content: words, status: words }));
          session(uid, words, [
            [use("x", "TodoWrite", { todos }), use("y", "TodoWrite", { todos: value }), text(words)],
          ]);
          return uid;
        });
        const state = buildAgentState(
          memory,
          uids.map((uid) => bound(uid, 1)),
          1e9,
        );
        expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(4096);
        expect(readAgentState(JSON.parse(JSON.stringify(state)))).toEqual(state);
        if (uids.length > 0) expect(Object.keys(state)[0]).toBe(uids[0]);
      },
    ),
    { numRuns: 30 },
  );
});

it("reads only valid data", () => {
  expect(readAgentState({ a: { turn: "x" }, b: null, c: [] })).toEqual({});
});
