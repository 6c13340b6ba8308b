import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import {
  findEvent,
  findEventByUid,
  findEventMembers,
  isLinked,
  listEventLinks,
  makeEventUid,
  readEvents,
  saveEvent,
  saveLink,
} from "./events.ts";
import type { EventLink, EventRecord } from "./memory-records.ts";
import { saveTurn } from "./sessions/turns.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

function event(uid: string, more: Partial<EventRecord> = {}): EventRecord {
  return {
    uid,
    title: `event ${uid}`,
    description: "",
    type: "task",
    status: "active",
    branch: null,
    startsAt: null,
    endsAt: null,
    createdAt: 1,
    updatedAt: 1,
    author: null,
    signer: null,
    ...more,
  };
}

function link(eventUid: string, targetUid: string, more: Partial<EventLink> = {}): EventLink {
  return { eventUid, kind: "session", targetUid, addedAt: 1, removedAt: null, ...more };
}

function addCheckpoint(uid: string, branch: string | null, committedAt: number): void {
  const { lastInsertRowid } = store.memory
    .prepare(
      `INSERT INTO commits (hash, tree, parents, branch, author, authored_at, committed_at, subject, insertions,
         deletions, seen) VALUES (?, '', '[]', ?, 'A', ?, ?, 's', 0, 0, 'hook')`,
    )
    .run(uid.repeat(4), branch, committedAt, committedAt);
  store.memory
    .prepare("INSERT INTO checkpoints (uid, commit_id, created_at) VALUES (?, ?, ?)")
    .run(uid, lastInsertRowid, committedAt);
}

