import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { edited, ran, read, text, used } from "../../../test/support/turn-fixture.ts";
import type { TranscriptEntry } from "../../agents/agent.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { TurnFile } from "../../store/memory/memory-records.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { findInjectedUses } from "./injected.ts";

let memory: Memory;
let remove: () => void;
let current: number;
beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
  current = addSession(memory, "cccccccc-1111-4111-8111-111111111111", { startedAt: 0, lastAt: 1e6 }).id;
});
afterEach(() => remove());

const before = "bbbbbbbb-2222-4222-8222-222222222222";
const given = 10_000;

/** A turn whose entries are a second apart. */
function did(
  number: number,
  startedAt: number,
  entries: readonly TranscriptEntry[],
  session = current,
): void {
  const lines: StoredLine[] = entries.map((entry, i) => ({
    uid: `${session} ${number} ${i}`,
    seq: i,
    at: startedAt + 1000 * i,
    entries: [entry],
  }));
  const touches = entries.flatMap((entry) => (entry.kind === "tool_use" ? entry.files : []));
  const files = touches.map(({ path, how }): TurnFile => ({ path: path.replace(/^\/repo\//, ""), how }));
  const endedAt = startedAt + 1000 * entries.length;
  saveTurn(memory, session, turn(number, { startedAt, endedAt, files, content: packContent(lines) }));
}

const usesFor = (...refs: string[]) =>
  findInjectedUses(memory, {
    sessionUid: "cccccccc-1111-4111-8111-111111111111",
    event: "user-prompt",
    at: given,
    reason: "",
    tokens: 1,
    tookMs: 1,
    textHash: "",
    callId: null,
    decision: null,
    items: refs.map((ref) => ({ ref, why: "", score: null })),
  });
const useOf = (ref: string) => usesFor(ref).get(ref)!;

/** A decision of an earlier session about files. @returns its reference */
function decided(...files: string[]): string {
  const { id } = addSession(memory, before);
  saveTurn(memory, id, turn(1));
  replaceChunks(memory, id, { type: "raw", from: 0 }, [chunk(0, "We retry.", { session: before, files })]);
  return `chunk:${before}:raw:0`;
}

const place = "code:src/retry.ts#withRetries";

it.each([
  ["read", read("/repo/src/retry.ts")],
  ["edited", edited("/repo/src/retry.ts", "a", "b")],
])("a place is used when its file is %s afterwards", (how, call) => {
  did(1, given + 1, [text("I look."), ...call]);
  expect(useOf(place)).toEqual({ outcome: "used", reason: `the agent ${how} src/retry.ts`, turn: 1 });
});

it("a place is used when a command names its file", () => {
  did(1, given + 1, ran("sed -n '1,40p' ./src/retry.ts | head"));
  expect(useOf(place)).toEqual({ outcome: "used", reason: "the agent named src/retry.ts", turn: 1 });
});

it("a place is not used when the agent goes on without opening it", () => {
  did(1, given + 1, [...read("/repo/other/src/retry.ts"), ...ran("cat lib/src/retry.ts")]);
  expect(useOf(place)).toMatchObject({ outcome: "not_used", turn: null });
});

it("what was done before, or failed, is no use", () => {
  did(1, given - 500, [...read("/repo/src/a.ts"), ...used("Read", {}, "no such file", { isError: true })]);
  did(
    2,
    given + 5000,
    used("Read", {}, "gone", { isError: true }, [{ path: "/repo/src/retry.ts", how: "read" }]),
  );
  did(2, given + 9000, [text("Well.")]);
  expect(useOf(place).outcome).toBe("not_used");
});

it("whether a file is used that the session knew already cannot be known", () => {
  did(1, given - 9000, read("/repo/src/retry.ts"));
  did(2, given + 1, edited("/repo/src/retry.ts", "a", "b"));
  expect(useOf(place)).toMatchObject({ outcome: "unknown", reason: "the session knew the file already" });
});

it("a file read in the same turn before the context was given was known", () => {
  did(1, given - 1500, [...read("/repo/src/retry.ts"), ...edited("/repo/src/a.ts", "a", "b"), text("Well.")]);
  expect(useOf(place).outcome).toBe("unknown");
});

it("only ten actions count, of the agent and its subagents", () => {
  for (let i = 0; i < 5; i++) did(i + 1, given + 10_000 * i + 1, [...ran("ls"), text("On.")]);
  const child = addSession(memory, "cccccccc-1111-4111-8111-111111111111/agent-1", {
    parentId: current,
    startedAt: given + 100,
    lastAt: given + 50_000,
  });
  for (let i = 0; i < 4; i++) did(i + 1, given + 10_000 * i + 5000, ran("pwd"), child.id);
  did(6, given + 60_000, read("/repo/src/retry.ts"));
  expect(useOf(place).outcome).toBe("used");
  did(6, given + 60_000, [...ran("date"), ...read("/repo/src/retry.ts")]);
  expect(useOf(place).outcome).toBe("not_used");
});

it("only ten turns count", () => {
  for (let i = 0; i < 10; i++) did(i + 1, given + 10_000 * i + 1, [text("On.")]);
  did(11, given + 200_000, read("/repo/src/retry.ts"));
  expect(useOf(place).outcome).toBe("not_used");
});

it("whether a decision is used cannot be known by the files that are opened: it names none", () => {
  const ref = decided("src/retry.ts", "src/b.ts");
  did(1, given + 1, read("/repo/src/b.ts"));
  expect(useOf(ref)).toEqual({
    outcome: "unknown",
    reason: "an agent can follow a quotation without a trace",
    turn: null,
  });
});

it.each([
  ["a call of a tool", used("mcp__pommel__get_session", { session_id: "bbbbbbbb" })],
  ["a command", ran(`pm session show ${before}`)],
  ["its own words", [text("As decided in session bbbbbbbb, it retries.")]],
])("a session, a decision and a note are used when their session's id is in %s", (_, call) => {
  const chunkRef = decided();
  saveNote(memory, {
    uid: "n1",
    sessionUid: before,
    turn: 1,
    lineUid: null,
    source: "prompt",
    branch: null,
    note: "On Fridays.",
    at: 1,
  });
  did(1, given + 1, call);
  const refs = [`session:${before}`, chunkRef, "note:n1"];
  const expected = { outcome: "used", reason: "the agent named bbbbbbbb", turn: 1 };
  expect([...usesFor(...refs).values()]).toEqual(refs.map(() => expected));
});

it("what is written into a file names nothing", () => {
  decided();
  did(
    1,
    given + 1,
    used("Write", { file_path: "/repo/x", content: `see ${before} and src/retry.ts` }, "", {}, [
      { path: "/repo/x", how: "write" },
    ]),
  );
  expect(useOf(`session:${before}`).outcome).toBe("unknown");
  expect(useOf(place).outcome).toBe("not_used");
});

it("a subagent's reading counts", () => {
  did(1, given + 1, [text("I send somebody."), text("Done.")]);
  const child = addSession(memory, "cccccccc-1111-4111-8111-111111111111/agent-1", {
    parentId: current,
    startedAt: given + 100,
    lastAt: given + 900,
  });
  did(1, given + 100, read("/repo/src/retry.ts"), child.id);
  expect(useOf(place)).toEqual({ outcome: "used", reason: "the agent read src/retry.ts", turn: null });
});

it("of a session without later records, or none, nothing is known", () => {
  expect(useOf(place)).toMatchObject({ outcome: "unknown", turn: null });
  did(1, given - 5000, [text("Before.")]);
  expect(useOf(place).reason).toBe("nothing of the session is recorded after it");
});

it("what only records an edit has no use", () => {
  expect([...usesFor("file:src/a.ts", "event:e1").keys()]).toEqual(["event:e1"]);
});
