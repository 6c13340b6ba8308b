import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  addCheckpoint,
  addCommit,
  binding,
  range,
} from "../../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import type { Memory } from "../memory.ts";
import { expireSessions, forget, nothing, previewForget } from "../privacy/forget.ts";
import { saveTurn } from "../sessions/turns.ts";
import { attributionsOf, saveAttributions } from "./attributions.ts";
import { checkpointByUid, listCheckpoints, saveCheckpoint } from "./checkpoints.ts";
import { commitByHash } from "./commits.ts";

let memory: Memory;
let dir: string;
let remove: () => void;
beforeEach(() => {
  ({ memory, dir, remove } = temporaryMemory());
});
afterEach(() => remove());

function session(uid: string, turns: number, parentId?: number): number {
  const { id } = addSession(memory, uid, parentId === undefined ? {} : { parentId });
  for (let number = 1; number <= turns; number++) saveTurn(memory, id, turn(number));
  return id;
}

const link = (event: string, kind: string, target: string) =>
  memory.inTransaction(() => {
    memory
      .prepare(
        `INSERT INTO events (uid, title, type, status, created_at, updated_at)
         VALUES (?, 'e', 'task', 'active', 1, 1) ON CONFLICT DO NOTHING`,
      )
      .run(event);
    memory
      .prepare("INSERT INTO event_links (event_uid, kind, target_uid, added_at) VALUES (?, ?, ?, 1)")
      .run(event, kind, target);
  });
const links = () =>
  memory.prepare("SELECT kind || ' ' || target_uid FROM event_links ORDER BY 1").pluck().all();

const traces = (word: string) =>
  readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes(word)).length;

it("forgets a session and its subagents in checkpoints, in who wrote what, and in events", () => {
  const one = session("one", 2);
  session("one/sub", 1, one);
  session("two", 1);
  const state = { one: { said: "zqsecretxv" }, two: { said: "stays" } };
  addCheckpoint(memory, "a", "1", [binding("one", [1])], { agentState: { one: { said: "zqsecretxv" } } });
  addCheckpoint(memory, "b", "2", [binding("one", [2]), binding("two", [1])], {
    parentUid: "a",
    agentState: state,
  });
  addCheckpoint(memory, "c", "3", [binding("one/sub", [1])], { parentUid: "b" });
  addCheckpoint(memory, "d", "4", [binding("two", [1])], { parentUid: "c" });
  for (const uid of ["a", "b", "c"]) link("e", "checkpoint", uid);
  for (const uid of ["one", "one/sub", "two"]) link("e", "session", uid);
  expect(previewForget(memory, { ...nothing, sessions: [one] })).toMatchObject({ sessions: 2 });
  expect(listCheckpoints(memory)).toHaveLength(4);
  forget(memory, { ...nothing, sessions: [one] });
  // The children of removed ones get their parents.
  expect(checkpointByUid(memory, "a")).toBeNull();
  expect(checkpointByUid(memory, "c")).toBeNull();
  expect(checkpointByUid(memory, "b")).toMatchObject({
    parentUid: null,
    sessions: [binding("two", [1])],
    agentState: { two: { said: "stays" } },
  });
  expect(checkpointByUid(memory, "d")?.parentUid).toBe("b");
  expect(attributionsOf(memory, commitByHash(memory, "1")!.id)).toEqual([range("a.ts", 1, 1)]);
  expect(attributionsOf(memory, commitByHash(memory, "2")!.id)).toEqual([
    range("a.ts", 1, 1),
    range("a.ts", 2, 2, { sessionUid: "two", turn: 1, toolUse: "toolu_1" }),
  ]);
  expect(links()).toEqual(["checkpoint b", "session two"]);
  expect(traces("zqsecretxv")).toBe(0);
});

it("forgets turns: with the last of them the session goes from the checkpoint", () => {
  const one = session("one", 4);
  const state = { one: { said: "zqsecretxv" } };
  addCheckpoint(memory, "a", "1", [binding("one", [1, 2], 6)], { agentState: state });
  addCheckpoint(memory, "b", "2", [binding("one", [2])], { parentUid: "a", agentState: state });
  addCheckpoint(memory, "c", "3", [binding("one", [3])], { parentUid: "b", agentState: state });
  link("e", "session", "one");
  forget(memory, { ...nothing, turns: new Map([[one, [2, 4]]]) });
  expect(checkpointByUid(memory, "a")).toMatchObject({ sessions: [binding("one", [1], 3)], agentState: {} });
  expect(checkpointByUid(memory, "b")).toBeNull();
  expect(checkpointByUid(memory, "c")).toMatchObject({ parentUid: "a", sessions: [binding("one", [3])] });
  expect(attributionsOf(memory, commitByHash(memory, "1")!.id)).toEqual([
    range("a.ts", 1, 3, { sessionUid: "one", turn: 1, toolUse: "toolu_1" }),
    range("a.ts", 4, 6),
  ]);
  // The session itself is still known.
  expect(links()).toEqual(["session one"]);
  expect(traces("zqsecretxv")).toBe(0);
});

it("keeps the checkpoints of sessions that expire", () => {
  const one = session("one", 1);
  addCheckpoint(memory, "a", "1", [binding("one", [1])], { agentState: { one: { said: "so" } } });
  const before = checkpointByUid(memory, "a");
  const ranges = attributionsOf(memory, before!.commit.id);
  link("e", "session", "one");
  expireSessions(memory, [one]);
  expect(checkpointByUid(memory, "a")).toEqual(before);
  expect(attributionsOf(memory, before!.commit.id)).toEqual(ranges);
  expect(links()).toEqual(["session one"]);
});

it("records nothing forgotten again", () => {
  forget(memory, { ...nothing, sessions: [session("one", 1)] });
  const commit = addCommit(memory, "1");
  const given = { uid: "a", commitId: commit.id, parentUid: null, agentState: {}, createdAt: 1 };
  expect(saveCheckpoint(memory, { ...given, sessions: [binding("one", [1])] })).toBe(false);
  expect(saveCheckpoint(memory, { ...given, sessions: [binding("one", [1]), binding("two", [1])] })).toBe(
    true,
  );
  expect(checkpointByUid(memory, "a")?.sessions).toEqual([binding("two", [1])]);
  saveAttributions(memory, commit.id, [range("a.ts", 1, 1, { sessionUid: "one", turn: 1, toolUse: "t" })]);
  expect(attributionsOf(memory, commit.id)).toEqual([range("a.ts", 1, 1)]);
});