describe("versions", () => {
  it("keeps the later version, whichever comes first", () => {
    const early = event("a1", { title: "early", updatedAt: 5 });
    const late = event("a1", { title: "late", updatedAt: 6 });
    saveEvent(store.memory, late);
    expect(saveEvent(store.memory, early)).toEqual(late);
    expect(findEventByUid(store.memory, "a1")).toEqual(late);
  });

  it("ends with the same, in whatever order versions and links come", () => {
    const version = fc.record({
      title: fc.constantFrom("x", "y", "z"),
      status: fc.constantFrom("active" as const, "frozen" as const),
      updatedAt: fc.integer({ min: 0, max: 3 }),
    });
    const times = fc.record({
      addedAt: fc.integer({ min: 0, max: 4 }),
      removedAt: fc.option(fc.integer({ min: 0, max: 4 })),
    });
    const lists = fc
      .tuple(
        fc.array(version, { minLength: 1, maxLength: 5 }),
        fc.array(times, { minLength: 1, maxLength: 5 }),
      )
      .chain(([versions, links]) =>
        fc.tuple(
          fc.constant({ versions, links }),
          fc.record({
            versions: fc.shuffledSubarray(versions, { minLength: versions.length }),
            links: fc.shuffledSubarray(links, { minLength: links.length }),
          }),
        ),
      );
    let next = 0;
    fc.assert(
      fc.property(lists, ([one, other]) => {
        const results = [one, other].map(({ versions, links }) => {
          const uid = `e${next++}`;
          for (const more of versions) saveEvent(store.memory, event(uid, { ...more }));
          for (const more of links) saveLink(store.memory, link(uid, "s", more));
          const { uid: _, ...kept } = findEventByUid(store.memory, uid)!;
          const [{ eventUid: __, ...only }] = listEventLinks(store.memory, uid) as [EventLink];
          return { kept, only };
        });
        expect(results[0]).toEqual(results[1]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("finding", () => {
  beforeEach(() => {
    saveEvent(store.memory, event("abc123", { title: "Auth rewrite", updatedAt: 1 }));
    saveEvent(store.memory, event("abd456", { title: "Release 2", status: "frozen", updatedAt: 9 }));
    saveEvent(store.memory, event("fade00", { title: "ABC", description: "Über uns", updatedAt: 3 }));
  });

  it("takes an id, a title in any case, or a beginning of either", () => {
    expect(findEvent(store.memory, "abc123").title).toBe("Auth rewrite");
    expect(findEvent(store.memory, "abd").title).toBe("Release 2");
    expect(findEvent(store.memory, "auth REWRITE").uid).toBe("abc123");
    expect(findEvent(store.memory, "rel").title).toBe("Release 2");
    // A title before the beginning of an id.
    expect(findEvent(store.memory, "abc").uid).toBe("fade00");
  });

  it("says when there is none, or when there are several", () => {
    expect(() => findEvent(store.memory, "ab")).toThrow(/abc123, abd456/);
    expect(() => findEvent(store.memory, "nothing")).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(() => findEvent(store.memory, "")).toThrow(expect.objectContaining({ code: "not_found" }));
  });

  it("lists active ones first, the latest of them first, and searches words", () => {
    const titles = (filter = {}) => readEvents(store.memory, filter).map(({ title }) => title);
    expect(titles()).toEqual(["ABC", "Auth rewrite", "Release 2"]);
    expect(titles({ status: "frozen" })).toEqual(["Release 2"]);
    expect(titles({ type: "milestone" })).toEqual([]);
    expect(titles({ query: "über" })).toEqual(["ABC"]);
    addSession(store.memory, "s1", { title: { text: "Token refresh", source: "agent" } });
    saveLink(store.memory, link("abc123", "s1"));
    expect(titles({ query: "token auth" })).toEqual(["Auth rewrite"]);
  });
});

describe("members", () => {
  beforeEach(() => {
    const on = addSession(store.memory, "on", { branch: "feat/auth", startedAt: 100, lastAt: 200 });
    saveTurn(store.memory, on.id, turn(1, { branch: "feat/auth" }));
    // Nothing was said in it.
    addSession(store.memory, "silent", { branch: "feat/auth", startedAt: 100, lastAt: 200 });
    const { id } = addSession(store.memory, "was-on", { branch: "main", startedAt: 300, lastAt: 400 });
    saveTurn(store.memory, id, turn(1, { branch: "feat/auth" }));
    addSession(store.memory, "off", { branch: "main", startedAt: 500, lastAt: 600 });
    addSession(store.memory, "on/agent", { branch: "feat/auth", startedAt: 110, lastAt: 120 });
    addCheckpoint("c1", "feat/auth", 150);
    addCheckpoint("c2", "feat/auth", 900);
    addCheckpoint("c3", "main", 160);
  });
  const of = (uid: string) => findEventMembers(store.memory, uid);

  it("includes what happened on its branch, with links added and without links removed", () => {
    saveEvent(store.memory, event("e", { branch: "feat/auth" }));
    expect(of("e")).toEqual({ sessions: ["on", "was-on"], checkpoints: ["c1", "c2"] });
    saveLink(store.memory, link("e", "off"));
    saveLink(store.memory, link("e", "on", { removedAt: 2 }));
    saveLink(store.memory, link("e", "c2", { kind: "checkpoint", removedAt: 2 }));
    expect(of("e")).toEqual({ sessions: ["off", "was-on"], checkpoints: ["c1"] });
    saveLink(store.memory, link("e", "on", { addedAt: 3 }));
    expect(of("e").sessions).toContain("on");
  });

  it("includes nothing from after its end", () => {
    saveEvent(store.memory, event("e", { branch: "feat/auth", status: "frozen", endsAt: 250 }));
    expect(of("e")).toEqual({ sessions: ["on"], checkpoints: ["c1"] });
  });

  it("includes a time span if it is temporal, and otherwise nothing without a branch", () => {
    saveEvent(store.memory, event("t", { type: "temporal", startsAt: 155, endsAt: 350 }));
    expect(of("t")).toEqual({ sessions: ["on", "was-on"], checkpoints: ["c3"] });
    saveEvent(store.memory, event("m", { type: "milestone", startsAt: 155, endsAt: 350 }));
    expect(of("m")).toEqual({ sessions: [], checkpoints: [] });
    saveEvent(store.memory, event("u", { type: "temporal" }));
    expect(of("u")).toEqual({ sessions: [], checkpoints: [] });
  });
});

it("makes ids of twelve digits, and knows when a link holds", () => {
  expect(makeEventUid()).toMatch(/^[0-9a-f]{12}$/);
  expect(isLinked({ addedAt: 5, removedAt: null })).toBe(true);
  expect(isLinked({ addedAt: 5, removedAt: 5 })).toBe(false);
  expect(isLinked({ addedAt: 6, removedAt: 5 })).toBe(true);
});
