import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { fakeScrubber, temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { findEventMembers, readEvents, saveEvent } from "../../store/memory/events.ts";
import type { EventRecord } from "../../store/memory/memory-records.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { readEventTexts, redactEvents } from "../scrub/redact-stored.ts";
import { makeBranchTitle, suggestEvents } from "./branch-title.ts";
import { changeEventStatus, createEvent, findTarget, linkTargets, unlinkTargets } from "./change-event.ts";

describe("branch names", () => {
  it.each([
    ["feat/auth-rewrite", "auth rewrite"],
    ["feature/fix/token_refresh", "token refresh"],
    ["PROJ-123-fix-login", "PROJ-123 fix login"],
    ["bugfix/ent-297-subagent", "ent-297 subagent"],
    ["fix/PROJ-9", "PROJ-9"],
    ["ann/improved-shadow", "ann improved shadow"],
    ["fix", "fix"],
    ["fix/-", "fix/-"],
    ["größer/ärger-1", "größer ärger 1"],
  ])("%s is about %s", (branch, title) => {
    expect(makeBranchTitle(branch)).toBe(title);
  });
});

describe("with a memory", () => {
  let temporary: ReturnType<typeof temporaryWork>;
  let work: ReturnType<typeof temporaryWork>["work"];
  beforeEach(() => {
    temporary = temporaryWork({ scrubber: fakeScrubber("strict", /ghp_\w+/g) });
    work = temporary.work;
  });
  afterEach(() => temporary.remove());

  /** One in which something was said: others are no members. */
  function addSpokenSession(uid: string, at: { branch: string; startedAt: number; lastAt: number }): void {
    const { id } = addSession(work.memory, uid, at);
    saveTurn(work.memory, id, turn(1, { branch: at.branch, startedAt: at.startedAt, endedAt: at.lastAt }));
  }

  function addCommit(hash: string, branch: string, committedAt: number, sessionUid: string): string {
    const { id: commitId } = saveCommit(
      work.memory,
      {
        hash,
        tree: "t",
        parents: [],
        branch,
        author: "Ann",
        authoredAt: committedAt,
        committedAt,
        subject: "A change",
        patchId: null,
        rewrittenFrom: [],
        insertions: 1,
        deletions: 0,
        seen: "hook",
        attributed: 1,
      },
      [],
    );
    const uid = hash.slice(0, 12);
    const binding = { sessionUid, turns: [1], lines: 1, how: "lines" as const, confidence: 1 };
    saveCheckpoint(work.memory, {
      uid,
      commitId,
      parentUid: null,
      agentState: {},
      createdAt: committedAt,
      sessions: [binding],
    });
    return uid;
  }

  it("suggests branches that are about one thing", () => {
    const topical = ["feat/main", "maintenance", "released-notes", "v2-migration"];
    const defaults = [
      "main",
      "master",
      "HEAD",
      "Develop",
      "trunk",
      "release/2.1",
      "release-2.1",
      "v1.2",
      "1.x",
    ];
    const robots = ["dependabot/npm/x", "renovate/x", "entire/checkpoints/v1", "pommel/memory/v1"];
    const branches = [...defaults, " ", ...robots, ...topical];
    for (const [i, branch] of branches.entries()) {
      const { id } = addSession(work.memory, `session-${i}`, { branch });
      saveTurn(work.memory, id, turn(1, { branch }));
    }
    addSession(work.memory, "silent", { branch: "feat/nothing-said" });
    const suggested = suggestEvents(work.memory).map(({ branch }) => branch);
    expect(suggested.sort()).toEqual(topical);
  });

  it("suggests branches that were worked on, the latest first, with what happened there", () => {
    const { id } = addSession(work.memory, "one", { branch: "main", lastAt: 100 });
    saveTurn(work.memory, id, turn(1, { branch: "feat/auth-rewrite", startedAt: 40, endedAt: 50 }));
    saveTurn(work.memory, id, turn(2, { branch: "feat/auth-rewrite", startedAt: 60, endedAt: 70 }));
    const two = addSession(work.memory, "two", { branch: "feat/auth-rewrite", lastAt: 80 });
    saveTurn(work.memory, two.id, turn(1, { branch: "feat/auth-rewrite", startedAt: 75, endedAt: 80 }));
    addSession(work.memory, "two/agent", { branch: "feat/auth-rewrite", lastAt: 90 });
    const three = addSession(work.memory, "three", { branch: "fix/old", lastAt: 10 });
    saveTurn(work.memory, three.id, turn(1, { branch: "fix/old", startedAt: 5, endedAt: 10 }));
    addCommit("c".repeat(40), "fix/by-commit", 85, "two");
    expect(suggestEvents(work.memory)).toEqual([
      { branch: "fix/by-commit", title: "by commit", sessions: 0, checkpoints: 1, lastAt: 85 },
      { branch: "feat/auth-rewrite", title: "auth rewrite", sessions: 2, checkpoints: 0, lastAt: 80 },
      { branch: "fix/old", title: "old", sessions: 1, checkpoints: 0, lastAt: 10 },
    ]);
    createEvent(work, { title: null, branch: "feat/auth-rewrite" });
    expect(suggestEvents(work.memory).map(({ branch }) => branch)).toEqual(["fix/by-commit", "fix/old"]);
  });

  it("makes an event of a branch, and says when there is one", () => {
    const event = createEvent(work, { title: null, branch: "feat/auth-rewrite" }, 5);
    expect(event).toMatchObject({ title: "auth rewrite", type: "task", status: "active", createdAt: 5 });
    expect(() => createEvent(work, { title: "x", branch: "feat/auth-rewrite" })).toThrow(/auth rewrite/);
    changeEventStatus(work.memory, event, "archived");
    expect(createEvent(work, { title: "again", branch: "feat/auth-rewrite" }).title).toBe("again");
  });

  it("refuses one without a title, or with a time that makes no sense", () => {
    const usage = expect.objectContaining({ code: "usage" });
    expect(() => createEvent(work, { title: "  " })).toThrow(usage);
    expect(() => createEvent(work, { title: "x", type: "task", startsAt: 1 })).toThrow(usage);
    expect(() => createEvent(work, { title: "x", type: "temporal" })).toThrow(usage);
    expect(() => createEvent(work, { title: "x", startsAt: 2, endsAt: 1 })).toThrow(usage);
    expect(() => createEvent(work, { title: "x".repeat(300) })).toThrow(usage);
    expect(readEvents(work.memory)).toEqual([]);
    expect(createEvent(work, { title: "x", startsAt: 1 }).type).toBe("temporal");
  });

  it("keeps no secret in its words", () => {
    const secret = `ghp_${"aB3".repeat(12)}`;
    const event = createEvent(work, { title: `rotate ${secret}`, description: `was ${secret}` });
    expect(JSON.stringify(event)).not.toContain(secret);
    expect(event.title).toMatch(/^rotate /);
  });

  it("loses words that are forgotten for good, and versions that hold them do not bring them back", () => {
    const event = createEvent(
      work,
      { title: "Falcon wing", description: "of Falcon", branch: "feat/falcon" },
      10,
    );
    const seen: string[] = [];
    readEventTexts(work.memory, (text) => seen.push(text));
    expect(seen).toEqual(["Falcon wing", "of Falcon", "feat/falcon"]);
    const cut = (text: string) => text.replace(/falcon/gi, "[GONE]");
    expect(redactEvents(work.memory, cut)).toBe(true);
    expect(redactEvents(work.memory, cut)).toBe(false);
    saveEvent(work.memory, event);
    expect(readEvents(work.memory)).toMatchObject([
      { title: "[GONE] wing", description: "of [GONE]", branch: "feat/[GONE]" },
    ]);
  });

  it("links and unlinks, also targets of its branch, with any clock", () => {
    addSpokenSession("on", { branch: "feat/x", startedAt: 1, lastAt: 2 });
    const event = createEvent(work, { title: null, branch: "feat/x" });
    const target = { kind: "session" as const, targetUid: "on" };
    const sessions = () => findEventMembers(work.memory, event.uid).sessions;
    expect(sessions()).toEqual(["on"]);
    unlinkTargets(work.memory, event, [target], 1000);
    expect(sessions()).toEqual([]);
    expect(linkTargets(work.memory, event, [target], 500)).toEqual([target]);
    expect(linkTargets(work.memory, event, [target], 501)).toEqual([]);
    expect(sessions()).toEqual(["on"]);
    unlinkTargets(work.memory, event, [target], 400);
    expect(sessions()).toEqual([]);
  });

  it("closes, archives and opens again", () => {
    addSpokenSession("before", { branch: "feat/x", startedAt: 10, lastAt: 20 });
    let event: EventRecord = createEvent(work, { title: null, branch: "feat/x" }, 1);
    event = changeEventStatus(work.memory, event, "frozen", 100);
    addSpokenSession("after", { branch: "feat/x", startedAt: 200, lastAt: 300 });
    expect(findEventMembers(work.memory, event.uid).sessions).toEqual(["before"]);
    event = changeEventStatus(work.memory, event, "archived", 400);
    expect(event).toMatchObject({ status: "archived", endsAt: 100, updatedAt: 400 });
    // A clock that went back does not make it an older version.
    event = changeEventStatus(work.memory, event, "active", 50);
    expect(event).toMatchObject({ status: "active", endsAt: null, updatedAt: 401 });
    expect(findEventMembers(work.memory, event.uid).sessions).toEqual(["after", "before"]);
  });

  it("resolves targets: sessions, checkpoints, commits", () => {
    addSession(work.memory, "abc-session");
    const uid = addCommit(`abd${"0".repeat(37)}`, "main", 1, "abc-session");
    expect(findTarget(work.memory, "abc")).toEqual({ kind: "session", targetUid: "abc-session" });
    expect(findTarget(work.memory, "abd")).toEqual({ kind: "checkpoint", targetUid: uid });
    expect(findTarget(work.memory, `abd${"0".repeat(37)}`)).toEqual({ kind: "checkpoint", targetUid: uid });
    expect(() => findTarget(work.memory, "ab")).toThrow(/could be a session or a checkpoint/);
    expect(findTarget(work.memory, "ab", "session").kind).toBe("session");
    expect(() => findTarget(work.memory, "zzz")).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(() => findTarget(work.memory, "abc", "checkpoint")).toThrow(/checkpoint "abc"/);
    addSession(work.memory, "abd-other");
    addSession(work.memory, "abd-third");
    expect(() => findTarget(work.memory, "abd", "session")).toThrow(/Several sessions/);
  });

  it("takes another machine's version of an event only when it is later", () => {
    const event = createEvent(work, { title: "x" }, 10);
    saveEvent(work.memory, { ...event, title: "older", updatedAt: 9 });
    expect(readEvents(work.memory)[0]!.title).toBe("x");
  });
});
