import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  addCheckpoint,
  addCommit,
  binding,
  range,
} from "../../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import { PommelError } from "../../../base/errors.ts";
import type { Memory } from "../memory.ts";
import { dropObservations, listObservationsOfFile, saveObservation } from "../observations.ts";
import { emptyForgetRequest, expireSessions, forget, previewForget } from "../privacy/forget.ts";
import { saveTurn } from "../sessions/turns.ts";
import { countLinesByAuthor, listAttributions, saveAttributions } from "./attributions.ts";
import {
  countCheckpoints,
  findCheckpoint,
  findCheckpointByUid,
  findCheckpointOfCommit,
  listCheckpoints,
  readCheckpointsOfSessions,
  saveCheckpoint,
} from "./checkpoints.ts";
import {
  findCommitByHash,
  listCommitsLike,
  listFilesOfCommit,
  listRewrites,
  readAttributedVersions,
} from "./commits.ts";

let memory: Memory;
let dir: string;
let remove: () => void;
beforeEach(() => {
  ({ memory, dir, remove } = temporaryMemory());
});
afterEach(() => remove());

const hashOf = (n: number) => n.toString(16).padStart(40, `${n % 10}`);
const uids = (found: readonly { uid: string }[]) => found.map(({ uid }) => uid);

it("keeps a commit under its hash, with its files", () => {
  const file = { path: "a.ts", oldPath: null, status: "M", insertions: 2, deletions: 0 };
  const added = [
    { line: 3, key: 0 },
    { line: 4, key: 0xffffffff },
    { line: 9, key: 7 },
  ];
  const first = addCommit(memory, "1", { parents: ["0"], rewrittenFrom: ["x"] }, [
    { ...file, added },
    { ...file, path: "b.ts", oldPath: "c.ts", status: "R", added: [] },
  ]);
  expect(findCommitByHash(memory, "1")).toEqual(first);
  expect(listFilesOfCommit(memory, first.id)).toMatchObject([{ added }, { path: "b.ts", oldPath: "c.ts" }]);
  expect(listFilesOfCommit(memory, first.id, "a.ts")).toHaveLength(1);
  expect(listRewrites(memory, "x")).toEqual(["1"]);
  saveAttributions(memory, first.id, [range("a.ts", 3, 9)]);
  const second = addCommit(memory, "1", { subject: "Other", attributed: 2 }, [{ ...file, added: [] }]);
  expect(second.id).toBe(first.id);
  expect(listFilesOfCommit(memory, first.id)).toEqual([{ ...file, added: [] }]);
  expect(listAttributions(memory, first.id)).toHaveLength(1);
  expect(readAttributedVersions(memory, ["1", "2"])).toEqual(new Map([["1", 2]]));
  expect(listCommitsLike(memory, { author: "Ann", authoredAt: 1000, subject: "Other" })).toEqual([second]);
});

it("gives back whichever lines were added", () => {
  const line = fc.nat(1 << 20).map((n) => n + 1);
  const key = fc.nat(0xffffffff);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(line, key), { selector: ([n]) => n }), (pairs) => {
      const added = pairs.sort(([a], [b]) => a - b).map(([line, key]) => ({ line, key }));
      const file = { path: "a", oldPath: null, status: "A", insertions: 0, deletions: 0, added };
      expect(listFilesOfCommit(memory, addCommit(memory, "1", {}, [file]).id)).toEqual([file]);
    }),
  );
});

it("lists checkpoints that changed a file or directory", () => {
  const changed = (path: string, oldPath: string | null = null) => {
    const numbers = { insertions: 1, deletions: 0, added: [] };
    return { path, oldPath, status: oldPath === null ? "M" : "R", ...numbers };
  };
  const files = [[changed("src/a.ts")], [changed("src/db/b.ts")], [changed("lib/c.ts", "src/c.ts")]];
  files.forEach((of, i) => {
    addCheckpoint(memory, `${i}`, hashOf(i), [binding("one", [1])], { committedAt: i });
    addCommit(memory, hashOf(i), { committedAt: i }, of);
  });
  const found = (file: string) => uids(listCheckpoints(memory, { file }));
  expect(found("src/a.ts")).toEqual(["0"]);
  expect(found("src")).toEqual(["1", "0"]);
  expect(found("src/db")).toEqual(["1"]);
  // It was renamed.
  expect(found("src/c.ts")).toEqual(["2"]);
  expect(found("sr")).toEqual([]);
  expect(countCheckpoints(memory, { file: "src" })).toBe(2);
});

