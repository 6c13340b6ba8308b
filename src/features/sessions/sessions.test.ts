import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { readJobsStatus } from "../../answers/jobs-status.ts";
import { openMemorySearch } from "../../answers/session-search.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { TranscriptSearchRequest } from "../../protocol/search-sessions.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { claimJob, enqueue, fail, finish } from "../../store/memory/jobs/jobs.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveSummary } from "../../store/memory/sessions/summaries.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { saveUsage } from "../../store/memory/sessions/usage.ts";
import { answerNotes } from "../notes/list-notes.ts";
import { describeMemory } from "../status/describe-memory.ts";
import { listStoredSessions, showSession } from "./describe-session.ts";

const day = 86_400_000;
const start = Date.parse("2026-03-01T10:00:00Z");
const config = makeDefaultConfig();

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

/** A session with a turn, `days` after the start. */
function session(uid: string, days: number, more: Parameters<typeof addSession>[2] = {}) {
  const at = start + days * day;
  const times = { startedAt: at, lastAt: at + 1000 };
  const record = addSession(store.memory, uid, { branch: "main", ...times, ...more });
  saveTurn(store.memory, record.id, turn(1, { startedAt: at }));
  return record;
}

const ids = async (...[request]: [Parameters<typeof listStoredSessions>[1]]) =>
  (await listStoredSessions(store.memory, request)).sessions.map(({ id }) => id);

