import { mkdirSync, rmSync as removeFile, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, deciding, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import {
  conversation,
  edited as editedNow,
  type Happening,
  prompt,
  ran,
  text as said,
} from "../../../test/support/turn-fixture.ts";
import { anchorNote } from "../../attribution/line-notes.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { turnToStore } from "../../sessions/ingest/turns.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { SessionSearch } from "../../sessions/search/engine.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { saveEvent } from "../../store/memory/events.ts";
import { listInjections } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkToStore } from "../../store/memory/memory-records.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { saveSummary } from "../../store/memory/sessions/summaries.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { answerContext } from "./context.ts";
import { shortenDecision } from "./for-edit.ts";
import type { ContextRequest } from "./operation.ts";
import type { ContextItem, FileHistory } from "./source.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const day = 24 * 3600 * 1000;

let memory: Memory;
let dir: string;
let remove: () => void;
let config: Config;
let branch: string | null;
let compactedTo: string | null;
let named: ContextItem[];
let history: FileHistory;
beforeEach(() => {
  ({ memory, dir, remove } = temporaryMemory());
  config = { ...makeDefaultConfig(), "context.kinds": ["start", "compaction", "prompt", "edit", "check"] };
  branch = "retries";
  compactedTo = null;
  named = [];
  history = { changes: async () => [], committed: async () => null };
});
afterEach(() => remove());

it("a note on lines is told at the first edit of their file, with where they are", async () => {
  const lines = ["export const first = readTokens();", "export const second = checkAll(first);", ""];
  mkdirSync(join(dir, "src"), { recursive: true });
  writeFileSync(join(dir, "src/order.ts"), lines.join("\n"));
  const place = await anchorNote(dir, "src/order.ts", { first: 2, last: 2 });
  saveNote(memory, {
    uid: "on-lines",
    sessionUid: null,
    turn: null,
    lineUid: null,
    at: now - day,
    source: "shell",
    branch: null,
    note: "tokens go first",
    ...place,
  });
  writeFileSync(join(dir, "src/order.ts"), ["// Order.", ...lines].join("\n"));
  const told = await ask({ event: "post-tool-use", file: join(dir, "src/order.ts") });
  expect(told.text).toContain("User's note on src/order.ts:3: “tokens go first”");
  expect((await ask({ event: "post-tool-use", file: join(dir, "src/other.ts") })).text).toBeNull();
  // Before it is read, where that is wanted; once.
  const reading = { event: "pre-tool-use", reading: "src/order.ts", cwd: dir, session_id: "reads" } as const;
  expect((await ask(reading)).reason).toContain("context of the kind read is off");
  config["context.kinds"] = ["read", "edit"];
  expect((await ask(reading)).text).toContain("User's note on src/order.ts:3: “tokens go first”");
  expect((await ask(reading)).reason).toBe("the session already has it");
  const edited = { event: "post-tool-use", file: "src/order.ts", cwd: dir, session_id: "reads" } as const;
  expect((await ask(edited)).text).toBeNull();
});

const ask = (
  request: Partial<ContextRequest> & Pick<ContextRequest, "event">,
  origin: string | null = null,
) =>
  answerContext(
    {
      root: dir,
      worktrees: [join(dir, "../beside")],
      memory,
      config,
      now,
      until: null,
      origin,
      search: (query) =>
        new SessionSearch({ root: dir, memory, embedder: null, now: () => now }).search(query),
      branch: async () => branch,
      summary: async () => compactedTo,
      namedCode: async () => named,
      history,
    },
    { session_id: "current", ...request },
  );

function session(
  uid: string,
  daysAgo: number,
  chunks: Partial<ChunkToStore>[],
  more: { branch?: string; author?: string } = {},
) {
  const at = now - daysAgo * day;
  const { id } = addSession(memory, uid, { branch: "retries", startedAt: at, lastAt: at, ...more });
  chunks.forEach((one, i) => {
    const files = (one.files ?? []).map((path) => ({ path, how: "edit" as const }));
    saveTurn(
      memory,
      id,
      turn(i + 1, { startedAt: at, endedAt: at, prompt: `asked of ${uid} ${i + 1}`, files }),
    );
    for (const { path } of files) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), "");
    }
  });
  replaceChunks(
    memory,
    id,
    { type: "raw", from: 0 },
    chunks.map((one, i) =>
      chunk(i, one.text ?? "", {
        session: uid,
        startedAt: at,
        endedAt: at,
        branch: "retries",
        ...one,
        ...(one.decisions && { decisions: one.decisions.map((each) => ({ ...each, turn: i + 1 })) }),
      }),
    ),
  );
  return id;
}

const decided = (text: string, more: Partial<ChunkToStore> = {}): Partial<ChunkToStore> => ({
  text: `[USER] ${text}`,
  ...deciding(text),
  ...more,
});

const note = (
  uid: string,
  text: string,
  daysAgo: number,
  sessionUid: string | null = null,
  author: string | null = null,
) =>
  saveNote(memory, {
    uid,
    sessionUid,
    turn: null,
    lineUid: null,
    source: "shell",
    branch: null,
    note: text,
    author,
    at: now - daysAgo * day,
  });

