import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addSession, temporaryMemory } from "../../test/support/memory-fixture.ts";
import { fakeScrubber } from "../../test/support/memory-work-fixture.ts";
import type { AgentHookItem } from "../protocol/spool-items.ts";
import { makeNoteUid } from "../sessions/notes/notes.ts";
import { findPendingWork } from "../sessions/waiting.ts";
import { listStoredNotes, saveNote } from "../store/memory/chunks/notes.ts";
import { forget } from "../store/memory/privacy/forget.ts";
import { findSessionByUid } from "../store/memory/sessions/sessions.ts";
import { makeAgentHookHandler } from "./hook-events.ts";
import type { MemoryWork } from "./jobs/memory-work.ts";

let stored: ReturnType<typeof temporaryMemory>;
let readOn: ReturnType<typeof vi.fn<MemoryWork["readOn"]>>;
let stop: AbortController;

beforeEach(() => {
  stored = temporaryMemory();
  readOn = vi.fn();
  stop = new AbortController();
});

afterEach(() => {
  stop.abort();
  stored.remove();
});

const scrubbing = () => ({ scrubber: fakeScrubber("none", null), ledgerKey: Buffer.alloc(32, 7) });

const path = "/nowhere/projects/-repo/s.jsonl";

function take(
  event: AgentHookItem["event"],
  payload: AgentHookItem["payload"],
  received_at = 1_000_000,
  { agent, roots = ["/repo"] }: { agent?: "gemini" | "claude"; roots?: string[] } = {},
) {
  const work = { captures: true, memory: stored.memory, readOn };
  const handle = makeAgentHookHandler({
    work,
    scrubbing,
    roots: () => roots,
    onTranscript: () => {},
    stop: stop.signal,
  });
  const whole = { session_id: "s", transcript_path: path, cwd: "/repo", ...payload };
  return handle({ kind: "agent-hook", agent, event, received_at, place: "/repo", payload: whole });
}

const notes = () => listStoredNotes(stored.memory).map(({ note, at }) => `${at} ${note}`);

test("a note is stored once for each time that it was written", async () => {
  const prompt = "Note to Pommel: keep it\nNote to Pommel: and that";
  await take("user-prompt", { prompt }, 1_000_000);
  expect(notes().sort()).toEqual(["1000000 and that", "1000000 keep it"]);
  // The same hook, delivered twice.
  await take("user-prompt", { prompt }, 1_000_500);
  expect(notes()).toHaveLength(2);
  await take("user-prompt", { prompt: "Note to Pommel: keep it" }, 2_000_000);
  expect(notes()).toHaveLength(3);
  await take("user-prompt", { prompt: "Note to Pommel: twice\nNote to Pommel: twice" }, 3_000_000);
  expect(notes()).toHaveLength(5);
  const uids = listStoredNotes(stored.memory).map(({ uid }) => uid);
  for (const ordinal of [0, 1]) expect(uids).toContain(makeNoteUid("s", "twice", ordinal));
});

test("a note imported from the transcript first is the same", async () => {
  const known = {
    sessionUid: "s",
    turn: 1,
    lineUid: "l",
    source: "prompt",
    branch: null,
    note: "keep it",
  } as const;
  saveNote(stored.memory, { ...known, uid: makeNoteUid("s", "keep it", 0), at: 1_000_000 });
  await take("user-prompt", { prompt: "Note to Pommel: keep it" }, 1_000_400);
  expect(notes()).toEqual(["1000000 keep it"]);
});

test("events of another agent's hooks belong to that agent", async () => {
  const handle = makeAgentHookHandler({
    work: { captures: true, memory: stored.memory, readOn },
    scrubbing,
    roots: () => ["/repo"],
    onTranscript: () => {},
    stop: stop.signal,
  });
  const item = { kind: "agent-hook", agent: "codex", received_at: 1_000_000, place: "/repo" };
  const payload = { session_id: "c", transcript_path: path, cwd: "/repo", prompt: "Note to Pommel: keep it" };
  await handle({ ...item, event: "user-prompt", payload });
  expect(findSessionByUid(stored.memory, "c")).toMatchObject({ agent: "codex" });
  expect(notes()).toEqual(["1000000 keep it"]);
  expect(readOn).toHaveBeenCalledWith(path, { agent: "codex", generate_summary: false });
  await expect(handle({ ...item, agent: "other", event: "stop", payload })).rejects.toThrow();
});

test("a session is known from its start, and is summarized at its end", async () => {
  await take("session-start", { source: "startup" });
  expect(findSessionByUid(stored.memory, "s")).toMatchObject({ cwd: "/repo", startedAt: 1_000_000 });
  expect(readOn).not.toHaveBeenCalled();
  await take("session-end", { reason: "clear" }, 2_000_000);
  expect(readOn).toHaveBeenCalledWith(path, { agent: "claude", generate_summary: true });
});

