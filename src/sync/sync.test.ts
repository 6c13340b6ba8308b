import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branch, contentOf, type Machine, sharedRemote } from "../../test/support/machine-fixture.ts";
import { fakeScrubber } from "../../test/support/memory-work-fixture.ts";
import { expireOldTurns, forgetNow } from "../sessions/forget/forget.ts";
import { addNote } from "../sessions/notes/add-note.ts";
import { listStoredNotes } from "../store/memory/chunks/notes.ts";
import { saveAttributions } from "../store/memory/commits/attributions.ts";
import { saveCheckpoint } from "../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../store/memory/commits/commits.ts";
import { saveEvent, saveLink } from "../store/memory/events.ts";
import { enqueue } from "../store/memory/jobs/jobs.ts";
import { ofOldLines } from "../store/memory/privacy/secrets.ts";
import { listSessions } from "../store/memory/sessions/sessions.ts";
import { listChangedThings } from "../store/memory/sharing.ts";

let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  shared = sharedRemote();
});
afterEach(() => shared.remove());

/** A session in which a file was changed. */
function work(machine: Machine, id: string, said = "a token refresh that is atomic") {
  const builder = machine.session(id);
  builder.prompt(`Please write ${said}`);
  builder.edit(`${machine.dir}/src/auth.ts`, "old line", `new line of ${id}`);
  builder.reply(`Done: ${said}. We decided to use a lock because two requests came at once.`);
  builder.prompt("Note to Pommel: tokens are refreshed under a lock");
  builder.reply("Noted.");
  return builder;
}

const hash = (n: number) => String(n).repeat(40).slice(0, 40);

function commitBy({ memory }: Machine, n: number, session: string, confidence = 0.9) {
  const commit = saveCommit(
    memory,
    {
      hash: hash(n),
      tree: hash(n + 1),
      parents: [],
      branch: "main",
      author: "Ann <a@b.c>",
      authoredAt: 1000 * n,
      committedAt: 1000 * n,
      subject: `commit ${n}`,
      patchId: null,
      rewrittenFrom: [],
      insertions: 3,
      deletions: 0,
      seen: "hook",
      attributed: 1,
    },
    [],
  );
  const range = { toolUse: null, model: null, confidence, how: "edit" as const };
  saveAttributions(memory, commit.id, [
    {
      path: "src/auth.ts",
      firstLine: 1,
      lastLine: 2,
      author: "agent",
      sessionUid: session,
      turn: 1,
      ...range,
    },
    {
      path: "src/auth.ts",
      firstLine: 3,
      lastLine: 3,
      author: "human",
      sessionUid: null,
      turn: null,
      ...range,
    },
  ]);
  saveCheckpoint(memory, {
    uid: `c${n}`,
    commitId: commit.id,
    parentUid: null,
    agentState: { at: "the end" },
    createdAt: 1000 * n,
    sessions: [{ sessionUid: session, turns: [1], lines: 2, how: "lines", confidence }],
  });
}

function event({ memory }: Machine, uid: string, title: string, updatedAt: number, session: string) {
  saveEvent(memory, {
    uid,
    title,
    description: "",
    type: "task",
    status: "active",
    branch: null,
    startsAt: null,
    endsAt: null,
    createdAt: 1,
    updatedAt,
  });
  saveLink(memory, {
    eventUid: uid,
    kind: "session",
    targetUid: session,
    addedAt: updatedAt,
    removedAt: null,
  });
}