it("counts lines by author", () => {
  const { id } = addCommit(memory, "1");
  saveAttributions(memory, id, [
    range("a.ts", 1, 10),
    range("a.ts", 11, 11, { author: "human" }),
    range("b.ts", 1, 2),
  ]);
  expect(countLinesByAuthor(memory, id)).toEqual({ agent: 12, human: 1, unknown: 0 });
});

it("lists checkpoints, the latest commit first", () => {
  addCheckpoint(memory, "aa", hashOf(1), [binding("one", [1])], { committedAt: 1000 });
  addCheckpoint(memory, "bb", hashOf(2), [binding("one/sub", [1]), binding("two", [3, 2], 8)], {
    committedAt: 2000,
    branch: "topic",
  });
  addCheckpoint(memory, "cc", hashOf(3), [binding("one-more", [1])], { committedAt: 3000 });
  addCommit(memory, hashOf(4));
  expect(uids(listCheckpoints(memory))).toEqual(["cc", "bb", "aa"]);
  // The one with the most lines first, turns in order.
  expect(listCheckpoints(memory)[1]?.sessions).toEqual([binding("two", [2, 3], 8), binding("one/sub", [1])]);
  expect(uids(listCheckpoints(memory, { session: "one" }))).toEqual(["bb", "aa"]);
  expect(uids(listCheckpoints(memory, { branch: "topic" }))).toEqual(["bb"]);
  expect(uids(listCheckpoints(memory, { since: 2000, until: 2000 }))).toEqual(["bb"]);
  expect(uids(listCheckpoints(memory, { limit: 1 }))).toEqual(["cc"]);
  expect(countCheckpoints(memory, { limit: 1, session: "one" })).toBe(2);
  const found = readCheckpointsOfSessions(memory, ["one", "two", "none"]);
  expect(
    [...found].map(([uid, of]) => [uid, of.map(({ checkpoint, turns }) => [checkpoint.uid, turns])]),
  ).toEqual([
    ["two", [["bb", [2, 3]]]],
    ["one", [["aa", [1]]]],
  ]);
});

it("finds a checkpoint by its id, its commit, or the beginning of either", () => {
  const hash = `abcdef${"0".repeat(34)}`;
  addCheckpoint(memory, "1234567890ab", hash, [binding("one", [1])]);
  addCheckpoint(memory, "1234aaaaaaaa", `1299${"0".repeat(36)}`, [binding("one", [1])]);
  addCheckpoint(memory, "ffffffffffff", `ffff${"1".repeat(36)}`, [binding("one", [1])]);
  for (const name of ["1234567890ab", "12345", hash, hash.toUpperCase(), "abc", " a "]) {
    expect(findCheckpoint(memory, name).uid).toBe("1234567890ab");
  }
  // The same one under both of its names.
  expect(findCheckpoint(memory, "fff").uid).toBe("ffffffffffff");
  expect(findCheckpoint(memory, "129").uid).toBe("1234aaaaaaaa");
  const codeOf = (name: string) => {
    try {
      return findCheckpoint(memory, name).uid;
    } catch (error) {
      return error instanceof PommelError ? error.code : error;
    }
  };
  expect(["1234", "12", "9", "", "HEAD", "abc%", "12345678901"].map(codeOf)).toEqual([
    "usage",
    "usage",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
    "not_found",
  ]);
  expect(findCheckpointOfCommit(memory, "abc")).toBeNull();
});