describe("at the start of a session", () => {
  it("an empty memory adds nothing", async () => {
    expect(await ask({ event: "session-start" })).toMatchObject({ text: null, items: [] });
    expect(listInjections(memory, { limit: 9 })).toEqual([]);
  });

  it("injects the last work on the branch, notes, current decisions, and the branch's event", async () => {
    const last = session("last", 1, [
      decided("We decided to retry three times instead of once.", { files: ["src/a.ts"] }),
    ]);
    saveSummary(memory, {
      sessionId: last,
      source: "extractive",
      upToTurn: 1,
      at: now,
      model: null,
      text: "Asked:\n- retry\n\nOutcome:\nThe importer retries now.",
    });
    session("elsewhere", 0.5, [{ text: "[ASSISTANT] Something else." }], { branch: "main" });
    session("old", 90, [decided("We decided to use JSON instead of TOML.")]);
    session("beside", 2, [decided("We decided to poll instead of waiting.", { branch: "polling" })], {
      branch: "polling",
    });
    note("n1", "releases are cut on Fridays", 3);
    note("n2", "an old one", 200);
    saveEvent(memory, {
      uid: "e1",
      title: "importer rewrite",
      description: "",
      type: "task",
      status: "active",
      branch: "retries",
      startsAt: null,
      endsAt: null,
      createdAt: now,
      updatedAt: now,
    });
    const { text, items, tokens } = await ask({ event: "session-start", source: "startup" });
    expect(items.map(({ ref, kind }) => [ref, kind])).toEqual([
      ["session:last:branch", "Stopped"],
      ["note:n1", "User's note"],
      ["chunk:last:raw:0", "User's decision"],
      ["event:e1", "This branch's event"],
    ]);
    expect(text).toMatch(/- Stopped on this branch \S+ \S+ \[last:1\]: asked “asked of last 1”\.\n/);
    expect(text).toContain(
      "“We decided to retry three times instead of once.” (session last turn 1, 2026-03-09",
    );
    expect(listInjections(memory, { limit: 9 })).toMatchObject([
      {
        sessionUid: "current",
        event: "session-start",
        at: now,
        tokens,
        items: items.map(({ ref }) => ({ ref })),
      },
    ]);
  });

  it("says which session a note rejects", async () => {
    const at = now - 5 * day;
    const title = { text: "Poll the ledger", source: "agent" } as const;
    addSession(memory, "tried", { title, branch: "polling", startedAt: at, lastAt: at });
    note("r", "Rejected: it blocks the event loop", 1, "tried");
    const { items } = await ask({ event: "session-start", source: "startup" });
    expect(items.map(({ quote }) => quote)).toEqual(["Rejected “Poll the ledger”: it blocks the event loop"]);
  });

  it("leaves out decisions that are superseded, about deleted files, or on abandoned branches", async () => {
    session("a", 3, [
      decided("We decided to retry five times instead of once here.", { files: ["src/a.ts"] }),
      decided("We decided to drop the exporter.", { files: ["src/gone.ts"] }),
      decided("We decided to go a way that was left.", { abandoned: true }),
    ]);
    session("b", 1, [
      decided("We decided to retry three times instead of once here.", { files: ["src/a.ts"] }),
    ]);
    const { rmSync } = await import("node:fs");
    rmSync(join(dir, "src/gone.ts"));
    branch = "retries";
    const refs = async () => {
      const { items } = await ask({ event: "session-start", preview: true });
      return items.map(({ ref }) => ref).filter((ref) => ref.startsWith("chunk:"));
    };
    expect(await refs()).toEqual(["chunk:b:raw:0"]);
    // On a default branch the next task is another one.
    branch = "main";
    expect(await refs()).toEqual([]);
  });

  it("says what a colleague shared, and does not take their note for the user's", async () => {
    session("theirs", 1, [decided("We decided to retry three times instead of once.")], {
      author: "ann@acme.test",
    });
    note("n1", "releases are cut on Fridays", 3, null, "bob@acme.test");
    const { text } = await ask({ event: "session-start" });
    expect(text).toMatch(
      /- Stopped on this branch .* \[theirs:1\], shared by ann@acme\.test: asked “asked of theirs 1”\./,
    );
    expect(text).toContain(
      "- Note by bob@acme.test, a colleague: “releases are cut on Fridays” (from a shell, 2026-",
    );
    expect(text).toContain("- Decision by ann@acme.test, a colleague: “");
    expect(text).not.toContain("User's note");
  });

  it("is silent about a branch whose sessions do not go on with each other, whatever its name", async () => {
    branch = "next";
    const on = (uid: string, daysAgo: number, file: string) =>
      session(uid, daysAgo, [{ text: `[ASSISTANT] ${uid}`, files: [file] }], { branch: "next" });
    on("fonts", 3, "src/fonts.ts");
    on("colours", 2, "src/colours.ts");
    expect((await ask({ event: "session-start", session_id: "s1" })).text).toContain(
      "Stopped on this branch",
    );
    on("shells", 1, "src/shells.ts");
    expect((await ask({ event: "session-start", session_id: "s2" })).text).toBeNull();
    on("shells again", 0.5, "src/shells.ts");
    on("shells still", 0.4, "src/shells.ts");
    expect((await ask({ event: "session-start", session_id: "s3" })).text).toContain(
      "Stopped on this branch",
    );
  });

  it("takes no review by a program for where work stopped, and is silent where most sessions are such", async () => {
    branch = "events";
    session("work", 5, [{ text: "[ASSISTANT] work", files: ["src/events.ts"] }], { branch: "events" });
    session("more work", 4, [{ text: "[ASSISTANT] more", files: ["src/events.ts"] }], { branch: "events" });
    const relativize = createRelativizer({ root: dir, worktrees: [], cwd: dir });
    const review = (uid: string, daysAgo: number) => {
      const at = now - daysAgo * day;
      const { id } = addSession(memory, uid, { cwd: dir, startedAt: at, lastAt: at, branch: "events" });
      const asked = { ...prompt("Review this change"), by: "tool" } as Happening;
      for (const one of conversation({}, asked, said("No findings.")))
        saveTurn(memory, id, turn(one.number, { ...turnToStore(one, relativize), startedAt: at }));
    };
    review("review 1", 3);
    expect((await ask({ event: "session-start", session_id: "s1" })).text).toContain("[more wor:1]");
    review("review 2", 2);
    expect((await ask({ event: "session-start", session_id: "s2" })).text).toBeNull();
  });

  it("leaves out what was decided about other work on the branch than what went on last", async () => {
    session("docker", 3, [decided("We decided to run it in CI instead of docker.", { files: ["ci.yml"] })]);
    session("retry", 2, [decided("We decided to retry three times instead of once.", { files: ["a.ts"] })]);
    session("last", 1, [{ text: "[ASSISTANT] Renamed it.", files: ["a.ts"] }]);
    const { text } = await ask({ event: "session-start" });
    expect(text).toContain("retry three times");
    expect(text).not.toContain("docker");
  });

  it("leaves out a note that a later one replaces", async () => {
    note("n1", "releases are cut on Fridays", 3);
    note("n2", "Instead of “Releases are cut on Fridays.”: on Mondays", 2);
    note("n3", "Instead of “the ledger is slow”: it is quick", 2);
    note("n4", "the ledger is slow", 1);
    const { items } = await ask({ event: "session-start" });
    expect(items.map(({ ref }) => ref)).toEqual(["note:n4", "note:n3", "note:n2"]);
  });

  it("injects nothing twice into a session, even after a resume, but again into another session", async () => {
    session("last", 1, [decided("We decided to retry three times instead of once.")]);
    const first = await ask({ event: "session-start" });
    expect(first.items).toHaveLength(2);
    expect(await ask({ event: "session-start", source: "resume" })).toMatchObject({
      text: null,
      reason: "the session already has it",
    });
    expect((await ask({ event: "session-start", session_id: "another" })).items).toHaveLength(2);
  });

  it("injects only what happened elsewhere since into a resumed session", async () => {
    session("before", 5, [decided("We decided to keep the queue instead of the list.")]);
    session("current", 3, [decided("We decided to retry three times instead of once.")]);
    session("current/agent", 3, [decided("We decided that the subagent counts instead of us.")]);
    session("since", 1, [decided("We decided to log failures instead of raising them.")]);
    const { items } = await ask({ event: "session-start", source: "resume" });
    expect(items.map(({ ref }) => ref)).toEqual(["session:since:branch", "chunk:since:raw:0"]);
  });

  it("after a compaction, injects only what the session itself noted, decided and edited", async () => {
    session("other", 1, [decided("We decided to log failures instead of raising them.")]);
    session("current", 0.1, [
      decided("We decided to retry three times instead of once.", { files: ["src/a.ts"] }),
    ]);
    note("n1", "mine", 0.1, "current");
    note("n2", "another's", 0.1, "other");
    compactedTo = "We work on b.ts.";
    const { items } = await ask({ event: "session-start", source: "compact", preview: true });
    expect(items.map(({ ref }) => ref)).toEqual(["note:n1", "chunk:current:raw:0", "session:current:files"]);
    expect(items[2]!.quote).toBe("src/a.ts");
    const refs = async () =>
      (await ask({ event: "session-start", source: "compact", preview: true })).items.map(({ ref }) => ref);
    compactedTo = "We work on a.ts.";
    expect(await refs()).not.toContain("session:current:files");
    compactedTo = null;
    expect(await refs()).toContain("session:current:files");
  });

  it("after each compaction anew, as the one before is gone", async () => {
    session("current", 0.1, [
      decided("We decided to retry three times instead of once.", { files: ["src/a.ts"] }),
    ]);
    const refs = async () =>
      (await ask({ event: "session-start", source: "compact" })).items.map(({ ref }) => ref);
    const all = ["chunk:current:raw:0", "session:current:files"];
    expect(await refs()).toEqual(all);
    expect(await refs()).toEqual(all);
  });

  it("after a compaction, injects the commands that are run again and again", async () => {
    const runs = (uid: string, ...lines: string[]) => {
      const { id } = addSession(memory, uid, { cwd: dir });
      for (const one of conversation({}, prompt("go"), ...lines.map((line) => ran(line))))
        saveTurn(
          memory,
          id,
          turn(
            one.number,
            turnToStore(one, (path) => path),
          ),
        );
    };
    for (const uid of ["one", "two", "three"]) runs(uid, "npm run check");
    const often = ["make all", "make all", "make all"];
    runs("current", "npm run check", "./once", ...often, "git status", "git status", "git status");
    compactedTo = "We work.";
    const { items } = await ask({ event: "session-start", source: "compact" });
    expect(items).toMatchObject([{ ref: "session:current:commands", quote: "make all; npm run check" }]);
  });
});