describe("sharing", () => {
  it("transfers everything to another machine, which then has nothing new to share", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    await addNote(one.work, { by: "person", note: "v2 is released" });
    commitBy(one, 1, "s1");
    event(one, "e1", "auth", 5, "s1");
    const before = one.surroundings();
    const report = await one.sync();
    expect(report).toMatchObject({
      pushed: true,
      isUpToDate: true,
      trouble: null,
      shared: { sessions: 1, turns: 2, annotations: 2, checkpoints: 1, attributions: 1, events: 1 },
    });
    expect(one.surroundings()).toEqual(before);
    expect([...one.files().keys()].sort()).toEqual([
      expect.stringMatching(/^annotations\/[0-9a-f]{32}\.json$/),
      expect.stringMatching(/^annotations\/[0-9a-f]{32}\.json$/),
      `attributions/11/${hash(1)}.json`,
      "checkpoints/c1.json",
      "events/e1.json",
      "manifest.json",
      "sessions/s1/meta.json",
      "sessions/s1/transcript.jsonl",
      expect.stringMatching(/^signatures\/[0-9a-f]{64}\.json$/),
    ]);

    const taken = await two.sync();
    expect(taken).toMatchObject({
      pushed: false,
      isUpToDate: true,
      imported: { sessions: 1, turns: 2, annotations: 2, checkpoints: 1, attributions: 1, events: 1 },
      shared: { sessions: 0, turns: 0 },
    });
    expect(contentOf(two)).toEqual(contentOf(one));
    expect(two.tree()).toBe(one.tree());
    expect(listChangedThings(two.memory)).toEqual([]);
    // Importing the same transcript there later adds nothing.
    await two.read(work({ ...two, dir: one.dir, session: one.session } as Machine, "s1"));
    expect(contentOf(two)).toEqual(contentOf(one));
  });

  it("does nothing when there is nothing new", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    const { commit } = await one.sync();
    await two.pull();
    for (const machine of [one, two]) {
      expect(await machine.sync()).toMatchObject({ pushed: false, isUpToDate: true, commit });
    }
    expect(await one.sync()).toMatchObject({ pushed: false, commit });
    expect(shared.git("rev-list", "--count", branch)).toBe("1");
  });

  it("joins both machines' turns, in either order", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    const builder = work(one, "s1");
    await one.read(builder);
    await one.sync();
    await two.pull();
    // The first continues it; the second has its own, and more about a commit.
    builder.prompt("Now add a test for it");
    builder.reply("Added.");
    await one.read(builder);
    await two.read(work(two, "s2", "a quokka"));
    commitBy(one, 1, "s1", 0.5);
    commitBy(two, 1, "s2", 0.8);
    event(one, "e1", "auth", 5, "s1");
    event(two, "e1", "authentication", 7, "s2");
    expect(await two.sync()).toMatchObject({ pushed: true });
    expect(await one.sync()).toMatchObject({ pushed: true });
    await two.sync();
    expect(contentOf(two)).toEqual(contentOf(one));
    expect(two.tree()).toBe(one.tree());
    expect(contentOf(one)).toMatchObject({
      sessions: [{ uid: "s1" }, { uid: "s2" }],
      checkpoints: [{ session_uid: "s1" }, { session_uid: "s2" }],
      attributions: [{ session_uid: "s2", confidence: 0.8 }, { author: "human" }],
      events: [{ title: "authentication" }],
      links: [{ target_uid: "s1" }, { target_uid: "s2" }],
    });
  });

  it("keeps both continuations of one session", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    await two.read(work({ ...two, dir: one.dir, session: one.session } as Machine, "s1"));
    const [here, there] = [
      work(one, "s1"),
      work({ ...two, dir: one.dir, session: one.session } as Machine, "s1"),
    ];
    here.prompt("Go left please");
    here.reply("Went left.");
    // Other ids, as from another run of the agent.
    for (let i = 0; i < 10; i++) there.raw("{}");
    there.prompt("Go right please");
    there.reply("Went right.");
    await one.read(here);
    await two.read(there);
    await one.sync();
    await two.sync();
    await one.sync();
    const prompts = (machine: Machine) =>
      contentOf(machine).turns!.map((turn) => (turn as { prompt: string }).prompt);
    expect(prompts(one).sort()).toEqual(prompts(two).sort());
    expect(prompts(one)).toEqual(expect.arrayContaining(["Go left please", "Go right please"]));
    expect(prompts(one)).toHaveLength(4);
    expect(await one.sync()).toMatchObject({ pushed: false });
    expect(one.tree()).toBe(two.tree());
  });

  it("shares nothing machine-specific: paths are relative, home is ~", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    const builder = work(one, "s1");
    builder.prompt(`Look at ${homedir()}/notes.txt and ${one.dir}/src/auth.ts`);
    builder.reply("I did.");
    await one.read(builder);
    await one.sync();
    const text = [...one.files().values()].join("\n");
    expect(text).toContain("~/notes.txt");
    expect(text).not.toContain(homedir());
    expect(text).toContain('"path":"src/auth.ts"');
    await two.pull();
    expect(contentOf(two).files).toEqual([{ uid: "s1", number: 1, path: "src/auth.ts", how: "edit" }]);
  });

  it("scrubs again on export and import", async () => {
    const word = "zanzibar";
    const one = shared.machine("one");
    const strict = shared.machine("two", { scrubber: fakeScrubber("strict", /zanzibar/g) });
    await one.read(work(one, "s1", word));
    await one.sync();
    expect([...one.files().values()].join()).toContain(word);
    await strict.pull();
    expect(JSON.stringify(contentOf(strict))).not.toContain(word);
    // It then shares the cleaner version, which the first machine imports.
    await strict.sync();
    await one.sync();
    expect([...one.files().values()].join()).not.toContain(word);
    expect(JSON.stringify(contentOf(one).turns)).not.toContain(word);
    const other = shared.machine("three", { scrubber: fakeScrubber("strict", /istanbul/g) });
    await other.read(work(other, "s3", "istanbul"));
    expect(JSON.stringify(contentOf(other))).not.toContain("istanbul");
    const late = { ...other, work: { ...other.work, scrubber: fakeScrubber("later", /lock/g) } };
    await late.sync({ filter: true });
    expect(other.files().get("sessions/s3/transcript.jsonl")).toContain("lock");
  });
});

