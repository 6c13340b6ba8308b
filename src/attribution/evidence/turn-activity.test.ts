import { beforeEach, expect, it } from "vitest";
import {
  edited,
  forgetAll,
  linesOfActs,
  memoryOfFile,
  ran,
  rememberTurn,
  wrote,
} from "../../../test/support/attribution-fixture.ts";
import { TurnActivity } from "./turn-activity.ts";

const memory = memoryOfFile();
let activity: TurnActivity;
beforeEach(() => {
  activity = new TurnActivity(memory, { root: "/repo", worktrees: ["/elsewhere/tree"] });
});

const brief = (of: readonly { toolUse: string; path: string }[]) =>
  of.map(({ toolUse, path }) => `${toolUse} ${path}`);

it("writes into files, oldest first, whichever worktree they were in", () => {
  rememberTurn(memory, "late", [wrote("/repo/a.ts", "x", 5000), wrote("/repo/b.ts", "x", 6000)]);
  rememberTurn(memory, "early", [edited("/elsewhere/tree/a.ts", ["+y"], 1000)], { cwd: "/elsewhere/tree" });
  rememberTurn(memory, "shell", [ran("echo 'x' > a.ts", 2000)]);
  expect(brief(activity.findWritesTo(["a.ts"], 9000))).toEqual(["early:1:1 a.ts", "late:1:1 a.ts"]);
  expect(brief(activity.findWritesTo(["a.ts", "b.ts"], 5500))).toEqual(["early:1:1 a.ts", "late:1:1 a.ts"]);
  expect(activity.findWritesTo(["c.ts"], 9000)).toEqual([]);
  expect(activity.findWritesTo([], 9000)).toEqual([]);
});

it("commands that ran in a period, and everything that was written", () => {
  rememberTurn(memory, "s", [
    ran("echo 'one' > a.ts", 1000, 2000),
    ran("npm test", 3000, 4000),
    ran("echo 'two' > b.ts", 8000, 9000),
    { tool: "Task", input: { description: "d", prompt: "p" }, at: 3000, answeredAt: 5000 },
  ]);
  rememberTurn(memory, "other", [edited("/repo/a.ts", ["+x"], 3000)]);
  const { runs, writes, delegations } = activity.findActivityBetween(1500, 3500);
  expect(runs.map(({ command }) => command)).toEqual(["echo 'one' > a.ts", "npm test"]);
  expect(brief(writes)).toEqual(["s:1:1 a.ts", "other:1:1 a.ts"]);
  expect(delegations).toEqual([{ sessionUid: "s", turn: 1, startedAt: 3000, endedAt: 5000, text: "p\n" }]);
  expect(activity.findActivityBetween(9500, 9900)).toEqual({
    runs: [],
    writes: [],
    delegations: [],
    opaque: [],
  });
});

it.each(["Bash", "exec_command", "run_shell_command", "run", "terminal", "console", "mcp__box__go"])(
  "a command is found whatever its tool is called: %s",
  (tool) => {
    rememberTurn(memory, "s", [{ ...ran("make gen", 1000, 2000), tool }]);
    expect(activity.findActivityBetween(0, 9000).runs).toHaveLength(1);
  },
);

it("an editor's operation is no command, though its tool's input has one", () => {
  const input = { command: "str_replace", path: "/repo/a.ts", old_str: "one", new_str: "two" };
  rememberTurn(memory, "s", [{ tool: "str_replace_based_edit_tool", input, at: 1000 }]);
  const { runs, writes } = activity.findActivityBetween(0, 9000);
  expect(runs).toEqual([]);
  expect(brief(writes)).toEqual(["s:1:1 a.ts"]);
});

it("a turn that continues is read again", () => {
  rememberTurn(memory, "s", [edited("/repo/a.ts", ["+one"], 1000)]);
  expect(activity.findWritesTo(["a.ts"], 9000)).toHaveLength(1);
  rememberTurn(memory, "s", [edited("/repo/a.ts", ["+one"], 1000), edited("/repo/a.ts", ["+two"], 2000)]);
  activity.refreshTurns();
  expect(brief(activity.findWritesTo(["a.ts"], 9000))).toEqual(["s:1:1 a.ts", "s:1:2 a.ts"]);
  expect(brief(activity.findWritesTo(["a.ts"], 9000))).toEqual(["s:1:1 a.ts", "s:1:2 a.ts"]);
});

it("since when activity is stored", () => {
  expect(activity.readFirstSessionStart()).toBeNull();
  rememberTurn(memory, "s", [ran("ls", 3000, 4000)]);
  rememberTurn(memory, "t", [ran("ls", 7000, 7500)]);
  expect(activity.readFirstSessionStart()).toBe(3000);
});

it("forgotten turns are not found", () => {
  rememberTurn(memory, "s", [edited("/repo/a.ts", ["+one"], 1000)]);
  expect(activity.findWritesTo(["a.ts"], 9000)).toHaveLength(1);
  forgetAll(memory);
  expect(activity.findWritesTo(["a.ts"], 9000)).toEqual([]);
});

it("a call whose result is in a later turn ended with that, and is one write", () => {
  const acts = linesOfActs([ran("make gen", 1000, 5000, "done")], "s:1:");
  const [call, answer] = acts;
  rememberTurn(memory, "s", [{ ...ran("make gen", 1000), answeredAt: null }]);
  expect(activity.findActivityBetween(0, 9_000_000).runs).toMatchObject([
    { endedAt: 601_000, isSilent: true },
  ]);
  // The result came after something that its user typed.
  rememberTurn(memory, "s", [], { number: 2, lines: [answer!] });
  activity.refreshTurns();
  expect(call?.entries).toMatchObject([{ id: "s:1:1" }]);
  expect(activity.findActivityBetween(0, 9_000_000).runs).toMatchObject([
    { turn: 1, endedAt: 5000, isSilent: false },
  ]);
});

it("an edit that was answered in a later turn is one write", () => {
  const open = { ...edited("/repo/a.ts", ["+x"], 1000), answeredAt: null };
  rememberTurn(memory, "s", [open]);
  const [, answer] = linesOfActs([edited("/repo/a.ts", ["+x"], 4000)], "s:1:");
  rememberTurn(memory, "s", [], { number: 2, lines: [answer!] });
  const { writes } = activity.findActivityBetween(0, 9_000_000);
  expect(writes).toMatchObject([{ turn: 1, startedAt: 1000, at: 4000, path: "a.ts" }]);
});