test("keeps the end of a session until the session continues", async () => {
  await take("session-start", {}, 0);
  await take("user-prompt", {}, 1000);
  await take("session-end", { reason: "other" }, 2000);
  expect(findSessionByUid(stored.memory, "s")).toMatchObject({
    startedAt: 0,
    endedAt: 2000,
    endReason: "other",
  });
  await take("session-start", { source: "resume" }, 3000);
  expect(findSessionByUid(stored.memory, "s")).toMatchObject({ endedAt: 2000 });
  await take("user-prompt", {}, 4000);
  expect(findSessionByUid(stored.memory, "s")).toMatchObject({ endedAt: null, endReason: null });
});

test("keeps the end of a fork that started with its origin's id, and the end of the origin", async () => {
  addSession(stored.memory, "origin", { lastAt: 5, ended: { at: 7, reason: "other" } });
  await take("session-start", { session_id: "origin" }, 0);
  await take("user-prompt", { session_id: "fork" }, 1000);
  await take("session-end", { session_id: "fork", reason: "other" }, 2000);
  expect(findSessionByUid(stored.memory, "fork")).toMatchObject({ endedAt: 2000, endReason: "other" });
  expect(findSessionByUid(stored.memory, "origin")).toMatchObject({ lastAt: 5, endedAt: 7 });
});

test("a session whose end is the first that is heard of it is over, where it has a transcript", async () => {
  const transcript_path = join(stored.dir, "s.jsonl");
  writeFileSync(transcript_path, "{}\n");
  await take("session-end", { reason: "exit", transcript_path }, 2000);
  expect(findSessionByUid(stored.memory, "s")).toMatchObject({ endedAt: 2000, endReason: "exit" });
});

test("a note is found by its words before the transcript has its prompt", async () => {
  await take("user-prompt", { prompt: "Note to Pommel: the palette is frozen" });
  const chunks = stored.memory.readColumn<string>("SELECT text FROM chunks WHERE type = 'annotated'");
  expect(chunks.join()).toContain("the palette is frozen");
});

test("ignores the end of a session that is otherwise unknown", async () => {
  await take("session-end", {});
  expect(findSessionByUid(stored.memory, "s")).toBeNull();
});

test("a session of another project, and one that was forgotten, is not noted", async () => {
  await take("session-start", { cwd: "/elsewhere" });
  expect(findSessionByUid(stored.memory, "s")).toBeNull();
  await take("session-start", {});
  forget(stored.memory, {
    sessions: [findSessionByUid(stored.memory, "s")!.id],
    turns: new Map(),
    annotations: [],
  });
  await take("session-start", {});
  await take("user-prompt", { prompt: "Note to Pommel: keep it" });
  expect(findSessionByUid(stored.memory, "s")).toBeNull();
  expect(notes()).toEqual([]);
});

test("an agent that waits for the person is noted, and what its client tells beside that is not", async () => {
  const wait = () =>
    findPendingWork(stored.memory, [findSessionByUid(stored.memory, "s")!], 1_060_000)[0]?.wait;
  await take("session-start", {});
  await take("notification", { notification_type: "auth_success" }, 1_010_000);
  expect(wait()).toBeNull();
  await take("notification", { notification_type: "permission_prompt" }, 1_020_000);
  expect(wait()).toEqual({ for: "permission", since: 1_020_000 });
  await take("user-prompt", {}, 1_030_000);
  expect(wait()).toBeNull();
  await take("notification", { notification_type: "permission_prompt" }, 1_040_000);
  await take("session-end", {}, 1_050_000);
  expect(findPendingWork(stored.memory, [findSessionByUid(stored.memory, "s")!], 1_060_000)).toEqual([null]);
});

test("a transcript is read after new events, and summarized when it is compacted", async () => {
  await take("post-tool-use", { tool_name: "Edit" });
  expect(readOn).toHaveBeenLastCalledWith(path, { agent: "claude", generate_summary: false });
  await take("pre-compact", { trigger: "auto" });
  expect(readOn).toHaveBeenLastCalledWith(path, { agent: "claude", generate_summary: true });
  // The file of a subagent that never appears.
  await take("subagent-stop", { agent_transcript_path: "/nowhere/agent.jsonl" });
  expect(readOn.mock.calls.map(([file]) => file)).toEqual([path, path, path]);
});

test("a session of Gemini CLI is on the branch that is checked out when its hooks run", async () => {
  const repo = mkdtempSync(join(tmpdir(), "pommel-branch-"));
  mkdirSync(join(repo, ".git"));
  const head = (branch: string) => writeFileSync(join(repo, ".git", "HEAD"), `ref: refs/heads/${branch}\n`);
  const tell = (
    session_id: string,
    agent: "gemini" | "claude",
    event: "session-start" | "stop",
    at = Date.now(),
  ) => take(event, { session_id, cwd: repo }, at, { agent, roots: [repo] });
  const branchOf = (uid: string) => findSessionByUid(stored.memory, uid)?.branch;
  head("bird/heron");
  await tell("g", "gemini", "session-start");
  head("main");
  await tell("g", "gemini", "stop");
  expect(branchOf("g")).toBe("bird/heron");
  await tell("late", "gemini", "session-start", Date.now() - 3_600_000);
  // The transcript has it.
  await tell("c", "claude", "session-start");
  expect([branchOf("late"), branchOf("c")]).toEqual([null, null]);
  rmSync(repo, { recursive: true });
});