describe("whose a session is", () => {
  const authors = ({ memory }: Machine) =>
    Object.fromEntries(listSessions(memory).map(({ uid, author }) => [uid, author]));
  const mine = ({ memory }: Machine) => listSessions(memory, { shared: false }).map(({ uid }) => uid);

  it("says the key that signed it, on each of its person's machines", async () => {
    const one = shared.machine("one");
    const [two, three] = [shared.machine("two", { person: "bob" }), shared.machine("three")];
    await one.read(work(one, "s1"));
    await one.sync({}, { author: "ann" });
    await two.read(work(two, "s2", "a quokka"));
    await two.sync({}, { author: "bob" });
    await one.sync({}, { author: "ann" });
    expect(authors(one)).toEqual({ s1: null, s2: "bob" });
    expect(authors(two)).toEqual({ s1: "ann", s2: null });
    expect(mine(two)).toEqual(["s2"]);
    expect(listStoredNotes(two.memory).map(({ author }) => author)).toEqual(
      expect.arrayContaining(["ann", null]),
    );
    // Another machine of the first person.
    await three.sync({}, { author: "ann" });
    expect(authors(three)).toEqual({ s1: null, s2: "bob" });
    // The branch is lost: each machine brings back what is its person's.
    shared.git("update-ref", "-d", `refs/heads/${branch}`);
    for (const { git } of [two, three]) git("update-ref", "-d", `refs/heads/${branch}`);
    await three.sync({}, { author: "ann" });
    expect(three.files().has("sessions/s2/meta.json")).toBe(false);
    await two.sync({}, { author: "bob" });
    await three.sync({}, { author: "ann" });
    expect(authors(three)).toEqual({ s1: null, s2: "bob" });
    expect(three.tree()).toBe(two.tree());
    expect(listChangedThings(three.memory)).toEqual([]);
  });

  it("is this person's once the transcript is read here, and nothing of what others shared stays in it", async () => {
    const [eve, two] = [shared.machine("eve", { person: "eve" }), shared.machine("two")];
    await eve.read(work(eve, "s1", "a wombat"));
    await eve.sync({}, { author: "eve" });
    await two.sync({}, { author: "ann" });
    expect(authors(two)).toEqual({ s1: "eve" });
    await two.read(work(two, "s1", "a quokka"));
    expect(authors(two)).toEqual({ s1: null });
    expect(JSON.stringify(contentOf(two).turns)).not.toContain("wombat");
    await two.sync({}, { author: "ann" });
    expect(two.files().get("sessions/s1/transcript.jsonl")).not.toContain("wombat");
    await eve.sync({}, { author: "eve" });
    expect(JSON.stringify(contentOf(two).turns)).toContain("quokka");
  });
});

