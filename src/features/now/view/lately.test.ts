import { expect, test } from "vitest";
import { groupHappenings, mergeHappenings } from "./lately.tsx";

const session = (id: string, last_at: string) => ({ id, last_at });
const commit = (hash: string, committed_at: string, ...sessions: string[]) => ({
  commit: hash,
  committed_at,
  sessions: sessions.map((session_id) => ({ session_id })),
});
const note = (id: string, timestamp: string) => ({ id, timestamp });
const all = (items: object[]) => ({ items, total: items.length });
const keysOf = (lists: object) => mergeHappenings(lists as never).map(({ key }) => key);

test("sessions, commits and notes are on one axis, the latest first", () => {
  const sessions = all([session("s1", "2026-03-03T10:00:00Z"), session("s2", "2026-03-01T10:00:00Z")]);
  const commits = all([commit("c", "2026-03-02T10:00:00Z")]);
  const notes = all([note("n", "2026-03-03T11:00:00Z")]);
  expect(keysOf({ sessions, commits, notes })).toEqual(["n", "s1", "c", "s2"]);
});

test("a commit stands with the session that wrote most of it, where that is there", () => {
  const sessions = all([session("s1", "2026-03-03T10:00:00Z"), session("s2", "2026-03-01T10:00:00Z")]);
  const commits = all([
    commit("c1", "2026-03-03T11:00:00Z", "s1", "s2"),
    commit("c2", "2026-03-02T11:00:00Z", "elsewhere", "s1"),
    commit("c3", "2026-03-02T10:00:00Z", "s1"),
  ]);
  const found = mergeHappenings({ sessions, commits, notes: all([]) } as never);
  expect(
    found.map((one) => [one.key, one.kind === "session" && one.commits.map((made) => made.commit)]),
  ).toEqual([
    ["s1", ["c1", "c3"]],
    ["c2", false],
    ["s2", []],
  ]);
});

test("the axis ends where a list was cut", () => {
  const sessions = all([session("s1", "2026-03-03T10:00:00Z"), session("s2", "2026-03-01T10:00:00Z")]);
  const commits = { items: [commit("c", "2026-03-02T10:00:00Z")], total: 50 };
  expect(keysOf({ sessions, commits, notes: all([]) })).toEqual(["s1", "c"]);
});

test("days keep the order", () => {
  const sessions = all([session("a", "2026-03-03T12:00:00Z"), session("b", "2026-03-01T12:00:00Z")]);
  const days = groupHappenings(
    mergeHappenings({ sessions, commits: all([]), notes: all([]) } as never),
    "day",
  );
  expect(days.map(([day, items]) => [day, items.length])).toEqual([
    [expect.stringMatching(/^Tuesday,? 3 March 2026$/), 1],
    [expect.stringMatching(/^Sunday,? 1 March 2026$/), 1],
  ]);
});

test("by branch, the one that was worked on last comes first", () => {
  const on = (branch: string | null, one: object) => ({ ...one, branch });
  const sessions = all([
    on("b", session("s1", "2026-03-03T10:00:00Z")),
    on("a", session("s2", "2026-03-01T10:00:00Z")),
  ]);
  const commits = all([on("a", commit("c", "2026-03-02T10:00:00Z"))]);
  const notes = all([on(null, note("n", "2026-02-01T10:00:00Z"))]);
  const found = groupHappenings(mergeHappenings({ sessions, commits, notes } as never), "branch");
  expect(found.map(([name, items]) => [name, ...items.map(({ key }) => key)])).toEqual([
    ["b", "s1"],
    ["a", "c", "s2"],
    ["No branch", "n"],
  ]);
});