const about = (thing: string, more: Partial<ChunkToStore> = {}) => {
  const text = `[ASSISTANT] The ${thing} timed out in fetchLedger because of the proxyWindow limit.`;
  const terms = { prompt: "", answer: text, actions: "", errors: "" };
  return { text, terms, ...more };
};

describe("with a prompt, where few sessions are known", () => {
  it.each([1, 2, 3])("of %i speaks of one that plainly matches", async (sessions) => {
    session("good", 40, [about("importer")]);
    for (let i = 1; i < sessions; i++)
      session(`other${i}`, 2, [{ text: `[USER] Sort the settings of part ${i}.` }]);
    const ofPrompt = async (prompt: string) =>
      (await ask({ event: "user-prompt", prompt, preview: true })).items.map(({ ref }) => ref);
    expect(await ofPrompt("did the importer time out in fetchLedger?")).toEqual(["session:good"]);
    expect(await ofPrompt("write the release notes of the importer")).toEqual([]);
  });
});

describe("with a prompt", () => {
  beforeEach(() => {
    for (let i = 0; i < 12; i++)
      session(`noise${i}`, 2, [
        about(`usual thing number ${i}`, {
          text: "usual",
          terms: { prompt: "", answer: `fix the tests of the merge ${i}`, actions: "", errors: "" },
        }),
      ]);
  });

  it("injects sessions that were found, and what came of them", async () => {
    const id = session("good", 40, [about("importer", { kind: "error-fix", files: ["src/ledger.ts"] })]);
    saveSummary(memory, {
      sessionId: id,
      source: "extractive",
      model: null,
      upToTurn: 1,
      at: now,
      text: "Asked:\n- x\n\nOutcome:\nThe proxy waits longer now.\n\nNext:\n- Try it with the slow ledger",
    });
    const prompt = "fetchLedger timed out in the importer because of the proxyWindow limit";
    const { items, text } = await ask({ event: "user-prompt", prompt });
    expect(items.map(({ ref, kind }) => [ref, kind])).toEqual([["session:good", "Earlier session"]]);
    expect(items[0]!.score).toBeGreaterThanOrEqual(0.5);
    expect(items[0]!.why).toMatch(/^also about .*(fetchLedger|proxyWindow)/);
    expect(text).toContain(
      "“asked of good 1. The agent said at the end: The proxy waits longer now. Changed: src/ledger.ts.” (session good turn 1,",
    );
    expect(text).not.toContain("[ASSISTANT]");
    expect(await ask({ event: "user-prompt", prompt })).toMatchObject({ text: null });
  });

  it("injects no decision that was replaced", async () => {
    const text = "We decided to raise the proxyWindow limit of fetchLedger instead of retrying.";
    session("good", 2, [
      decided(text, { terms: { prompt: "", answer: text, actions: "", errors: "" }, files: ["src/a.ts"] }),
    ]);
    const prompt = "should we raise the proxyWindow limit of fetchLedger?";
    const { items } = await ask({ event: "user-prompt", prompt, preview: true });
    expect(items.map(({ ref }) => ref)).toEqual(["session:good"]);
    note("n1", `Instead of “${text}”: we retry`, 1);
    expect(await ask({ event: "user-prompt", prompt })).toMatchObject({ text: null, items: [] });
  });

  it("injects the location of the code that it names, once", async () => {
    const quote = "function withRetries()";
    const code = {
      ref: "code:a.ts#withRetries",
      kind: "Code",
      quote,
      place: "a.ts:1-9",
      why: "named",
      score: null,
    };
    named = [code];
    const prompt = "withRetries gives up too early";
    const { items, text } = await ask({ event: "user-prompt", prompt });
    expect(items).toEqual([code]);
    expect(text).toContain("- Code: “function withRetries()” (a.ts:1-9)");
    expect(await ask({ event: "user-prompt", prompt })).toMatchObject({ text: null });
  });

  it.each([
    "fix the tests",
    "please fix the merge",
    "",
    "!!!",
    "ok",
    "7 12 1999",
    "https://example.org/fetchLedger",
  ])("is silent for %j", async (prompt) => {
    session("good", 1, [about("importer")]);
    expect(await ask({ event: "user-prompt", prompt })).toMatchObject({ text: null, items: [] });
  });

  it("injects nothing from the session itself, its subagents, or the session it was forked from", async () => {
    const origin = session("origin", 1, [about("importer")]);
    session("current", 0.1, [about("importer")]);
    const agent = session("current/agent", 0.1, [about("importer")]);
    memory.runInTransaction(() =>
      memory
        .prepare(
          "UPDATE sessions SET parent_id = (SELECT id FROM sessions WHERE uid = 'current') WHERE id = ?",
        )
        .run(agent),
    );
    memory.runInTransaction(() =>
      memory.prepare("UPDATE sessions SET forked_from = ? WHERE uid = 'current'").run(origin),
    );
    const prompt = "fetchLedger runs into the proxyWindow limit of the importer";
    expect(await ask({ event: "user-prompt", prompt })).toMatchObject({ text: null });
    expect((await ask({ event: "user-prompt", prompt, session_id: "new" })).items.length).toBeGreaterThan(0);
  });

  it("injects nothing from its origin, even if only the transcript shows the fork", async () => {
    session("first", 2, [about("importer")]);
    const origin = session("origin", 1, [about("importer")]);
    memory.runInTransaction(() =>
      memory
        .prepare(
          "UPDATE sessions SET forked_from = (SELECT id FROM sessions WHERE uid = 'first') WHERE id = ?",
        )
        .run(origin),
    );
    expect((await ask({ event: "session-start" })).text).toContain("asked of origin");
    const { text } = await ask({ event: "session-start", session_id: "fork" }, "origin");
    expect(text).not.toMatch(/asked of (?:origin|first)/);
  });

  it("only previews, if requested, and leaves out what is late", async () => {
    session("good", 1, [about("importer")]);
    const prompt = "fetchLedger runs into the proxyWindow limit of the importer";
    expect((await ask({ event: "user-prompt", prompt, preview: true })).text).not.toBeNull();
    expect(await ask({ event: "user-prompt", prompt, within_ms: -1 })).toMatchObject({
      text: null,
      reason: "it timed out",
    });
    expect(listInjections(memory, { limit: 9 })).toEqual([]);
    expect((await ask({ event: "user-prompt", prompt })).text).not.toBeNull();
  });
});

