import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClaudeHookItem } from "../hooks/run-hook.ts";
import { annotationUid } from "../sessions/notes.ts";
import { listAnnotations, saveAnnotation } from "../store/memory/annotations.ts";
import { forget } from "../store/memory/forget.ts";
import { temporaryMemory } from "../store/memory/memory-fixture.ts";
import { sessionByUid } from "../store/memory/sessions.ts";
import { claudeHookEvents } from "./hook-events.ts";
import type { MemoryWork } from "./memory-work.ts";

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

const path = "/nowhere/projects/-repo/s.jsonl";

function take(event: ClaudeHookItem["event"], payload: ClaudeHookItem["payload"], received_at = 1_000_000) {
  const work = { captures: true, memory: stored.memory, readOn } as unknown as MemoryWork;
  const handle = claudeHookEvents({
    work,
    roots: () => ["/repo"],
    onTranscript: () => {},
    stop: stop.signal,
  });
  const whole = { session_id: "s", transcript_path: path, cwd: "/repo", ...payload };
  return handle({ kind: "claude-hook", event, received_at, payload: whole });
}

const notes = () => listAnnotations(stored.memory).map(({ note, at }) => `${at} ${note}`);

test("a note is remembered once for each time that it was written", async () => {
  const prompt = "Note to Pommel: keep it\nNote to Pommel: and that";
  await take("user-prompt", { prompt }, 1_000_000);
  expect(notes().sort()).toEqual(["1000000 and that", "1000000 keep it"]);
  // The same hook, told of twice.
  await take("user-prompt", { prompt }, 1_000_500);
  expect(notes()).toHaveLength(2);
  await take("user-prompt", { prompt: "Note to Pommel: keep it" }, 2_000_000);
  expect(notes()).toHaveLength(3);
  await take("user-prompt", { prompt: "Note to Pommel: twice\nNote to Pommel: twice" }, 3_000_000);
  expect(notes()).toHaveLength(5);
  const uids = listAnnotations(stored.memory).map(({ uid }) => uid);
  for (const ordinal of [0, 1]) expect(uids).toContain(annotationUid("s", "twice", ordinal));
});

test("a note that the transcript told of first is the same", async () => {
  const known = {
    sessionUid: "s",
    turn: 1,
    lineUid: "l",
    source: "prompt",
    branch: null,
    note: "keep it",
  } as const;
  saveAnnotation(stored.memory, { ...known, uid: annotationUid("s", "keep it", 0), at: 1_000_000 });
  await take("user-prompt", { prompt: "Note to Pommel: keep it" }, 1_000_400);
  expect(notes()).toEqual(["1000000 keep it"]);
});

test("a session is known from its start, over at its end, and goes on with the next prompt", async () => {
  await take("session-start", { source: "startup" });
  expect(sessionByUid(stored.memory, "s")).toMatchObject({
    cwd: "/repo",
    startedAt: 1_000_000,
    endedAt: null,
  });
  expect(readOn).not.toHaveBeenCalled();
  await take("session-end", { reason: "clear" }, 2_000_000);
  expect(sessionByUid(stored.memory, "s")).toMatchObject({ endedAt: 2_000_000, endReason: "clear" });
  expect(readOn).toHaveBeenCalledWith(path, { agent: "claude", generate_summary: true });
  await take("session-start", { source: "resume" }, 3_000_000);
  expect(sessionByUid(stored.memory, "s")).toMatchObject({ endedAt: 2_000_000 });
  await take("user-prompt", {}, 3_000_100);
  expect(sessionByUid(stored.memory, "s")).toMatchObject({ startedAt: 1_000_000, endedAt: null });
});

test("a session of another project, and one that was forgotten, is not noted", async () => {
  await take("session-start", { cwd: "/elsewhere" });
  expect(sessionByUid(stored.memory, "s")).toBeNull();
  await take("session-start", {});
  forget(stored.memory, {
    sessions: [sessionByUid(stored.memory, "s")!.id],
    turns: new Map(),
    annotations: [],
  });
  await take("session-start", {});
  await take("user-prompt", { prompt: "Note to Pommel: keep it" });
  expect(sessionByUid(stored.memory, "s")).toBeNull();
  expect(notes()).toEqual([]);
});

test("a transcript is read on when something has happened, and summed up when it is compacted", async () => {
  await take("post-tool-use", { tool_name: "Edit" });
  expect(readOn).toHaveBeenLastCalledWith(path, { agent: "claude", generate_summary: false });
  await take("pre-compact", { trigger: "auto" });
  expect(readOn).toHaveBeenLastCalledWith(path, { agent: "claude", generate_summary: true });
  // A subagent's file that never comes.
  await take("subagent-stop", { agent_transcript_path: "/nowhere/agent.jsonl" });
  expect(readOn.mock.calls.map(([file]) => file)).toEqual([path, path, path]);
});