it("keeps what showed up in files for a while", () => {
  saveObservation(memory, { path: "a.ts", at: 10.6, keys: [1, 0xffffffff] });
  saveObservation(memory, { path: "a.ts", at: 20, keys: [3] });
  saveObservation(memory, { path: "b.ts", at: 15, keys: [4] });
  saveObservation(memory, { path: "a.ts", at: 12, keys: [] });
  expect(listObservationsOfFile(memory, "a.ts", { since: 0, until: 20 })).toEqual([
    { at: 11, keys: [1, 0xffffffff] },
    { at: 20, keys: [3] },
  ]);
  expect(listObservationsOfFile(memory, "a.ts", { since: 12, until: 19 })).toEqual([]);
  expect(dropObservations(memory, 20)).toBe(2);
  expect(listObservationsOfFile(memory, "a.ts", { since: 0, until: 99 })).toHaveLength(1);
});

function session(uid: string, turns: number, parentId?: number): number {
  const { id } = addSession(memory, uid, parentId === undefined ? {} : { parentId });
  for (let number = 1; number <= turns; number++) saveTurn(memory, id, turn(number));
  return id;
}

const link = (event: string, kind: string, target: string) =>
  memory.runInTransaction(() => {
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
  expect(previewForget(memory, { ...emptyForgetRequest, sessions: [one] })).toMatchObject({ sessions: 2 });
  expect(listCheckpoints(memory)).toHaveLength(4);
  forget(memory, { ...emptyForgetRequest, sessions: [one] });
  // The children of removed ones get their parents.
  expect(findCheckpointByUid(memory, "a")).toBeNull();
  expect(findCheckpointByUid(memory, "c")).toBeNull();
  expect(findCheckpointByUid(memory, "b")).toMatchObject({
    parentUid: null,
    sessions: [binding("two", [1])],
    agentState: { two: { said: "stays" } },
  });
  expect(findCheckpointByUid(memory, "d")?.parentUid).toBe("b");
  expect(listAttributions(memory, findCommitByHash(memory, "1")!.id)).toEqual([range("a.ts", 1, 1)]);
  expect(listAttributions(memory, findCommitByHash(memory, "2")!.id)).toEqual([
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
  forget(memory, { ...emptyForgetRequest, turns: new Map([[one, [2, 4]]]) });
  expect(findCheckpointByUid(memory, "a")).toMatchObject({
    sessions: [binding("one", [1], 3)],
    agentState: {},
  });
  expect(findCheckpointByUid(memory, "b")).toBeNull();
  expect(findCheckpointByUid(memory, "c")).toMatchObject({ parentUid: "a", sessions: [binding("one", [3])] });
  expect(listAttributions(memory, findCommitByHash(memory, "1")!.id)).toEqual([
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
  const before = findCheckpointByUid(memory, "a");
  const ranges = listAttributions(memory, before!.commit.id);
  link("e", "session", "one");
  expireSessions(memory, [one]);
  expect(findCheckpointByUid(memory, "a")).toEqual(before);
  expect(listAttributions(memory, before!.commit.id)).toEqual(ranges);
  expect(links()).toEqual(["session one"]);
});

it("records nothing forgotten again", () => {
  forget(memory, { ...emptyForgetRequest, sessions: [session("one", 1)] });
  const commit = addCommit(memory, "1");
  const given = { uid: "a", commitId: commit.id, parentUid: null, agentState: {}, createdAt: 1 };
  expect(saveCheckpoint(memory, { ...given, sessions: [binding("one", [1])] })).toBe(false);
  expect(saveCheckpoint(memory, { ...given, sessions: [binding("one", [1]), binding("two", [1])] })).toBe(
    true,
  );
  expect(findCheckpointByUid(memory, "a")?.sessions).toEqual([binding("two", [1])]);
  saveAttributions(memory, commit.id, [range("a.ts", 1, 1, { sessionUid: "one", turn: 1, toolUse: "t" })]);
  expect(listAttributions(memory, commit.id)).toEqual([range("a.ts", 1, 1)]);
});
