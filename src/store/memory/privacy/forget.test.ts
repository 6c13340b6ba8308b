import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import { makeTokenStream } from "../../../base/text/tokens.ts";
import { allChunks, listChunkIds } from "../chunks/chunk-filter.ts";
import { matchSessionTokens } from "../chunks/chunk-lookup.ts";
import { replaceChunks } from "../chunks/chunks.ts";
import { listStoredNotes, saveNote } from "../chunks/notes.ts";
import { insertVector } from "../chunks/vectors.ts";
import { listJobs } from "../jobs/job-rows.ts";
import { enqueue } from "../jobs/jobs.ts";
import { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { packContent } from "../sessions/content.ts";
import { indexAllSessions } from "../sessions/session-index.ts";
import { findSessionById, findSessionByUid, listSessions } from "../sessions/sessions.ts";
import { findBestSummaries, listSummaries, saveSummary } from "../sessions/summaries.ts";
import {
  findKnownLines,
  findLastTurnNumber,
  findNextSeq,
  findPlacesOfLines,
  findTranscriptByPath,
  insertLines,
  saveTranscript,
} from "../sessions/transcripts.ts";
import { listTurns, saveTurn } from "../sessions/turns.ts";
import { saveUsage, sumSessionUsage } from "../sessions/usage.ts";
import {
  emptyForgetRequest,
  expireSessions,
  findRangeToForget,
  forget,
  isForgotten,
  listSessionsBefore,
  previewForget,
} from "./forget.ts";
import { saveSecrets } from "./secrets.ts";

let memory: Memory;
let dir: string;
let remove: () => void;

beforeEach(() => {
  ({ memory, dir, remove } = temporaryMemory());
});
afterEach(() => remove());

const equalWeights = { prompt: 1, answer: 1, actions: 1, errors: 1 };
const matching = (word: string) => matchSessionTokens(memory, [word], equalWeights, 1000, allChunks).length;

/** A word of letters that no other text holds. */
const markOf = (n: number) => `zq${[...String(n)].map((digit) => "bcdfghjklm"[Number(digit)]).join("")}xv`;

/** A session of so many turns, each with all possible records; turn n says the word `mark(n)`. */
function conversation(uid: string, turns: number, mark: (turn: number) => string, parentId?: number) {
  const session = addSession(memory, uid, {
    title: { text: `About ${mark(1)}`, source: "prompt" },
    ...(parentId !== undefined && { parentId, parentToolUse: "t" }),
  });
  saveTranscript(memory, {
    path: `/t/${uid}.jsonl`,
    agent: "claude",
    sessionId: session.id,
    offset: 9,
    lineHash: "h",
    size: 9,
    readAt: 1,
    skipped: {},
  });
  const chunks = [];
  for (let number = 1; number <= turns; number++) {
    const text = `${mark(number)} ${"and more words to fill a page with ".repeat(30)}`;
    saveTurn(
      memory,
      session.id,
      turn(number, {
        prompt: text,
        files: [{ path: `src/${mark(number)}.ts`, how: "edit" }],
        tools: { [mark(number)]: 1 },
        actions: { other: 1 },
        content: packContent([text]),
      }),
    );
    insertLines(memory, session.id, [{ uid: `${uid}-${number}`, seq: number, turn: number }]);
    saveUsage(memory, session.id, [
      {
        messageUid: `m${number}`,
        turn: number,
        model: "big",
        input: 1,
        output: 1,
        cacheRead: 0,
        cacheWrite: 0,
        cacheWriteHour: 0,
      },
    ]);
    saveSummary(memory, {
      sessionId: session.id,
      source: "llm",
      upToTurn: number,
      at: 1,
      model: "x",
      text: `So far: ${mark(number)}`,
    });
    saveNote(memory, {
      uid: `${uid}-note-${number}`,
      sessionUid: uid,
      turn: number,
      lineUid: null,
      at: number * 1000,
      source: "prompt",
      branch: null,
      note: `remember ${mark(number)}`,
    });
    const vectors = new Map([["m", { dimensions: 2, data: Int8Array.from([1, 2]) }]]);
    chunks.push(chunk(number - 1, text, { session: uid, turn: number, files: [mark(number)], vectors }));
  }
  replaceChunks(memory, session.id, { type: "raw", from: 0 }, chunks);
  saveSecrets(memory, session.id, [{ type: "KEY", fingerprint: "f", number: 1 }]);
  indexAllSessions(memory);
  return session;
}

/** How often a word occurs in the files of the database. */
function traces(word: string): number {
  return readdirSync(dir).reduce(
    (sum, name) => sum + readFileSync(join(dir, name)).toString("latin1").split(word).length - 1,
    0,
  );
}

const rowsOf = (table: string) =>
  (memory.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

describe("a forgotten session", () => {
  it("leaves nothing but ids, in no table and no byte", () => {
    const kept = conversation("kept", 3, () => "quince");
    const gone = conversation("gone", 3, markOf);
    conversation("gone/agent", 2, () => markOf(7), gone.id);
    enqueue(memory, { kind: "summary", subject: "gone", payload: { said: markOf(1) } });
    enqueue(memory, { kind: "transcript", subject: "/t/gone.jsonl" });
    enqueue(memory, { kind: "transcript", subject: "/t/kept.jsonl" });
    memory.checkpointLog();
    expect(traces(markOf(1))).toBeGreaterThan(3);
    expect(matching(markOf(7))).toBe(2);

    const request = { ...emptyForgetRequest, sessions: [gone.id] };
    const expected = { sessions: 2, turns: 5, chunks: 5, annotations: 5, summaries: 5 };
    expect(previewForget(memory, request)).toEqual(expected);
    expect(matching(markOf(7))).toBe(2);
    expect(forget(memory, request)).toEqual({ ...expected, changed: [], isLogEmpty: true });

    for (const number of [1, 2, 3, 7]) expect([number, traces(markOf(number))]).toEqual([number, 0]);
    expect(matching(markOf(7))).toBe(0);
    expect(traces("quince")).toBeGreaterThan(3);
    expect(listSessions(memory, { children: true }).map(({ uid }) => uid)).toEqual(["kept"]);
    expect(listJobs(memory).map(({ subject }) => subject)).toEqual(["/t/kept.jsonl"]);
    for (const table of [
      "turns",
      "chunks",
      "vectors",
      "turn_files",
      "turn_actions",
      "turn_states",
      "usage",
      "annotations",
      "chunk_terms",
    ]) {
      expect([table, rowsOf(table)]).toEqual([table, 3]);
    }
    expect([rowsOf("secrets"), rowsOf("transcripts")]).toEqual([1, 1]);
    expect(findBestSummaries(memory, [kept.id, gone.id]).size).toBe(1);
    expect(memory.check()).toBe("ok");
    memory.prepare("INSERT INTO chunk_terms (chunk_terms) VALUES ('integrity-check')").run();
  });

  it("does not come back: its lines, its notes and itself are known", () => {
    const gone = conversation("gone", 2, markOf);
    forget(memory, { ...emptyForgetRequest, sessions: [gone.id] });
    expect(isForgotten(memory, "gone")).toBe(true);
    expect(isForgotten(memory, "other")).toBe(false);
    expect(findKnownLines(memory, ["gone-1", "gone-2", "new"])).toEqual(new Set(["gone-1", "gone-2"]));
    const note = {
      sessionUid: null,
      turn: null,
      lineUid: null,
      at: 1,
      source: "prompt" as const,
      branch: null,
    };
    expect(saveNote(memory, { ...note, uid: "gone-note-1", note: "again" })).toBeNull();
    expect(listStoredNotes(memory)).toEqual([]);
  });
});

describe("forgotten turns", () => {
  it("take texts about them along, and leave the rest of the session", () => {
    const session = conversation("s", 5, markOf);
    replaceChunks(memory, session.id, { type: "annotated", from: 0 }, [
      chunk(0, `up to there ${markOf(1)} ${markOf(2)}`, { type: "annotated", firstTurn: 1, lastTurn: 2 }),
      chunk(1, `up to there ${markOf(4)}`, { type: "annotated", firstTurn: 4, lastTurn: 4 }),
    ]);
    const result = forget(memory, { ...emptyForgetRequest, turns: new Map([[session.id, [2, 5, 77]]]) });
    expect(result).toEqual({
      sessions: 0,
      turns: 2,
      chunks: 3,
      annotations: 2,
      summaries: 4,
      changed: [session.id],
      isLogEmpty: true,
    });
    for (const number of [2, 5]) expect([number, traces(markOf(number))]).toEqual([number, 0]);
    expect(listTurns(memory, session.id).map(({ number }) => number)).toEqual([1, 3, 4]);
    expect(listSummaries(memory, session.id).map(({ upToTurn }) => upToTurn)).toEqual([1]);
    expect(sumSessionUsage(memory, session.id)).toMatchObject([{ messages: 3 }]);
    expect(listStoredNotes(memory).map(({ turn: number }) => number)).toEqual([4, 3, 1]);
    expect(matching(markOf(4))).toBe(2);
    expect(findSessionById(memory, session.id)).toMatchObject({ title: null, titleSource: null });
  });

  it("do not come back, nor does what follows in them; numbers and places go on", () => {
    const session = conversation("s", 3, markOf);
    forget(memory, { ...emptyForgetRequest, turns: new Map([[session.id, [3]]]) });
    expect(findKnownLines(memory, ["s-3"])).toEqual(new Set(["s-3"]));
    expect(findPlacesOfLines(memory, ["s-3"]).get("s-3")?.turn).toBeLessThan(0);
    expect(findLastTurnNumber(memory, session.id)).toBe(3);
    expect(findNextSeq(memory, session.id)).toBeGreaterThan(3);
  });

  it("leave a title that the user chose", () => {
    const { id } = conversation("s", 2, markOf);
    addSession(memory, "s", { title: { text: "Mine", source: "user" } });
    forget(memory, { ...emptyForgetRequest, turns: new Map([[id, [1]]]) });
    expect(findSessionByUid(memory, "s")?.title).toBe("Mine");
  });

  it("leave out sessions that have none of them", () => {
    const { id } = conversation("s", 2, markOf);
    expect(
      forget(memory, {
        ...emptyForgetRequest,
        turns: new Map([
          [id, [9]],
          [99, [1]],
        ]),
      }).changed,
    ).toEqual([]);
  });
});

describe("a forgotten note", () => {
  it("goes with its chunk, and leaves its turn", () => {
    const { id } = conversation("s", 2, () => "plain");
    const note = saveNote(memory, {
      uid: "n",
      sessionUid: null,
      turn: null,
      lineUid: null,
      at: 5,
      source: "shell",
      branch: null,
      note: markOf(9),
    })!;
    replaceChunks(memory, id, { type: "annotated", from: 0 }, [
      chunk(0, markOf(9), { type: "annotated", annotationId: note }),
    ]);
    expect(forget(memory, { ...emptyForgetRequest, annotations: [note] })).toMatchObject({
      annotations: 1,
      chunks: 1,
      turns: 0,
    });
    expect(traces(markOf(9))).toBe(0);
    expect(matching(markOf(9))).toBe(0);
    expect(listTurns(memory, id)).toHaveLength(2);
  });
});

describe("a forgotten time", () => {
  it("is turns with any part in it, whole sessions where that is all, and notes", () => {
    const long = conversation("long", 5, () => "plain");
    const short = conversation("short", 2, () => "plain");
    const request = findRangeToForget(memory, 500, 2400);
    expect(request.sessions).toEqual([short.id]);
    expect([...request.turns]).toEqual([[long.id, [1, 2]]]);
    expect(request.annotations).toHaveLength(4);
    expect(forget(memory, request)).toMatchObject({ sessions: 1, turns: 4, annotations: 4 });
    expect(findRangeToForget(memory, 3100, 3200).turns.get(long.id)).toEqual([3]);
  });

  it("takes turns without a time along when it holds part of their session", () => {
    const { id } = conversation("s", 3, () => "plain");
    addSession(memory, "s", { startedAt: 1000, lastAt: 3500 });
    memory.exec("UPDATE turns SET started_at = NULL, ended_at = NULL WHERE number = 3");
    expect(findRangeToForget(memory, 0, 5000).sessions).toEqual([id]);
    expect(findRangeToForget(memory, 3400, 5000).turns.get(id)).toEqual([3]);
    expect(findRangeToForget(memory, 3600, 5000)).toEqual(emptyForgetRequest);
  });
});

describe("an expired session", () => {
  it("loses its turns; its notes and summaries stay with their chunks, its lines stay known", () => {
    const { id } = conversation("s", 2, () => "plain");
    addSession(memory, "s", { startedAt: 1000, lastAt: 2500 });
    addSession(memory, "empty", { lastAt: 1 });
    const [first, second] = listStoredNotes(memory);
    replaceChunks(memory, id, { type: "annotated", from: 0 }, [
      chunk(0, "a note", { type: "annotated", annotationId: first!.id }),
    ]);
    replaceChunks(memory, id, { type: "summary", from: 0 }, [chunk(0, "all of it", { type: "summary" })]);
    expect(listSessionsBefore(memory, 2500)).toEqual([]);
    expect(listSessionsBefore(memory, 2501)).toEqual([id]);
    expireSessions(memory, [id]);
    expect(listSessionsBefore(memory, 2501)).toEqual([]);
    expect(["turns", "turn_files", "chunks", "chunk_terms", "summaries"].map(rowsOf)).toEqual([
      0, 0, 2, 2, 2,
    ]);
    expect(listStoredNotes(memory)).toEqual([first, second]);
    expect(findTranscriptByPath(memory, "/t/s.jsonl")).toMatchObject({ offset: 9, sessionId: id });
    expect(findKnownLines(memory, ["s-1", "s-2"]).size).toBe(2);
    expect(findLastTurnNumber(memory, id)).toBe(2);
    expect(isForgotten(memory, "s")).toBe(false);
    expireSessions(memory, [id]);
    expect(findPlacesOfLines(memory, ["s-1"]).get("s-1")?.turn).toBe(-2);
  });
});

it("removes copies from before a migration, which hold it as well", () => {
  const { id } = conversation("s", 1, markOf);
  const backup = `${memory.file}.before-2`;
  writeFileSync(backup, markOf(1));
  forget(memory, { ...emptyForgetRequest, sessions: [id] });
  expect(existsSync(backup)).toBe(false);
});

it("says when somebody reads and the log could not be emptied", () => {
  const { id } = conversation("s", 1, markOf);
  const reader = Memory.open(memory.file, { readonly: true });
  memory.exec("PRAGMA busy_timeout = 10");
  reader.readInSnapshot(() => {
    reader.readMeta("any");
    expect(forget(memory, { ...emptyForgetRequest, sessions: [id] }).isLogEmpty).toBe(false);
  });
  reader.close();
  expect(memory.checkpointLog()).toBe(true);
  expect(traces(markOf(1))).toBe(0);
});

it("leaves no byte however the database was filled, changed and thinned out before", () => {
  let random = 7;
  const next = (below: number) => {
    random = (random * 1103515245 + 12345) % 2147483648;
    return Math.floor((random / 2147483648) * below);
  };
  const session = addSession(memory, "s");
  const secret = addSession(memory, "secret");
  const mark = markOf(4711);
  const filler = () => Array.from({ length: 5 + next(600) }, () => `w${next(4000)}`).join(" ");
  for (let round = 0; round < 300; round++) {
    const isMarked = next(6) === 0;
    const { id, uid } = isMarked ? secret : session;
    const text = `${filler()} ${isMarked ? `${mark} ` : ""}${filler()}`;
    saveTurn(
      memory,
      id,
      turn(next(60), {
        prompt: text.slice(0, 200),
        content: { words: new Uint8Array(), json: Buffer.from(text) },
      }),
    );
    const from = next(40);
    const vectors = new Map([["m", { dimensions: 1, data: new Int8Array(next(900)).fill(1) }]]);
    replaceChunks(
      memory,
      id,
      { type: "raw", from },
      Array.from({ length: next(8) }, (_, i) => chunk(from + i, text, { session: uid, vectors })),
    );
    if (next(20) === 0) memory.checkpointLog();
    if (next(40) === 0) memory.vacuum(3);
  }
  expect(traces(mark)).toBeGreaterThan(10);
  forget(memory, { ...emptyForgetRequest, sessions: [secret.id] });
  expect(traces(mark)).toBe(0);
  expect(traces(makeTokenStream(mark))).toBe(0);
  expect(listChunkIds(memory, allChunks).length).toBeGreaterThan(5);
  expect(memory.countPages().free).toBe(0);
});

it("refuses vectors that do not fill whole dimensions", () => {
  expect(() =>
    insertVector(memory, { id: 1 as SessionChunkId, sessionId: 1 }, "m", {
      dimensions: 2,
      data: new Int8Array(3),
    }),
  ).toThrow("3 bytes");
});
