import { afterEach, beforeEach, expect, test } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { conversation, edited, prompt, ran, text, used } from "../../../test/support/turn-fixture.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { readTurns } from "./read-turns.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

function saveTurns(...turns: ReturnType<typeof conversation>) {
  const record = addSession(store.memory, "s", { cwd: "/repo" });
  for (const { number, lines } of turns) {
    saveTurn(store.memory, record.id, turn(number, { content: packContent(lines) }));
  }
  return record;
}

const read = (request: Partial<Parameters<typeof readTurns>[1]> = {}) =>
  readTurns(store.memory, { session: "s", ...request }, ["/repo"]);

test("gives each call its result, its changes with relative paths, and the session of its subagent", () => {
  const task = used("Task", { description: "look", prompt: "look around" }, "found it");
  const [use] = task;
  const parent = saveTurns(
    ...conversation(
      prompt(" fix it "),
      text("I look."),
      ran("npm test", "1 failed", { isError: true }),
      edited("/repo/src/a.ts", "one", "two"),
      task,
    ),
  );
  addSession(store.memory, "s/agent-1", {
    parentId: parent.id,
    parentToolUse: use?.kind === "tool_use" ? use.id : null,
  });
  const { turns, next } = read();
  expect(next).toBeNull();
  expect(turns.map(({ number }) => number)).toEqual([1]);
  const [asked, said, ranTest, edit, delegated] = turns[0]!.entries;
  expect(asked).toMatchObject({ kind: "prompt", text: "fix it", tool: null });
  expect(said).toMatchObject({ kind: "text", text: "I look." });
  expect(ranTest!.tool).toMatchObject({
    headline: "Bash npm test",
    result: "1 failed",
    is_error: true,
    edits: [],
  });
  expect(edit!.tool!.edits).toEqual([
    { file: "src/a.ts", is_whole: false, lines: ["@@ -1,1 +1,1 @@", "-one", "+two"] },
  ]);
  expect(delegated!.tool).toMatchObject({ subagent: "s/agent-1", result: "found it" });
});

test("gives some turns at a time, and says where the next ones begin", () => {
  saveTurns(...conversation(prompt("a"), prompt("b"), prompt("c")));
  expect(read({ limit: 2 })).toMatchObject({ turns: [{ number: 1 }, { number: 2 }], next: 3 });
  expect(read({ from: 3, limit: 2 })).toMatchObject({ turns: [{ number: 3 }], next: null });
});

test("ends early after very long turns", () => {
  const long = "x ".repeat(9_000);
  saveTurns(...conversation(prompt("a"), ...Array.from({ length: 15 }, () => text(long)), prompt("b")));
  expect(read()).toMatchObject({ turns: [{ number: 1 }], next: 2 });
});

test("says what it leaves out of a long output, and leaves nothing out on request", () => {
  const output = "line of output\n".repeat(1_000).trim();
  saveTurns(...conversation(prompt("a"), ran("seq", output)));
  const [, short] = read().turns[0]!.entries;
  expect(short!.tool!.result!.length).toBeLessThan(6_001);
  expect(short!.omitted).toBeGreaterThan(8_000);
  const [, whole] = read({ whole: true }).turns[0]!.entries;
  expect(whole).toMatchObject({ omitted: 0, tool: { result: output } });
});
