import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import { PommelError } from "../../../base/errors.ts";
import { replaceChunks } from "../chunks/chunks.ts";
import type { Memory } from "../memory.ts";
import { packContent, unpackContent } from "./content.ts";
import {
  findSession,
  findSessionByUid,
  listSessions,
  listSessionsAfter,
  readMemoryCounts,
  readSessionCounts,
  readSessionsByIds,
} from "./sessions.ts";
import {
  findLastGroupStart,
  findTurn,
  findTurnBefore,
  findTurnContent,
  listAbandonedTurns,
  listFilesOfSession,
  listTurns,
  listTurnsWithFile,
  markAbandoned,
  saveTurn,
} from "./turns.ts";

let memory: Memory;
let remove: () => void;

beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

describe("a session", () => {
  it("takes the earliest start, the latest line with its branch, and keeps its links", () => {
    const parent = addSession(memory, "p");
    addSession(memory, "s", { startedAt: 50, lastAt: 80, branch: "main" });
    addSession(memory, "s", { startedAt: 10, lastAt: 60, branch: "old", cwd: "/other" });
    addSession(memory, "s", { lastAt: 90, branch: "new", parentId: parent.id, agentType: "Explore" });
    const merged = addSession(memory, "s", { parentId: null, forkedFrom: parent.id });
    expect(merged).toMatchObject({
      startedAt: 10,
      lastAt: 90,
      branch: "new",
      cwd: "/repo",
      parentId: parent.id,
      agentType: "Explore",
      forkedFrom: parent.id,
    });
    expect(findSessionByUid(memory, "s")).toEqual(merged);
    expect([...readSessionsByIds(memory, [merged.id, 99]).values()]).toEqual([merged]);
  });

  it("is called by the strongest source; of equal ones the latest, of prompts the first", () => {
    const titles = [
      ["prompt", "first"],
      ["prompt", "second"],
      ["agent", "third"],
      ["prompt", "fourth"],
      ["agent", "fifth"],
      ["user", "sixth"],
      ["summary", "seventh"],
    ] as const;
    const seen = titles.map(([source, text]) => addSession(memory, "s", { title: { text, source } }).title);
    expect(seen).toEqual(["first", "first", "third", "third", "fifth", "sixth", "sixth"]);
  });

  it("is over until it goes on", () => {
    const ended = addSession(memory, "s", { ended: { at: 5, reason: "exit" } });
    expect(ended).toMatchObject({ endedAt: 5, endReason: "exit" });
    expect(addSession(memory, "s", { lastAt: 6 }).endedAt).toBe(5);
    expect(addSession(memory, "s", { ended: null })).toMatchObject({ endedAt: null, endReason: null });
  });

  it("is not written when nothing is new", () => {
    addSession(memory, "s", { lastAt: 5 });
    const changes = () => (memory.prepare("SELECT total_changes() AS n").get() as { n: number }).n;
    const before = changes();
    addSession(memory, "s", { lastAt: 5 });
    expect(changes()).toBe(before);
  });

  it("is found by its uid or a beginning that no other has", () => {
    for (const uid of ["abc1", "abc2", "abd", "abd/agent", "x_y", "xzy"]) addSession(memory, uid);
    const find = (beginning: string) => {
      try {
        return findSession(memory, beginning).uid;
      } catch (error) {
        return error instanceof PommelError ? `${error.code}: ${error.message}` : error;
      }
    };
    expect([find("abc2"), find("abd"), find("abd/"), find("x_")]).toEqual([
      "abc2",
      "abd",
      "abd/agent",
      "x_y",
    ]);
    expect(find("abc")).toBe('usage: Several sessions match "abc": abc1, abc2.');
    expect(find("a")).toBe('usage: Several sessions match "a": abc1, abc2, abd.');
    expect(find("nothing")).toMatch(/^not_found: /);
    expect(find("")).toMatch(/^not_found: /);
    expect(find("%")).toMatch(/^not_found: /);
  });
});

describe("the list of sessions", () => {
  it("is by last line, without subagents, and can be narrowed", () => {
    const a = addSession(memory, "a", { startedAt: 10, lastAt: 20, branch: "main" });
    addSession(memory, "b", { startedAt: 15, lastAt: 40, branch: "topic", cwd: "/repo/sub" });
    addSession(memory, "c", { startedAt: 50, lastAt: 60, agent: "codex", cwd: "/repository" });
    addSession(memory, "a/1", { parentId: a.id, startedAt: 12, lastAt: 13 });
    addSession(memory, "unknown");
    const list = (filter?: Parameters<typeof listSessions>[1]) =>
      listSessions(memory, filter).map(({ uid }) => uid);
    expect(list()).toEqual(["c", "b", "a", "unknown"]);
    expect(list({ limit: 2 })).toEqual(["c", "b"]);
    expect(list({ since: 30 })).toEqual(["c", "b"]);
    expect(list({ until: 15 })).toEqual(["b", "a"]);
    expect(list({ branch: "main" })).toEqual(["a"]);
    expect(list({ agent: "codex" })).toEqual(["c"]);
    expect(list({ cwd: "/repo/" })).toEqual(["b", "a", "unknown"]);
    expect(list({ children: a.id })).toEqual(["a/1"]);
    expect(list({ children: true })).toEqual(["c", "b", "a", "a/1", "unknown"]);
    saveTurn(memory, a.id, turn(1));
    expect(list({ remembered: true })).toEqual(["a"]);
  });

  it("comes with counts", () => {
    const { id } = addSession(memory, "a", { lastAt: 7 });
    addSession(memory, "a/1", { parentId: id });
    for (const number of [0, 1, 2]) saveTurn(memory, id, turn(number));
    replaceChunks(memory, id, { type: "raw", from: 0 }, [chunk(0, "x"), chunk(1, "y")]);
    replaceChunks(memory, id, { type: "summary", from: 0 }, [chunk(0, "z", { type: "summary" })]);
    expect(readSessionCounts(memory, [id]).get(id)).toEqual({
      turns: 2,
      chunks: 3,
      children: 1,
      decisions: 0,
    });
    expect(readMemoryCounts(memory)).toEqual({
      agents: { claude: 1 },
      sessions: 1,
      turns: 2,
      chunks: { raw: 2, summary: 1, annotated: 0 },
      annotations: 0,
      summaries: 0,
      lastAt: 7,
    });
  });
});