describe("forgotten text", () => {
  it("is not shared or imported again", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    await one.read(work(one, "s2", "a quokka"));
    await one.sync();
    await two.pull();
    await forgetNow(two.work, { session: "s1" });
    await forgetNow(two.work, { turn: "s2:1" });
    const left = contentOf(two);
    expect(await two.pull({ force: true })).toMatchObject({ imported: { sessions: 0, turns: 0 } });
    expect(contentOf(two)).toEqual(left);
    await two.sync();
    expect(contentOf(two)).toEqual(left);
    // The branch and the other machine still have it.
    await one.sync();
    expect(contentOf(one).sessions).toHaveLength(2);
  });

  it("is never shared when it was forgotten first", async () => {
    const one = shared.machine("one");
    await one.read(work(one, "s1"));
    await one.read(work(one, "s2", "a quokka"));
    await forgetNow(one.work, { session: "s1" });
    await forgetNow(one.work, { pattern: "quokka" });
    await one.sync();
    const files = one.files();
    expect(files.has("sessions/s1/meta.json")).toBe(false);
    expect([...files.values()].join()).not.toContain("quokka");
  });

  it("does not come back in its original form", async () => {
    const one = shared.machine("one");
    await one.read(work(one, "s1"));
    await one.sync();
    await forgetNow(one.work, { pattern: "tokens" });
    const left = contentOf(one);
    await one.pull({ force: true });
    expect(contentOf(one)).toEqual(left);
    await one.sync();
    expect(contentOf(one)).toEqual(left);
  });

  it("does not include expired sessions: others keep them", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    await one.sync();
    await two.pull();
    expireOldTurns(two.memory, { days: 1 });
    expect(contentOf(two).turns).toEqual([]);
    await two.sync();
    await two.pull({ force: true });
    expect(contentOf(two).turns).toEqual([]);
    await one.sync();
    expect(contentOf(one).turns).toHaveLength(2);
    expect(one.files().get("sessions/s1/transcript.jsonl")!.trim().split("\n")).toHaveLength(2);
  });
});

describe("a dry run", () => {
  it("reports what would be shared and imported, and changes nothing", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(work(one, "s1"));
    expect(await one.sync({ dryRun: true })).toMatchObject({
      shared: { sessions: 1, turns: 2 },
      pushed: false,
    });
    expect(one.git("for-each-ref", "refs/heads")).not.toContain("pommel");
    await one.sync();
    await two.read(work(two, "s2", "a quokka"));
    const before = contentOf(two);
    expect(await two.sync({ dryRun: true })).toMatchObject({
      imported: { sessions: 1, turns: 2, annotations: 1 },
      shared: { sessions: 1, turns: 2, annotations: 1 },
    });
    expect(contentOf(two)).toEqual(before);
    expect(await two.sync()).toMatchObject({ imported: { sessions: 1, turns: 2 }, shared: { sessions: 1 } });
  });
});

describe("sessions from outside of the project", () => {
  it("are excluded unless requested", async () => {
    const [one, two] = [shared.machine("one"), shared.machine("two")];
    await one.read(
      work(
        {
          ...one,
          dir: "/somewhere",
          session: (id: string) => one.session(id, { cwd: "/somewhere" }),
        } as Machine,
        "of-elsewhere",
      ),
    );
    await one.read(work(one, "s2"));
    expect(await one.sync()).toMatchObject({ leftOut: 1, shared: { sessions: 1 } });
    expect(await one.sync()).toMatchObject({ leftOut: 1, pushed: false });
    expect([...one.files().values()].join()).not.toContain("of-elsewhere");
    expect(await one.sync({ everything: true })).toMatchObject({ leftOut: 0, shared: { sessions: 1 } });
    await two.sync();
    expect(contentOf(two).sessions).toHaveLength(2);
    expect(await one.sync()).toMatchObject({ leftOut: 0, pushed: false });
    expect(readFileSync(`${two.dir}/.git/HEAD`, "utf8")).toContain("main");
  });
});

describe("sessions that the language model of scrub.llm has yet to read", () => {
  it("are shared once it has, with their notes", async () => {
    const one = shared.machine("one");
    await one.read(work(one, "s1"));
    await one.read(work(one, "s2"));
    enqueue(one.memory, { kind: "deep-scrub", subject: "s1" });
    const first = await one.sync({ everything: true });
    expect(first).toMatchObject({ waiting: 1, shared: { sessions: 1, annotations: 1 } });
    expect([...one.files().keys()].join()).not.toContain("/s1");
    expect(await one.sync()).toMatchObject({ waiting: 1, pushed: false });
    one.memory.exec("DELETE FROM jobs");
    expect(await one.sync()).toMatchObject({ waiting: 0, shared: { sessions: 1, annotations: 1 } });
  });

  it("are shared meanwhile when only their old lines are to be read", async () => {
    const one = shared.machine("one");
    await one.read(work(one, "s1"));
    enqueue(one.memory, { kind: "deep-scrub", subject: "s1", payload: ofOldLines });
    expect(await one.sync()).toMatchObject({ waiting: 0, shared: { sessions: 1 } });
    enqueue(one.memory, { kind: "deep-scrub", subject: "s1" });
    expect(await one.sync({ force: true })).toMatchObject({ waiting: 0, shared: { sessions: 0 } });
  });
});
