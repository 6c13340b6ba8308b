import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { hashFnv1a } from "../../base/text/hash.ts";
import { findNoteById, listStoredNotes, noPlace, saveNote } from "./chunks/notes.ts";
import { addLlmUsage, measureStorageGrowth, sampleStorage, sumLlmSpending } from "./daily-records.ts";
import type { Memory } from "./memory.ts";
import type { NoteRecord } from "./memory-records.ts";
import { listSecrets, saveSecrets } from "./privacy/secrets.ts";
import { dropOlderSummaries, findBestSummaries, listSummaries, saveSummary } from "./sessions/summaries.ts";
import {
  findKnownLines,
  findNextSeq,
  findPlacesOfLines,
  findTranscriptByPath,
  forgetTranscript,
  insertLines,
  listTranscripts,
  saveTranscript,
} from "./sessions/transcripts.ts";
import { saveUsage, sumSessionUsage } from "./sessions/usage.ts";

let memory: Memory;
let remove: () => void;

beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

describe("transcripts", () => {
  const step = { path: "/t/a.jsonl", agent: "claude", offset: 10, lineHash: "x", size: 12, readAt: 1 };

  it("are known by path with their cursor, and count what was left out", () => {
    const { id } = addSession(memory, "s");
    expect(findTranscriptByPath(memory, step.path)).toBeNull();
    saveTranscript(memory, { ...step, sessionId: null, skipped: { malformed: 1 } });
    saveTranscript(memory, {
      ...step,
      sessionId: id,
      offset: 20,
      lineHash: "y",
      skipped: { malformed: 2, too_long: 1 },
    });
    expect(findTranscriptByPath(memory, step.path)).toMatchObject({
      sessionId: id,
      offset: 20,
      lineHash: "y",
      skipped: { malformed: 3, too_long: 1 },
    });
    saveTranscript(memory, { ...step, path: "/t/0.jsonl", sessionId: null, skipped: {} });
    expect(listTranscripts(memory).map(({ path }) => path)).toEqual(["/t/0.jsonl", "/t/a.jsonl"]);
    expect(listTranscripts(memory, id).map(({ path }) => path)).toEqual(["/t/a.jsonl"]);
    forgetTranscript(memory, step.path);
    expect(findTranscriptByPath(memory, step.path)).toBeNull();
  });
});

describe("lines", () => {
  it("are stored once, in order, with their turn", () => {
    const [a, b] = [addSession(memory, "a").id, addSession(memory, "b").id];
    expect(findNextSeq(memory, a)).toBe(0);
    insertLines(memory, a, [
      { uid: "1", seq: 0, turn: 1 },
      { uid: "2", seq: 1, turn: 1 },
      { uid: "3", seq: 4, turn: 2 },
    ]);
    insertLines(memory, b, [{ uid: "4", seq: 0, turn: 1 }]);
    expect(findKnownLines(memory, ["0", "1", "4", "1"])).toEqual(new Set(["1", "4"]));
    expect(findNextSeq(memory, a)).toBe(5);
    expect([...findPlacesOfLines(memory, ["3", "9"])]).toEqual([
      ["3", { uid: "3", sessionId: a, seq: 4, turn: 2 }],
    ]);
    expect([...findPlacesOfLines(memory, ["4", "9"]).values()]).toEqual([
      { uid: "4", sessionId: b, seq: 0, turn: 1 },
    ]);
  });

  it("are told apart where their hashes are the same", () => {
    const { id } = addSession(memory, "a");
    // FNV-1a gives both the same 32 bits.
    insertLines(memory, id, [{ uid: "costarring", seq: 0, turn: 1 }]);
    expect(hashFnv1a("liquid")).toBe(hashFnv1a("costarring"));
    expect(findKnownLines(memory, ["liquid"]).size).toBe(0);
    insertLines(memory, id, [{ uid: "liquid", seq: 1, turn: 1 }]);
    expect(findPlacesOfLines(memory, ["liquid"]).get("liquid")?.seq).toBe(1);
  });
});

describe("costs", () => {
  it("count a message once, with the larger output, by model", () => {
    const { id } = addSession(memory, "s");
    const message = {
      messageUid: "m",
      turn: 1,
      model: "big",
      input: 5,
      output: 2,
      cacheRead: 7,
      cacheWrite: 3,
      cacheWriteHour: 1,
    };
    saveUsage(memory, id, [message, { ...message, output: 90 }, { ...message, output: 4 }]);
    saveUsage(memory, id, [
      { ...message, messageUid: "n", turn: 2 },
      { ...message, messageUid: "o", turn: 2, model: "small" },
    ]);
    expect(sumSessionUsage(memory, id)).toEqual([
      { model: "big", messages: 2, input: 10, output: 92, cacheRead: 14, cacheWrite: 6, brief: 1 },
      { model: "small", messages: 1, input: 5, output: 2, cacheRead: 7, cacheWrite: 3, brief: 1 },
    ]);
    expect(sumSessionUsage(memory, id, { first: 2, last: 2 }).map(({ messages }) => messages)).toEqual([
      1, 1,
    ]);
  });

  it("of language models are summed up by day", () => {
    const request = { model: "m", purpose: "summary", input: 100, output: 10, dollars: 0.25 };
    const day = 86_400_000;
    addLlmUsage(memory, request, 10 * day);
    addLlmUsage(memory, request, 10 * day + day - 1);
    addLlmUsage(memory, { ...request, purpose: "title" }, 10 * day + 5);
    addLlmUsage(memory, request, 11 * day);
    expect(sumLlmSpending(memory, { now: 10 * day + 7 })).toEqual({
      requests: 3,
      input: 300,
      output: 30,
      dollars: 0.75,
    });
    expect(sumLlmSpending(memory, { now: 11 * day, days: 2 }).requests).toBe(4);
    expect(sumLlmSpending(memory, { now: 9 * day }).requests).toBe(0);
  });
});