describe("listSessionsOf", () => {
  it("lists sessions with anything in them, the latest first", async () => {
    session("a", 0);
    session("b", 2);
    addSession(store.memory, "empty", { lastAt: start + 9 * day });
    expect(await ids({})).toEqual(["b", "a"]);
  });

  it("limits them by time, branch and agent, and counts them", async () => {
    session("a", 0);
    session("b", 2, { branch: "topic" });
    session("c", 4, { agent: "other" });
    expect(await ids({ since: "2026-03-02" })).toEqual(["c", "b"]);
    expect(await ids({ until: "2026-03-02" })).toEqual(["a"]);
    expect(await ids({ branch: "topic" })).toEqual(["b"]);
    expect(await ids({ agent: "other" })).toEqual(["c"]);
    expect(await ids({ agent: "gemini" })).toEqual([]);
    await expect(ids({ agent: "nonsense" })).rejects.toMatchObject({
      code: "usage",
      message: "Unknown agent: nonsense.",
      hint: expect.stringMatching(/^Choose from: claude, .*, other\.$/),
    });
    expect(await listStoredSessions(store.memory, { limit: 1 })).toMatchObject({
      sessions: [{ id: "c" }],
      total: 3,
    });
    await expect(listStoredSessions(store.memory, { since: "whenever" })).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("lists subagents' sessions only when asked, and counts them", async () => {
    const parent = session("a", 0);
    session("a/agent-1", 1, { parentId: parent.id, agentType: "Explore" });
    expect(await listStoredSessions(store.memory, {})).toMatchObject({ sessions: [{ id: "a", agents: 1 }] });
    const { sessions } = await listStoredSessions(store.memory, { agents: true });
    expect(sessions[0]).toMatchObject({ id: "a/agent-1", parent_id: "a", agent_type: "Explore" });
  });

  it("does not count what was written where the client recorded only how messages began", async () => {
    const record = session("a", 0);
    const sessionWith = async (brief: number) => {
      const messages = Array.from({ length: 12 }, (_, i) => ({
        messageUid: `m${i}`,
        model: "large",
        turn: 1,
        input: 1,
        cacheRead: 0,
        cacheWrite: 0,
        cacheWriteHour: 0,
        output: i < brief ? 3 : 300,
      }));
      store.memory.prepare("DELETE FROM usage").run();
      saveUsage(store.memory, record.id, messages);
      return (await listStoredSessions(store.memory, {})).sessions[0]!.tokens;
    };
    expect(await sessionWith(2)).toMatchObject({ input: 12, output: 3006 });
    expect(await sessionWith(7)).toMatchObject({ input: 12, output: null });
  });

  it("shows the content of a session and its cost", async () => {
    const record = session("a", 0, { title: { text: "Retries", source: "agent" } });
    session("b", 1, { forkedFrom: record.id });
    replaceChunks(store.memory, record.id, { type: "raw", from: 0 }, [chunk(0, "x"), chunk(1, "y")]);
    saveNote(store.memory, note("n1", { sessionUid: "a" }));
    const cost = { turn: 1, input: 10, output: 20, cacheRead: 300, cacheWrite: 4, cacheWriteHour: 0 };
    saveUsage(store.memory, record.id, [
      { ...cost, messageUid: "m1", model: "large" },
      { ...cost, messageUid: "m2", model: "small" },
    ]);
    const { sessions } = await listStoredSessions(store.memory, {});
    expect(sessions[1]).toMatchObject({
      title: "Retries",
      turns: 1,
      chunks: 2,
      annotations: 1,
      models: ["large", "small"],
      tokens: { input: 20, output: 40, cache_read: 600, cache_write: 8 },
      started_at: "2026-03-01T10:00:00.000Z",
      ended_at: null,
    });
    expect(sessions[0]).toMatchObject({ id: "b", forked_from: "a" });
  });
});

function note(uid: string, more: Partial<Parameters<typeof saveNote>[1]> = {}) {
  const place = { sessionUid: null, turn: null, lineUid: null, branch: null, source: "shell" as const };
  return { uid, at: start, note: `note ${uid}`, ...place, ...more };
}

describe("showSession", () => {
  it("finds a session by the beginning of its id, with its best summary", () => {
    const record = session("abc-1", 0);
    saveTurn(
      store.memory,
      record.id,
      turn(2, { files: [{ path: "src/a.ts", how: "edit" }], tools: { Edit: 1 }, abandoned: true }),
    );
    const summary = { sessionId: record.id, at: start, model: null };
    saveSummary(store.memory, { ...summary, source: "extractive", upToTurn: 2, text: "an extract" });
    saveSummary(store.memory, { ...summary, source: "compaction", upToTurn: 1, text: "its own" });
    saveNote(store.memory, note("n1", { sessionUid: "abc-1", turn: 2 }));
    expect(showSession(store.memory, { id: "abc" })).toMatchObject({
      session: { id: "abc-1", turns: 2 },
      // The agent's own is of an earlier turn.
      summary: { source: "extractive", up_to_turn: 2, text: "an extract" },
      turns: [
        { number: 1, prompt: "prompt 1", abandoned: false },
        { number: 2, tools: { Edit: 1 }, files: [{ path: "src/a.ts", how: "edit" }], abandoned: true },
      ],
      files: [{ path: "src/a.ts", how: "edit" }],
      annotations: [{ id: "n1", turn: 2 }],
      content: null,
    });
  });

  it("says in brief what was asked and done, without headings and code", () => {
    const record = session("abc", 0);
    saveTurn(store.memory, record.id, turn(1, { prompt: "Plan: # Retry ## Context The #3 of four" }));
    const text =
      "Asked:\n- a plan\n\nOutcome:\nIt waits and then retries.\n\nNext:\n- Want me to commit this?";
    const summary = { sessionId: record.id, at: start, model: null, upToTurn: 1 };
    saveSummary(store.memory, { ...summary, source: "extractive", text });
    const stale = "8. Current Work:\n   Nothing retries.\n\n7. Pending Tasks:\n   - Make it retry";
    saveSummary(store.memory, { ...summary, source: "compaction", text: stale });
    expect(showSession(store.memory, { id: "abc" }).brief).toMatchObject({
      asked: "Plan: Retry Context The #3 of four",
      outcome: "It waits and then retries.",
      open: "Want me to commit this?",
    });
  });

  it("gives a turn in full", () => {
    const record = session("abc", 0);
    const content = packContent([{ seq: 0, entries: [{ kind: "prompt", text: "Hello", images: 0 }] }]);
    saveTurn(store.memory, record.id, turn(2, { content }));
    expect(showSession(store.memory, { id: "abc", turn: 2 }).content).toBe("[USER] Hello");
  });

  it("logs what was said and done, each call with its result", () => {
    const record = session("abc", 0);
    const call = (id: string, tool: string, input: Record<string, unknown>, files: string[] = []) => ({
      kind: "tool_use" as const,
      id,
      tool,
      input,
      files: files.map((path) => ({ path, how: "edit" as const })),
    });
    const result = (id: string, text: string, isError = false) => ({
      kind: "tool_result" as const,
      id,
      text,
      isError,
      edits: null,
      subagent: null,
    });
    const content = packContent([
      { seq: 0, entries: [{ kind: "prompt", text: "Fix it", images: 0 }] },
      {
        seq: 1,
        entries: [
          { kind: "thinking", text: "Hm." },
          call("1", "Edit", { file_path: "/repo/a.ts", old_string: "a\nb", new_string: "a\nc\nd" }, [
            "/repo/a.ts",
          ]),
          call("2", "Bash", { command: "npm test" }),
        ],
      },
      { seq: 2, entries: [result("2", `${"x".repeat(900)}`, true), result("1", "The file was changed.")] },
      { seq: 3, entries: [{ kind: "compaction", trigger: null, preTokens: null }] },
    ]);
    saveTurn(store.memory, record.id, turn(1, { content }));
    const brief = showSession(store.memory, { id: "abc", log: "brief" }, "/repo").log!;
    expect(brief.map(({ kind, text }) => [kind, text])).toEqual([
      ["prompt", "Fix it"],
      ["thinking", "Hm."],
      ["tool", "Edit a.ts"],
      ["tool", "Bash npm test"],
      ["compaction", "the context was compacted"],
    ]);
    expect(brief[2]!.call).toMatchObject({
      tool: "Edit",
      is_error: false,
      added: 2,
      removed: 1,
      changed: [],
    });
    expect(brief[3]!.call).toMatchObject({ tool: "Bash", is_error: true });
    expect(brief[3]!.call!.result!.length).toBeLessThan(400);
    const full = showSession(store.memory, { id: "abc", turn: 1, log: "full" }, "/repo").log!;
    expect(full[2]!.call!.changed).toEqual(["-b", "+c", "+d"]);
    expect(full[3]!.call!.result).toHaveLength(900);
    expect(showSession(store.memory, { id: "abc" }).log).toBeUndefined();
  });

  it("reports a missing session and an ambiguous id", () => {
    session("abc", 0);
    session("abd", 1);
    const failure = (id: string, turnNumber?: number) => {
      try {
        showSession(store.memory, { id, ...(turnNumber !== undefined && { turn: turnNumber }) });
      } catch (error) {
        return error;
      }
    };
    expect(failure("x")).toMatchObject({ code: "not_found" });
    expect(failure("ab")).toMatchObject({ code: "usage" });
    expect(failure("abc", 7)).toMatchObject({
      code: "not_found",
      hint: "Its turns are numbered 1 to 1.",
    });
  });
});

describe("listAnnotationsOf", () => {
  it("lists notes, the latest first, by words, time and session", async () => {
    session("abc", 0);
    saveNote(store.memory, note("n1", { note: "Redis for CACHING", sessionUid: "abc" }));
    saveNote(store.memory, note("n2", { note: "No caching of tokens", at: start + 2 * day }));
    saveNote(store.memory, note("n3", { note: "Released", at: start + 3 * day }));
    const found = async (request: Parameters<typeof answerNotes>[2]) =>
      (await answerNotes(store.memory, "/nowhere", request)).annotations.map(({ id }) => id);
    expect(await found({})).toEqual(["n3", "n2", "n1"]);
    expect(await found({ search: "caching" })).toEqual(["n2", "n1"]);
    expect(await found({ since: "2026-03-02", until: "2026-03-03" })).toEqual(["n2"]);
    expect(await found({ session: "ab" })).toEqual(["n1"]);
    expect(await answerNotes(store.memory, "/nowhere", { limit: 1 })).toEqual({
      annotations: [
        {
          id: "n3",
          note: "Released",
          session_id: null,
          turn: null,
          timestamp: "2026-03-04T10:00:00.000Z",
          branch: null,
          source: "shell",
          origin: "yours",
          author: null,
          lines: null,
        },
      ],
      total: 3,
    });
  });
});

describe("searching", () => {
  const search = async (...[request, settings = config]: [TranscriptSearchRequest, Config?]) => {
    const project = { ...makeNewProject(store.dir), memoryDb: store.memory.file };
    return (await openMemorySearch(project, store.memory, settings, "fts"))(request);
  };
  const addChunks = (uid: string, days: number, texts: readonly string[]) =>
    replaceChunks(
      store.memory,
      session(uid, days).id,
      { type: "raw", from: 0 },
      texts.map((text, i) =>
        chunk(i, text, { session: uid, startedAt: start + days * day, endedAt: start + days * day }),
      ),
    );

  it("uses the configuration's defaults, and the request's filters", async () => {
    for (let i = 0; i < 4; i++) addChunks(`s${i}`, i, [`The retry ${i} was flaky`]);
    const find = async (request: Partial<TranscriptSearchRequest>, limit = 10) =>
      (await search({ q: "retry", ...request }, { ...config, "search.limit": limit })).results
        .map(({ session_id }) => session_id)
        .sort();
    expect(await find({}, 3)).toHaveLength(3);
    expect(await find({ limit: 2 }, 3)).toHaveLength(2);
    expect(await find({ since: "2026-03-03" })).toEqual(["s2", "s3"]);
    expect(await find({ until: "2026-03-01" })).toEqual(["s0"]);
    expect(await find({ kind: ["decision"] })).toEqual([]);
    await expect(find({ since: "whenever" })).rejects.toMatchObject({ code: "usage" });
  });

  it("gives no verdict on what is not read yet", async () => {
    addChunks("abc", 0, ["Lunch"]);
    const ask = () => search({ q: "zebra crossing" });
    expect(await ask()).toMatchObject({ verdict: "probably_not_here", coverage: undefined });
    enqueue(store.memory, { kind: "transcript", subject: "/a.jsonl" });
    enqueue(store.memory, { kind: "transcript", subject: "/b.jsonl" });
    expect(await ask()).toMatchObject({
      verdict: "not_yet",
      coverage: { of: "transcripts", done: 0, total: 2 },
    });
  });

  it("answers with how new the memory is", async () => {
    addChunks("abc", 0, ["The retry was flaky", "Lunch", "Colours"]);
    expect(await search({ q: "retry" })).toMatchObject({
      scope: "transcripts",
      query: "retry",
      total_results: 1,
      results: [{ source: "transcript", session_id: "abc", content: "The retry was flaky" }],
      searched_by: ["words"],
      memory: { pending: null, as_of: "2026-03-01T10:00:01.000Z" },
    });
  });
});

describe("the status", () => {
  it("shows the queue and its failed jobs", () => {
    const { memory } = store;
    expect(readJobsStatus(memory)).toMatchObject({ pending: 0, is_idle: true, recent: [] });
    for (const subject of ["done", "dead", "running", "waiting"]) {
      enqueue(memory, { kind: "transcript", subject });
    }
    finish(memory, claimJob(memory, "me")!, { chunks: 4, tookMs: 9 });
    fail(memory, claimJob(memory, "me")!, { error: "no such file", retryable: false });
    claimJob(memory, "me");
    expect(readJobsStatus(memory)).toMatchObject({
      pending: 1,
      running: [{ kind: "transcript", subject: "running" }],
      dead: [{ subject: "dead", error: "no such file" }],
      is_idle: false,
      recent: [
        { subject: "dead", outcome: "dead" },
        { subject: "done", outcome: "done", chunks: 4 },
      ],
    });
  });

  it("counts what is stored, and notices later changes of the rules", () => {
    const record = session("abc", 0);
    replaceChunks(store.memory, record.id, { type: "raw", from: 0 }, [chunk(0, "x")]);
    const about = { config, file: store.memory.file, problem: null, scrubVersion: "2" };
    expect(describeMemory(store.memory, about)).toMatchObject({
      sessions: 1,
      turns: 1,
      chunks: 1,
      last_updated: "2026-03-01T10:00:01.000Z",
      problem: null,
      needs_scrubbing: true,
      llm: { model: "none", tokens_today: 0, dollars_today: null },
    });
    expect(describeMemory(store.memory, { config, file: about.file, problem: null })).toMatchObject({
      needs_scrubbing: false,
    });
    store.memory.setMeta(scrubbedBy, "1");
    expect(describeMemory(store.memory, about).needs_scrubbing).toBe(true);
    store.memory.setMeta(scrubbedBy, "2");
    expect(describeMemory(store.memory, about).needs_scrubbing).toBe(false);
  });

  it("shows why a memory cannot be read", () => {
    const about = { config, file: store.memory.file, problem: "It is damaged." };
    const status = describeMemory(null, about);
    expect(status).toMatchObject({ sessions: 0, problem: "It is damaged.", jobs: { is_idle: true } });
    expect(status.bytes).toBeGreaterThan(0);
    expect(describeMemory(null, { ...about, file: "/nowhere/memory.db" }).bytes).toBe(0);
  });
});