describe("after an edit", () => {
  const edited = (file: string, more: Partial<ContextRequest> = {}) =>
    ask({ event: "post-tool-use", file, cwd: dir, ...more });
  beforeEach(() => {
    session("old", 200, [
      decided("We decided to retry three times instead of once.", { files: ["src/a.ts"] }),
    ]);
  });

  it("injects decisions about the file, once for each file", async () => {
    expect((await edited(join(dir, "src/b.ts"))).text).toBeNull();
    expect((await edited("src/a.ts")).items.map(({ ref }) => ref)).toEqual(["chunk:old:raw:0"]);
    session("new", 1, [
      decided("We decided to log failures instead of raising them.", { files: ["src/a.ts"] }),
    ]);
    expect(await edited(join(dir, "src/a.ts"))).toMatchObject({
      text: null,
      reason: "the session already got context for this file",
    });
  });

  it("knows a file of another worktree for the same", async () => {
    const { items } = await edited(join(dir, "../beside/src/a.ts"));
    expect(items.map(({ ref }) => ref)).toEqual(["chunk:old:raw:0"]);
    expect((await edited(join(dir, "../elsewhere/src/a.ts"))).text).toBeNull();
  });

  it("injects what is about any of several files edited at once, each item once", async () => {
    session("both", 100, [
      decided("We decided to log failures instead of raising them.", { files: ["src/a.ts", "src/b.ts"] }),
    ]);
    const files = ["src/a.ts", join(dir, "src/b.ts"), "src/c.ts"];
    const refsOf = ({ items }: { items: { ref: string }[] }) => items.map(({ ref }) => ref).sort();
    const askAbout = (more: Partial<ContextRequest>) => ask({ event: "post-tool-use", cwd: dir, ...more });
    expect(refsOf(await askAbout({ files }))).toEqual(["chunk:both:raw:0", "chunk:old:raw:0"]);
    session("new", 1, [
      decided("We decided to poll instead of waiting.", { files: ["src/c.ts", "src/d.ts"] }),
    ]);
    expect((await askAbout({ files })).text).toBeNull();
    expect(refsOf(await askAbout({ files: ["src/c.ts", "src/d.ts"] }))).toEqual(["chunk:new:raw:0"]);
  });

  const relativize = () => createRelativizer({ root: dir, worktrees: [], cwd: dir });
  const played = (uid: string, daysAgo: number, ...happenings: Happening[]) => {
    const at = now - daysAgo * day;
    const { id } = addSession(memory, uid, { cwd: dir, startedAt: at, lastAt: at });
    for (const one of conversation({}, ...happenings))
      saveTurn(memory, id, turn(one.number, { ...turnToStore(one, relativize()), startedAt: at }));
  };

  it("injects what sessions ran after such edits, unless this one did", async () => {
    const runs = (uid: string, file: string, ...lines: string[]) =>
      played(
        uid,
        2,
        prompt("go"),
        editedNow(join(dir, file), "old", "new"),
        ...lines.map((line) => ran(line)),
      );
    for (const uid of ["one", "two", "three"]) runs(uid, `src/${uid}.ts`, "npm run check", "git status");
    expect((await edited("src/c.ts")).text).toBeNull();
    runs("four", "src/four.ts", "npm run check", "npm run lint");
    const { items } = await edited("src/c.ts", { preview: true });
    expect(items.map(({ quote }) => quote)).toEqual([
      "npm run check; it worked in 4 of the last 5 sessions that edited .ts files",
    ]);
    expect((await edited("docs/c.md", { preview: true })).text).toBeNull();
    runs("current", "src/c.ts", "npm run check");
    expect((await edited("src/c.ts", { preview: true })).text).toBeNull();
  });

  it("names a check of the edited file's language alone, counts a session once, and names nothing else that was run", async () => {
    for (const uid of ["one", "two", "three", "four", "five"]) {
      const edits = ["ts", "py"].map((type) => editedNow(join(dir, `src/${uid}.${type}`), "old", "new"));
      const lines = ["cargo check", "/opt/rust/bin/cargo check", "curl -s localhost", "ruff check"];
      played(uid, 2, prompt("go"), ...edits, ...lines.map((line) => ran(line)));
    }
    const quotes = async (file: string) =>
      (await edited(file, { preview: true })).items.map(({ quote }) => quote);
    expect(await quotes("src/c.ts")).toEqual([]);
    expect(await quotes("src/c.py")).toEqual([
      "ruff check; it worked in 5 of the last 5 sessions that edited .py files",
    ]);
  });

  it("names no check that the project's instructions have, and none for a text", async () => {
    for (const uid of ["one", "two", "three", "four", "five"]) {
      const file = `src/${uid}.ts`;
      played(uid, 2, prompt("go"), editedNow(join(dir, file), "old", "new"), ran("npm run check"));
    }
    expect((await edited("src/c.ts", { preview: true })).items).toHaveLength(1);
    writeFileSync(join(dir, "CLAUDE.md"), "Run `npm run check` before you commit.");
    expect((await edited("src/c.ts", { preview: true })).text).toBeNull();
    removeFile(join(dir, "CLAUDE.md"));
  });

  it("says that another session changed the file within the hour, if that was since this one began", async () => {
    const minutes = 60_000;
    const change = (uid: string, ago: number) => {
      const at = now - ago * minutes;
      const { id } = addSession(memory, uid, { cwd: dir, startedAt: at, lastAt: at });
      const happened = [prompt("use a backoff"), editedNow(join(dir, "src/c.ts"), "old", "new")];
      for (const one of conversation({ at }, ...happened))
        saveTurn(memory, id, turn(one.number, { ...turnToStore(one, relativize()), startedAt: at }));
    };
    change("earlier", 40);
    expect((await edited("src/c.ts", { preview: true })).text).toBeNull();
    addSession(memory, "current", { cwd: dir, startedAt: now - 30 * minutes });
    expect((await edited("src/c.ts", { preview: true })).text).toBeNull();
    change("other", 20);
    const { items } = await edited("src/c.ts", { preview: true });
    expect(items).toMatchObject([
      {
        kind: expect.stringMatching(/^Another session changed this file \d+ minutes ago$/),
        quote: "c.ts +1 -1, asked: use a backoff",
      },
    ]);
    expect((await edited("src/d.ts", { preview: true })).text).toBeNull();
  });

  it("says once that another session changed several files at one prompt", async () => {
    const at = now - 10 * 60_000;
    addSession(memory, "current", { cwd: dir, startedAt: at - 1 });
    const { id } = addSession(memory, "both", { cwd: dir, startedAt: at, lastAt: at });
    const edits = ["src/c.ts", "src/d.ts"].map((file) => editedNow(join(dir, file), "old", "new"));
    for (const one of conversation({ at }, prompt("use a backoff"), ...edits))
      saveTurn(memory, id, turn(one.number, { ...turnToStore(one, relativize()), startedAt: at }));
    expect((await edited("src/c.ts")).items).toMatchObject([
      { quote: "c.ts +1 -1 and 1 other file, asked: use a backoff" },
    ]);
    expect((await edited("src/d.ts")).text).toBeNull();
  });

  it("keeps the answer of a decision that is shortened", () => {
    const question = `Where shall the queue of the daemon live${", which is read by all of its parts".repeat(6)}?`;
    const short = shortenDecision(`${question} → SQLite (one file), not Files`);
    expect(short.length).toBeLessThanOrEqual(200);
    expect(short).toMatch(/^Where shall the queue.*… → SQLite \(one file\), not Files$/);
    expect(shortenDecision("Q? → A")).toBe("Q? → A");
  });

  it("leaves out a decision of a turn with many files that does not name the file", async () => {
    const files = ["src/c.ts", "src/d.ts", "src/retries.ts"];
    session("many", 3, [
      decided("We decided to log failures of retries instead of raising them.", { files }),
    ]);
    expect((await edited("src/c.ts", { preview: true })).text).toBeNull();
    expect((await edited("src/retries.ts", { preview: true })).items).toHaveLength(1);
  });

  it("tells what was decided when another session wrote the lines that are taken out, if it is about them", async () => {
    const files = ["src/c.ts", "src/d.ts", "src/e.ts"];
    const id = session("many", 3, [
      decided("We decided to log failures of retries instead of raising them.", { files }),
    ]);
    const line = "logger.log(failures, retries);";
    const write = (of: number, at: number, added: string) => {
      for (const one of conversation({ at }, prompt("log them"), editedNow(join(dir, "src/c.ts"), "", added)))
        saveTurn(memory, of, turn(one.number, turnToStore(one, relativize())));
    };
    write(id, now - 3 * day, `${line}\nconst unrelated = 1;`);
    const change = (removed: string, added = "throw failures;") =>
      edited("src/c.ts", { removed, added, preview: true });
    expect((await change(line)).items).toMatchObject([
      {
        kind: "User's decision",
        quote: "We decided to log failures of retries instead of raising them.",
        why: "it was decided when these lines were written",
      },
    ]);
    expect((await change("const unrelated = 1;", "const other = 2;")).text).toBeNull();
    expect((await change("const nobody = wrote(this);")).text).toBeNull();
    expect((await change(line, `${line}\nthrow failures;`)).text).toBeNull();
    write(addSession(memory, "current", { cwd: dir }).id, now - day, line);
    expect((await change(line)).text).toBeNull();
  });

  describe("that brings back what was taken out", () => {
    const before = "const attempts = 1;\nconst pause = seconds(30);";
    const after = "const attempts = retryLimit;\nconst pause = backoff();";
    const back = { removed: after, added: before };
    beforeEach(() => {
      config["context.kinds"] = ["revert"];
    });

    it("names the session that took it out, once", async () => {
      played("took", 2, prompt("use a backoff"), editedNow(join(dir, "src/c.ts"), before, after));
      const { items } = await edited("src/c.ts", back);
      expect(items).toMatchObject([
        {
          ref: "revert:took:1",
          quote: 'const attempts = 1; and 1 more; removed by an agent that was asked "use a backoff"',
        },
      ]);
      expect((await edited("src/c.ts", back)).text).toBeNull();
    });

    it("names the commit, unless the file still has the lines in the last one", async () => {
      const [removed, added] = [before.split("\n"), after.split("\n")];
      const change = { hash: "3f9a20c4d1", subject: "Back off", committedAt: now - day, removed, added };
      let committed = after;
      history = { changes: async () => [change], committed: async () => committed };
      const { items } = await edited("src/c.ts", { ...back, preview: true });
      expect(items.map(({ quote }) => quote)).toEqual([
        'const attempts = 1; and 1 more; removed by commit 3f9a20c4 "Back off"',
      ]);
      committed = before;
      expect((await edited("src/c.ts", back)).text).toBeNull();
    });

    it.each([
      ["one line comes back", { removed: after, added: "const attempts = 1;" }],
      ["most of it is new", { removed: after, added: `${before}\nconst one = 111;\nconst two = 222;` }],
      ["what was put in its place stays", { removed: "", added: before }],
      ["it is another file", { ...back, file: "src/d.ts" }],
    ])("is silent where %s", async (_, request) => {
      played("took", 2, prompt("use a backoff"), editedNow(join(dir, "src/c.ts"), before, after));
      expect((await edited("src/c.ts", request)).text).toBeNull();
    });

    it("is silent about what the session took out itself, and what came back since", async () => {
      played("current", 2, prompt("use a backoff"), editedNow(join(dir, "src/c.ts"), before, after));
      expect((await edited("src/c.ts", back)).text).toBeNull();
      played("took", 3, prompt("use a backoff"), editedNow(join(dir, "src/d.ts"), before, after));
      played("gave", 2, prompt("no backoff"), editedNow(join(dir, "src/d.ts"), after, before));
      expect((await edited("src/d.ts", back)).text).toBeNull();
    });
  });

  it("is silent otherwise", async () => {
    config["context.kinds"] = ["start"];
    expect(await edited("src/a.ts")).toMatchObject({
      text: null,
      reason: "context of the kind revert or edit or check is off (context.kinds)",
    });
    config["context.mode"] = "off";
    expect(await edited("src/a.ts")).toMatchObject({ text: null, reason: "context.mode is off" });
    expect(await ask({ event: "session-start" })).toMatchObject({
      text: null,
      reason: "context.mode is off",
    });
  });
});