it("lists the sessions that began after the last line of one, and none that went on beside it", () => {
  const one = addSession(memory, "one", { startedAt: 10, lastAt: 20 });
  addSession(memory, "beside", { startedAt: 15, lastAt: 40 });
  addSession(memory, "at once", { startedAt: 20, lastAt: 30, branch: "topic" });
  addSession(memory, "later", { startedAt: 50, lastAt: 60 });
  const list = (...given: [Parameters<typeof listSessionsAfter>[2]?]) =>
    listSessionsAfter(memory, one, ...given).map(({ uid }) => uid);
  expect(list()).toEqual(["later", "at once"]);
  expect(list({ branch: "topic" })).toEqual(["at once"]);
  expect(list({ until: 45 })).toEqual(["at once"]);
  const moment = addSession(memory, "moment", { startedAt: 70, lastAt: 70 });
  expect(listSessionsAfter(memory, moment)).toEqual([]);
  expect(listSessionsAfter(memory, addSession(memory, "unread"))).toEqual([]);
});

describe("turns", () => {
  it("are read as they were stored, and replaced by number", () => {
    const { id } = addSession(memory, "s");
    const first = saveTurn(
      memory,
      id,
      turn(1, { tools: { Edit: 2 }, files: [{ path: "a.ts", how: "edit" }] }),
    );
    saveTurn(memory, id, turn(2, { groupStart: 1 }));
    expect(findLastGroupStart(memory, id)).toBe(1);
    expect(saveTurn(memory, id, turn(1, { prompt: "new", files: [{ path: "b.ts", how: "read" }] }))).toBe(
      first,
    );
    const { content: _, ...stored } = turn(1, { prompt: "new", files: [{ path: "b.ts", how: "read" }] });
    expect(findTurn(memory, id, 1)).toEqual({ ...stored, id: first, sessionId: id });
    expect(findTurn(memory, id, 3)).toBeNull();
    expect(listTurns(memory, id, { first: 2 }).map(({ number }) => number)).toEqual([2]);
    expect(listTurns(memory, id, { last: 1 }).map(({ number }) => number)).toEqual([1]);
    expect([1, 2, 3, 9].map((number) => findTurnBefore(memory, id, number)?.number)).toEqual([
      undefined,
      1,
      2,
      2,
    ]);
    expect(findLastGroupStart(memory, 99)).toBeNull();
  });

  it("keep everything that was in them", () => {
    const { id } = addSession(memory, "s");
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (lines) => {
        saveTurn(memory, id, turn(1, { content: packContent(lines) }));
        expect(unpackContent(findTurnContent(memory, id, 1)!)).toEqual(JSON.parse(JSON.stringify(lines)));
      }),
      { numRuns: 50 },
    );
    expect(listTurns(memory, id).map(({ number }) => number)).toEqual([1]);
    expect(findTurnContent(memory, id, 2)).toBeNull();
  });

  it("abandoned branch are marked, with the chunks that lie in them alone", () => {
    const { id } = addSession(memory, "s");
    for (const number of [1, 2, 3]) saveTurn(memory, id, turn(number, { abandoned: number === 1 }));
    replaceChunks(memory, id, { type: "raw", from: 0 }, [
      chunk(0, "one", { turn: 1, abandoned: true }),
      chunk(1, "two and three", { firstTurn: 2, lastTurn: 3 }),
      chunk(2, "three", { turn: 3 }),
    ]);
    markAbandoned(memory, id, [3]);
    expect(listTurns(memory, id).map(({ abandoned }) => abandoned)).toEqual([false, false, true]);
    expect(listAbandonedTurns(memory, id)).toEqual([3]);
    const marks = memory.prepare("SELECT abandoned FROM chunks ORDER BY position").pluck().all();
    expect(marks).toEqual([0, 0, 1]);
  });

  it("are found by the files that they touched", () => {
    const { id } = addSession(memory, "s");
    saveTurn(
      memory,
      id,
      turn(1, {
        files: [
          { path: "a", how: "read" },
          { path: "b", how: "edit" },
        ],
      }),
    );
    saveTurn(
      memory,
      id,
      turn(2, {
        files: [
          { path: "a", how: "write" },
          { path: "b", how: "read" },
        ],
      }),
    );
    expect(listTurnsWithFile(memory, "a", 5).map(({ number }) => number)).toEqual([2, 1]);
    expect(listTurnsWithFile(memory, "a", 1)).toHaveLength(1);
    expect(listFilesOfSession(memory, id)).toEqual([
      { path: "a", how: "write" },
      { path: "b", how: "edit" },
    ]);
  });
});
