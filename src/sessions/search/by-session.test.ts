import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { asker } from "../../../test/support/search-fixture.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { indexAllSessions } from "../../store/memory/sessions/session-index.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import type { SessionQuery } from "./types.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

/** A session on a branch, with a chunk for each turn. */
function remember(uid: string, branch: string, texts: readonly string[]): void {
  const { id } = addSession(store.memory, uid, { branch });
  texts.forEach((_, i) => {
    saveTurn(store.memory, id, turn(i + 1, { branch, prompt: "go on" }));
  });
  const chunks = texts.map((text, i) => chunk(i, text, { session: uid }));
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, chunks);
}

async function found(query: string, more: Partial<SessionQuery> = {}) {
  indexAllSessions(store.memory);
  const { ask } = asker(store.memory, store.dir, null);
  const { results, total_results } = await ask(query, { by: "session", ...more });
  const turns = results.map(({ session_id, turn, more_turns, other_turns }) => ({
    place: `${session_id}:${turn}`,
    more_turns,
    others: other_turns.map((other) => other.turn),
  }));
  return { turns, total_results };
}

describe("by session", () => {
  it("a session comes once, with its best turn and the others that match", async () => {
    remember("a", "main", ["flaky retry of the retry", "flaky retry", "lunch", "retry, flaky"]);
    remember("b", "main", ["a flaky thing", "lunch"]);
    const { turns, total_results } = await found("flaky retry");
    expect(turns).toEqual([
      { place: expect.stringMatching(/^a:/), more_turns: 2, others: expect.any(Array) },
      { place: "b:1", more_turns: 0, others: [] },
    ]);
    expect([turns[0]!.place.slice(2), ...turns[0]!.others.map(String)].sort()).toEqual(["1", "2", "4"]);
    expect(total_results).toBe(2);
    expect((await found("flaky retry", { limit: 1 })).turns).toHaveLength(1);
  });

  it("by turn every turn comes alone", async () => {
    remember("a", "main", ["flaky retry", "flaky retry"]);
    const { turns } = await found("flaky", { by: "turn" });
    expect(turns.map(({ place }) => place).sort()).toEqual(["a:1", "a:2"]);
    expect(turns.every(({ more_turns }) => more_turns === 0)).toBe(true);
  });

  it("a pattern finds sessions, the one with the newest match first", async () => {
    remember("a", "main", ["TODO one", "lunch", "TODO two"]);
    remember("b", "main", ["lunch", "TODO three"]);
    expect((await found("TODO", { mode: "regex" })).turns).toEqual([
      { place: "a:3", more_turns: 1, others: [1] },
      { place: "b:2", more_turns: 0, others: [] },
    ]);
  });
});

it("the id of an issue is one thing", async () => {
  remember("number", "main", ["232 of them, and an ENT-7"]);
  remember("issue", "main", ["as ENT-232 says, and more of it"]);
  for (const other of ["a", "b", "c"]) remember(other, "main", ["lunch", "noodles"]);
  expect((await found("ENT-232")).turns.map(({ place }) => place)).toEqual(["issue:1", "number:1"]);
});

it("a session is found first by the branch that it was on", async () => {
  for (const other of ["a", "b", "c"]) remember(other, "main", ["the hanging lamp", "the test of the lamp"]);
  remember("wanted", "fix-hanging-test", ["the lamp again", "all of the test is hanging by now"]);
  const { turns } = await found("hanging test");
  expect(turns[0]!.place).toMatch(/^wanted:/);
  const { ask } = asker(store.memory, store.dir, null);
  const { results } = await ask("hanging test", { by: "session", explain: true });
  expect(results[0]!.signals!.session_asked).toBeGreaterThan(0);
});

describe("what a query names comes first", () => {
  const first = async (query: string, more: Partial<SessionQuery> = {}) => {
    indexAllSessions(store.memory);
    const { ask } = asker(store.memory, store.dir, null);
    const { results, verdict, is_named, notes } = await ask(query, { by: "session", ...more });
    for (const { score } of results) expect(score).toBeLessThan(1);
    const [{ session_id, match_reasons } = { session_id: null, match_reasons: [] }] = results;
    return { session_id, match_reasons, verdict, is_named, notes, count: results.length };
  };

  it("a session by its id or the beginning of it, though others speak of it", async () => {
    remember("0bb9a2d9-a51e", "main", ["lunch", "noodles"]);
    remember("other", "main", ["see 0bb9a2d9, it is about 0bb9a2d9", "0bb9a2d9"]);
    for (const id of ["0bb9a2d9", "0bb9a2d9-a51e"]) {
      expect(await first(id)).toMatchObject({
        session_id: "0bb9a2d9-a51e",
        match_reasons: ["its id"],
        verdict: "found",
        is_named: true,
      });
    }
    expect(await first("0bb9a2d9")).toMatchObject({ count: 2 });
    expect(await first("0bb9a2d9", { agent: "codex" })).toMatchObject({ count: 0 });
    expect((await first("0bb9 noodles")).is_named).toBeUndefined();
  });

  it("the sessions of a branch, but not of one that is a plain word", async () => {
    remember("wanted", "fix/lamp", ["lunch"]);
    remember("talk", "main", ["the fix/lamp branch of main", "fix the lamp on main"]);
    expect(await first("fix/lamp")).toMatchObject({
      session_id: "wanted",
      match_reasons: ["its branch"],
      is_named: true,
    });
    expect((await first("main")).is_named).toBeUndefined();
  });

  it("what is in quotes, and only what holds it", async () => {
    remember("a", "main", ["the lamp hangs and hangs, the lamp", "hang the lamp"]);
    remember("b", "main", ["then we hang the lamp up"]);
    expect(await first('"hang the lamp up"')).toMatchObject({
      session_id: "b",
      match_reasons: ['contains "hang the lamp up"'],
      is_named: true,
      count: 1,
    });
    expect(await first('the "lamp hangs up"')).toMatchObject({
      notes: [expect.stringContaining("the quoted text")],
    });
  });
});

describe("sessions that a client starts to review another", () => {
  const history = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
  const review = (i: number) => `[USER] Assess this: flaky retry ${history} [request] run ${i}`;
  beforeEach(() => {
    remember("parent", "main", ["flaky retry of the parent"]);
    const parentId = findSessionByUid(store.memory, "parent")!.id;
    for (const [uid, text] of [
      ...[1, 2, 3, 4].map((i) => [`guardian${i}`, review(i)] as const),
      ["worker", "the flaky retry is in the client, and a lock mends it"] as const,
    ]) {
      remember(uid, "main", [text]);
      saveSession(store.memory, { uid, agent: "codex", cwd: store.dir, parentId });
    }
    remember("other", "main", [review(5)]);
  });

  it.each(["session", "turn"] as const)("come once for their parent, by %s", async (by) => {
    const { turns, total_results } = await found("flaky retry", { by, limit: 20 });
    const sessions = turns.map(({ place }) => place.split(":")[0]!.replace(/\d/, ""));
    expect(sessions.sort()).toEqual(["guardian", "other", "parent", "worker"]);
    expect(total_results).toBe(4);
  });
});
