import { afterEach, beforeEach, expect, it } from "vitest";
import { rememberReadSession } from "../../test/support/checkpoint-fixture.ts";
import { addCommit } from "../../test/support/checkpoint-rows-fixture.ts";
import { temporaryMemory } from "../../test/support/memory-fixture.ts";
import { findAgentsSince, isBeforeAgents, notesOnBefore } from "./agents-since.ts";

const day = 86_400_000;
const at = Date.UTC(2026, 0, 5);
let stored: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  stored = temporaryMemory();
});
afterEach(() => stored.remove());

const read = (uid: string, startedAt: number, days: number) =>
  rememberReadSession(stored.memory, uid, startedAt, days);

it("agents are there since the first session; without one nothing is known", () => {
  expect(findAgentsSince(stored.memory, "/repo")).toBeNull();
  read("later", at + day, 1);
  read("first", at, 1);
  expect(findAgentsSince(stored.memory, "/repo")).toMatchObject({
    at,
    session_id: "first",
    first_session_at: "2026-01-05T00:00:00.000Z",
    may_be_incomplete: false,
  });
});

it("earlier sessions may be missing if the first was read when its client was about to delete it", () => {
  read("first", at, 28);
  const since = findAgentsSince(stored.memory, "/repo")!;
  expect(since).toMatchObject({ may_be_incomplete: true, deleted_after_days: 30 });
  expect(notesOnBefore(since, { before: true, olderUnknown: true })).toEqual([
    "Lines from before 2026-01-05 are unknown: the agent deletes sessions after 30 days, so some may be missing.",
  ]);
  const older = { authoredAt: at - day, hasSession: false };
  expect(isBeforeAgents(older, "not_covered", since)).toBe(false);
  expect(isBeforeAgents({ ...older, authoredAt: Date.UTC(2022, 0, 1) }, "root", since)).toBe(true);
});

it("a file for agents that was committed before the first session shows that agents were used by then", () => {
  read("first", at, 1);
  const commit = (hash: string, authoredAt: number, path: string, status = "A") =>
    addCommit(stored.memory, hash, { authoredAt }, [
      { path, oldPath: null, status, insertions: 1, deletions: 0, added: [] },
    ]);
  commit("c1", at - 9 * day, "src/agents.md.ts");
  commit("c2", at - 5 * day, "AGENTS.md");
  commit("c3", at - 3 * day, ".claude/settings.json");
  const since = findAgentsSince(stored.memory, "/repo")!;
  const isBefore = (days: number) =>
    isBeforeAgents({ authoredAt: at + days * day, hasSession: false }, "not_covered", since);
  expect([-6, -4, -1].map(isBefore)).toEqual([true, false, false]);
  expect(since.first_session_at).toBe("2026-01-05T00:00:00.000Z");
  expect(notesOnBefore(since, { before: true, olderUnknown: true })).toEqual([
    "Before agents: older than AGENTS.md (2025-12-31), which is older than the first session here.",
  ]);
  // What is changed was there before, nobody knows since when.
  commit("c0", at - 7 * day, "CLAUDE.md", "M");
  const always = findAgentsSince(stored.memory, "/repo")!;
  const older = { authoredAt: at - 900 * day, hasSession: false };
  expect(isBeforeAgents(older, "not_covered", always)).toBe(false);
  expect(isBeforeAgents({ ...older, authoredAt: Date.UTC(2023, 0, 1) }, "not_covered", always)).toBe(true);
});

it("a line is from before agents where no session before the first can be missing, and not in a first commit", () => {
  read("first", at, 1);
  const since = findAgentsSince(stored.memory, "/repo")!;
  const isBefore = (days: number, basis: Parameters<typeof isBeforeAgents>[1], hasSession = false) =>
    isBeforeAgents({ authoredAt: at + days * day, hasSession }, basis, since);
  expect(isBefore(-1, "not_covered")).toBe(true);
  expect(isBefore(-1, null)).toBe(true);
  expect(isBefore(1, "not_covered")).toBe(false);
  expect(isBefore(-1, "root")).toBe(false);
  expect(isBefore(-1, "verbatim")).toBe(false);
  expect(isBefore(-1, "not_covered", true)).toBe(false);
  expect(notesOnBefore(since, { before: true, olderUnknown: false })).toEqual([
    "Before agents: older than the first session here (2026-01-05).",
  ]);
});
