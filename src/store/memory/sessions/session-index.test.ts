import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import { markAbandoned, saveTurn } from "../sessions/turns.ts";
import { indexAllSessions, indexSessions, matchSessions } from "./session-index.ts";
import { saveSession } from "./sessions.ts";
import { saveSummary } from "./summaries.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

const weights = { title: 2, branch: 2, prompts: 1 };
const matching = (token: string, until: number | null = null) => {
  const { asked, summary } = matchSessions(store.memory, [token], weights, until);
  return { asked: [...asked.rows], summary: [...summary.rows] };
};
const isIndexed = (id: number) =>
  store.memory.prepare("SELECT 1 FROM session_terms WHERE rowid = ?").get(id) !== undefined;

function summarise(sessionId: number, text: string, source: "extractive" | "compaction" | "llm"): void {
  saveSummary(store.memory, { sessionId, source, upToTurn: 1, at: 1, model: null, text });
}

it("finds a session by its title, its branches, what was asked and its summary", () => {
  const { memory } = store;
  const { id } = addSession(memory, "s", { title: { text: "Flaky tests", source: "agent" }, lastAt: 50 });
  saveTurn(memory, id, turn(1, { prompt: "Why does it hang?", branch: "fix-resume-test" }));
  saveTurn(memory, id, turn(2, { prompt: "Try ENT-232", branch: "retried" }));
  summarise(id, "Waits for the log", "extractive");
  addSession(memory, "other", { title: { text: "Colours", source: "agent" } });
  expect(indexSessions(memory)).toBe(true);
  for (const word of ["flaki", "resum", "retri", "hang", "232"])
    expect(matching(word)).toEqual({ asked: [id], summary: [] });
  expect(matching("log")).toEqual({ asked: [], summary: [id] });
  expect(matching("nothing")).toEqual({ asked: [], summary: [] });
  expect(matching("hang", 49)).toEqual({ asked: [], summary: [] });
  expect(matching("hang", 50).asked).toEqual([id]);
});

it("uses the summary of the whole session, a language model's where there is one", () => {
  const { id } = addSession(store.memory, "s");
  summarise(id, "an extract", "extractive");
  summarise(id, "compacted", "compaction");
  indexSessions(store.memory);
  expect(matching("extract").summary).toEqual([id]);
  summarise(id, "told well", "llm");
  indexSessions(store.memory);
  expect([matching("extract").summary, matching("well").summary, matching("compact").summary]).toEqual([
    [],
    [id],
    [],
  ]);
});

describe("outdated terms of a session", () => {
  const changes: Record<string, (id: number) => unknown> = {
    "its title": () =>
      saveSession(store.memory, {
        uid: "s",
        agent: "claude",
        cwd: "/repo",
        title: { text: "New", source: "user" },
      }),
    "a prompt": (id) => saveTurn(store.memory, id, turn(1, { prompt: "another" })),
    "a new turn": (id) => saveTurn(store.memory, id, turn(2)),
    "a turn that goes": (id) =>
      store.memory.prepare("DELETE FROM turns WHERE session_id = ? AND number = 1").run(id),
    "its summary": (id) => summarise(id, "other words", "extractive"),
    "a summary that goes": (id) => store.memory.prepare("DELETE FROM summaries WHERE session_id = ?").run(id),
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`is gone at once with ${name}, and there again when it is indexed`, () => {
      const { memory } = store;
      const { id } = addSession(memory, "s", { title: { text: "Old", source: "agent" } });
      saveTurn(memory, id, turn(1));
      summarise(id, "some words", "extractive");
      indexSessions(memory);
      expect(isIndexed(id)).toBe(true);
      change(id);
      expect(isIndexed(id)).toBe(false);
      indexAllSessions(memory);
      expect(isIndexed(id)).toBe(true);
    });
  }

  it("stays when nothing of it changes", () => {
    const { memory } = store;
    const { id } = addSession(memory, "s");
    saveTurn(memory, id, turn(1));
    indexSessions(memory);
    saveTurn(memory, id, turn(1, { endedAt: 9999 }));
    markAbandoned(memory, id, [1]);
    saveSession(memory, { uid: "s", agent: "claude", cwd: "/repo", lastAt: 9999 });
    expect(isIndexed(id)).toBe(true);
  });

  it("goes with the session", () => {
    const { id } = addSession(store.memory, "s", { title: { text: "Old", source: "agent" } });
    indexSessions(store.memory);
    store.memory.prepare("DELETE FROM sessions WHERE id = ?").run(id);
    expect(matching("old").asked).toEqual([]);
    expect(isIndexed(id)).toBe(false);
  });
});

it("indexes many sessions in steps", () => {
  for (let i = 0; i < 60; i++)
    addSession(store.memory, `s${i}`, { title: { text: "Same", source: "agent" } });
  expect(indexSessions(store.memory)).toBe(false);
  expect(indexSessions(store.memory)).toBe(true);
  expect(matching("same").asked).toHaveLength(60);
});