it("keeps to the budget, and is deleted with its session", async () => {
  for (let i = 0; i < 40; i++) note(`n${i}`, `note ${i} ${"x ".repeat(150)}`, i);
  const { tokens, items } = await ask({ event: "session-start" });
  expect(tokens).toBeLessThanOrEqual(800);
  expect(items.length).toBeGreaterThan(0);
  const { id } = addSession(memory, "current");
  forget(memory, { ...emptyForgetRequest, sessions: [id] });
  expect(listInjections(memory, { limit: 9 })).toEqual([]);
});

describe("after a command failed", () => {
  const error = "Exit code 1\nError: listen EADDRINUSE: address already in use";

  beforeEach(() => {
    const { id } = addSession(memory, "before", { cwd: dir });
    const relativize = createRelativizer({ root: dir, worktrees: [], cwd: dir });
    const asked = conversation(
      { at: now - day },
      prompt("go"),
      ran("npm start", error, { isError: true }),
      ran("npm start -- --port 0", "ok"),
    );
    for (const one of asked) saveTurn(memory, id, turn(one.number, turnToStore(one, relativize)));
  });

  it("says what was done about the same error in another session, once, where it is switched on", async () => {
    expect(await ask({ event: "tool-failure", error })).toMatchObject({
      text: null,
      reason: "context of the kind failure is off (context.kinds)",
    });
    config["context.kinds"] = ["failure"];
    const { text, items } = await ask({ event: "tool-failure", error });
    expect(text).toContain("npm start -- --port 0");
    expect(items).toMatchObject([{ ref: "fix:before:1:1", kind: "Fixed before" }]);
    expect((await ask({ event: "tool-failure", error })).text).toBeNull();
    expect((await ask({ event: "user-prompt", prompt: "go on" })).reason).toBe(
      "context of the kind past or prompt is off (context.kinds)",
    );
  });

  it("takes what is missing for the same only where it has the same name", async () => {
    const { id } = addSession(memory, "looked", { cwd: dir });
    const asked = conversation(
      { at: now - day },
      prompt("go"),
      ran("npm run graph", "Exit code 1\nError: Cannot find module './graph/edges.js'", { isError: true }),
      ran("npm run graph -- --fresh", "ok"),
    );
    const relativize = createRelativizer({ root: dir, worktrees: [], cwd: dir });
    for (const one of asked) saveTurn(memory, id, turn(one.number, turnToStore(one, relativize)));
    config["context.kinds"] = ["failure"];
    const missing = (name: string) =>
      ask({ event: "tool-failure", error: `Exit code 1\nError: Cannot find module './${name}'` });
    expect((await missing("page/view.js")).text).toBeNull();
    expect((await missing("graph/edges.js")).text).toContain("npm run graph -- --fresh");
  });

  describe("of a linter", () => {
    const broken = (file: string, line: number) =>
      `Exit code 1\n${file}:${line}:3: error returned from external package is unwrapped (wrapcheck)`;

    beforeEach(() => {
      const relativize = createRelativizer({ root: dir, worktrees: [], cwd: dir });
      for (const [uid, file] of [
        ["first", "store.go"],
        ["second", "http.go"],
      ] as const) {
        const { id } = addSession(memory, uid, { cwd: dir });
        const turns = conversation(
          { at: now - day },
          prompt("lint"),
          ran("golangci-lint run", broken(file, 7), { isError: true }),
          editedNow(join(dir, file), "\treturn err\n", '\treturn fmt.Errorf("open: %w", err)\n'),
          ran("golangci-lint run", "0 issues."),
        );
        for (const one of turns) saveTurn(memory, id, turn(one.number, turnToStore(one, relativize)));
      }
      config["context.kinds"] = ["failure"];
    });

    it("says how a rule was kept that several sessions broke in other places", async () => {
      const { text, items } = await ask({ event: "tool-failure", error: broken("cmd/main.go", 91) });
      expect(text).toContain("Seen 2 times in 2 sessions");
      expect(text).toMatch(/wrapcheck → \w+\.go: - return err \+ return fmt\.Errorf\("open: %w", err\)/);
      expect(items).toHaveLength(1);
    });

    it("says nothing of a rule that one other session broke, or of a class of error", async () => {
      const asked = { event: "tool-failure", session_id: "first" } as const;
      expect((await ask({ ...asked, error: broken("cmd/main.go", 91) })).text).toBeNull();
      const typeError = "src/c.ts(1,1): error TS2322: Type 'a' is not assignable to type 'b'.";
      expect((await ask({ event: "tool-failure", error: typeError })).text).toBeNull();
    });
  });

  it("is silent on another error, and in the session that met it", async () => {
    config["context.kinds"] = ["failure"];
    expect(
      (await ask({ event: "tool-failure", error: "Error: listen EACCES: permission denied" })).text,
    ).toBeNull();
    expect((await ask({ event: "tool-failure", error, session_id: "before" })).text).toBeNull();
  });
});