describe("notes", () => {
  const note: Omit<NoteRecord, "id"> = {
    uid: "n1",
    sessionUid: "s",
    turn: null,
    lineUid: null,
    at: 100,
    source: "prompt",
    branch: "main",
    note: "Brug Ærlig tone in résumés",
    ...noPlace,
  };

  it("are added once; missing parts of their place are filled in", () => {
    const id = saveNote(memory, note);
    expect(saveNote(memory, { ...note, turn: 3, lineUid: "l", note: "other", at: 5 })).toBe(id);
    expect(findNoteById(memory, id!)).toEqual({
      ...note,
      id,
      turn: 3,
      lineUid: "l",
      author: null,
      signer: null,
    });
  });

  it("are found by time, words in any case, session and branch, latest first", () => {
    for (const [uid, at] of [
      ["n1", 100],
      ["n2", 300],
      ["n3", 200],
    ] as const) {
      saveNote(memory, { ...note, uid, at, note: `${note.note} ${uid}` });
    }
    saveNote(memory, { ...note, uid: "shell", sessionUid: null, source: "shell", at: 1, branch: null });
    const uids = (filter: Parameters<typeof listStoredNotes>[1]) =>
      listStoredNotes(memory, filter).map(({ uid }) => uid);
    expect(uids({})).toEqual(["n2", "n3", "n1", "shell"]);
    expect(uids({ since: 150, until: 250 })).toEqual(["n3"]);
    expect(uids({ search: "ÆRLIG N1" })).toEqual(["n1"]);
    expect(uids({ search: "ærlig missing" })).toEqual([]);
    expect(uids({ sessionUid: "s", limit: 2 })).toEqual(["n2", "n3"]);
    expect(uids({ branch: "main" })).toHaveLength(3);
    expect(uids({ unbound: true })).toEqual(["n2", "n3", "n1"]);
  });
});

describe("summaries", () => {
  it("are kept by source and reach; the best one is that of most turns, then of the best source", () => {
    const [a, b] = [addSession(memory, "a").id, addSession(memory, "b").id];
    const summary = {
      sessionId: a,
      source: "extractive" as const,
      upToTurn: 1,
      at: 1,
      model: null,
      text: "one",
    };
    saveSummary(memory, summary);
    const again = saveSummary(memory, { ...summary, text: "once more" });
    saveSummary(memory, { ...summary, upToTurn: 9, text: "nine" });
    saveSummary(memory, { ...summary, source: "compaction", upToTurn: 5, text: "five" });
    saveSummary(memory, { ...summary, source: "compaction", upToTurn: 4, text: "four" });
    saveSummary(memory, { ...summary, sessionId: b });
    saveSummary(memory, { ...summary, sessionId: b, source: "llm", text: "a model's" });
    expect(listSummaries(memory, a).map(({ text }) => text)).toEqual(["nine", "five", "four", "once more"]);
    expect(listSummaries(memory, a).at(-1)?.id).toBe(again);
    const best = findBestSummaries(memory, [a, b, 99]);
    expect([best.get(a)?.text, best.get(b)?.text, best.size]).toEqual(["nine", "a model's", 2]);
    dropOlderSummaries(memory, a, "extractive");
    expect(listSummaries(memory, a).map(({ text }) => text)).toEqual(["nine", "five", "four"]);
  });
});

it("secrets of a session keep their number", () => {
  const { id } = addSession(memory, "s");
  saveSecrets(memory, id, [{ type: "KEY", fingerprint: "a", number: 1 }]);
  saveSecrets(memory, id, [
    { type: "KEY", fingerprint: "a", number: 7 },
    { type: "KEY", fingerprint: "b", number: 2 },
  ]);
  expect(listSecrets(memory, id)).toEqual([
    { type: "KEY", fingerprint: "a", number: 1 },
    { type: "KEY", fingerprint: "b", number: 2 },
  ]);
});

it("reports its growth since the oldest day of the last thirty", () => {
  const day = 86_400_000;
  expect(measureStorageGrowth(memory, 100 * day)).toEqual({ bytes: memory.measureDiskBytes(), growth: null });
  sampleStorage(memory, 100 * day);
  sampleStorage(memory, 100 * day + 5);
  expect(measureStorageGrowth(memory, 100 * day + 6).growth).toBeNull();
  memory.prepare("UPDATE storage_days SET bytes = 1000").run();
  sampleStorage(memory, 110 * day);
  const { bytes, growth } = measureStorageGrowth(memory, 120 * day);
  expect(growth).toEqual({ bytes: bytes - 1000, days: 20 });
  expect(measureStorageGrowth(memory, 135 * day).growth?.days).toBe(25);
  sampleStorage(memory, 500 * day);
  expect(memory.prepare("SELECT count(*) AS n FROM storage_days").get()).toEqual({ n: 1 });
});
