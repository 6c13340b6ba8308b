import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { saveToldWait } from "../../sessions/waiting.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { listNow, putSessionAside } from "./now.ts";
import { describeNow, describeUnfinished } from "./words.ts";

const minute = 60_000;
const now = Date.now();

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

/** A session that wrote its last line so many minutes ago. */
function session(uid: string, minutes: number, last: Partial<Parameters<typeof turn>[1]> = {}) {
  const at = now - minutes * minute;
  const record = addSession(store.memory, uid, { startedAt: at, lastAt: at, ended: null });
  const files = [{ path: "src/a.ts", how: "edit" as const }];
  saveTurn(store.memory, record.id, turn(1, { startedAt: at, state: "completed", files, ...last }));
}

const list = () => {
  const { running, to_look_at, unfinished } = listNow(store.memory, now);
  return [running, to_look_at, unfinished].map((sessions) => sessions.map(({ id }) => id));
};

it("tells agents at work from what to look at and what is unfinished", () => {
  session("at-work", 2, { state: "unfinished" });
  session("done", 60);
  session("looked-only", 70, { files: [] });
  session("stopped", 80, { state: "interrupted" });
  session("done-long-ago", 5 * 24 * 60);
  session("stopped-too-long-ago", 20 * 24 * 60, { state: "interrupted" });
  expect(list()).toEqual([["at-work"], ["done"], ["stopped"]]);
  const found = listNow(store.memory, now);
  expect(describeNow(found)).toBe("1 agent at work, 1 session to look at, 1 unfinished");
  const [stopped] = found.unfinished;
  expect(describeUnfinished({ ...stopped!, open: "" }, "Stopped")).toEqual(["Stopped", "interrupted"]);
  expect(describeUnfinished({ ...stopped!, open: "Test it." }, "Stopped")).toEqual(["Test it.", "Stopped"]);
});

const waits = () =>
  listNow(store.memory, now).running.map(({ id, waiting }) => [id, waiting?.for, waiting?.since]);
const minutesAgo = (minutes: number) => new Date(now - minutes * minute).toISOString();

it("says which agent waits for the person, for what, and since when", () => {
  const call = (tool: string, input: Record<string, unknown> = { command: "npm test" }) => ({
    state: "unfinished" as const,
    content: packContent([{ seq: 0, entries: [{ kind: "tool_use", id: "c", tool, input, files: [] }] }]),
  });
  session("works", 1, call("Bash"));
  session("asks", 30, call("AskUserQuestion", { questions: [{ question: "Which version?", options: [] }] }));
  session("may-it", 20, call("Bash"));
  saveToldWait(store.memory, "may-it", { for: "permission", since: now - 19 * minute });
  session("went-on", 2, call("Bash"));
  saveToldWait(store.memory, "went-on", { for: "permission", since: now - 3 * minute });
  session("done", 5);
  session("done-long-ago", 60);
  session("asked-days-ago", 2 * 24 * 60, call("AskUserQuestion"));
  expect(waits()).toEqual([
    ["may-it", "permission", minutesAgo(19)],
    ["asks", "question", minutesAgo(30)],
    ["done", "prompt", minutesAgo(5)],
    ["works", undefined, undefined],
    ["went-on", undefined, undefined],
  ]);
  const found = listNow(store.memory, now);
  expect(found.running[0]?.pending).toContain("npm test");
  expect(found.running[1]?.pending).toBe("Which version?");
  expect(describeNow(found)).toMatch(/^3 agents wait for you, 2 agents at work/);
});

it("leaves out what was put aside until its session goes on", () => {
  session("done", 60);
  session("stopped", 80, { state: "interrupted" });
  for (const id of ["done", "stopped"]) expect(putSessionAside(store.memory, id, now)).toEqual({ id });
  expect(list()).toEqual([[], [], []]);
  expect(describeNow(listNow(store.memory, now))).toBe("");
  session("stopped", 30, { state: "interrupted" });
  expect(list()).toEqual([[], [], ["stopped"]]);
});

it("refuses to put aside what is not there", () => {
  expect(() => putSessionAside(store.memory, "nobody")).toThrow("nobody");
});