describe("a prompt that refers to earlier work", () => {
  beforeEach(() => {
    config["context.kinds"] = ["past"];
    session("earlier", 3, [decided("We decided to retry the importer three times instead of once.")]);
  });

  it("is answered with what was decided, once", async () => {
    const prompt = "what did we decide about the importer's retry?";
    const { text, items } = await ask({ event: "user-prompt", prompt });
    expect(text).toMatch(
      /\n- DECIDED 2026-03-07 by the user: “We decided to retry the importer .*\[earlier:1\]\n/,
    );
    expect(items).toMatchObject([{ ref: "chunk:earlier:raw:0" }]);
    expect((await ask({ event: "user-prompt", prompt })).text).toBeNull();
  });

  it.each([
    "add a retry to the importer",
    "did we already fix the exporter's colours?",
    "again",
    "as discussed, the importer",
  ])("%j is not, or is about something else", async (prompt) => {
    expect((await ask({ event: "user-prompt", prompt })).text).toBeNull();
  });
});

describe("before a compaction", () => {
  it("says what the person told the agent to do or not to do, word for word", async () => {
    const { id } = addSession(memory, "current", { branch: "retries", lastAt: now });
    saveTurn(
      memory,
      id,
      turn(1, { startedAt: now - 3000, prompt: "Add a retry. Never commit without asking me." }),
    );
    saveTurn(
      memory,
      id,
      turn(2, { startedAt: now - 2000, prompt: "why does it fail?\nValueError: must not be 0" }),
    );
    const { text } = await ask({ event: "pre-compact" });
    expect(text).toBe(
      "<pommel-context>\n- The user said (turn 1): “Never commit without asking me.”\n</pommel-context>",
    );
    const after = await ask({ event: "session-start", source: "compact" });
    expect(after.text).toContain("- The user said (turn 1): “Never commit without asking me.”");
    compactedTo = "1. Never commit without asking me.";
    expect((await ask({ event: "session-start", source: "compact" })).text ?? "").not.toContain(
      "Never commit",
    );
  });
});
