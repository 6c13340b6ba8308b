import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory, turn } from "../../../../test/support/memory-fixture.ts";
import type { Memory } from "../memory.ts";
import type { ChunkToStore, SessionChunkId } from "../memory-records.ts";
import { saveTurn } from "../sessions/turns.ts";
import {
  allChunks,
  listChunkIds,
  listEveryTouchedFile,
  readChunkIdsByFile,
  readChunkTexts,
} from "./chunk-filter.ts";
import { matchSessionTokens } from "./chunk-lookup.ts";
import {
  countSessionChunks,
  findChunkByUid,
  findPositionOfTurn,
  findSessionsOfChunks,
  keepNewestChunks,
  listChunksOfSession,
  listChunksWithoutVector,
  readChunkOutlines,
  readChunksByIds,
  replaceChunks,
  replaceNoteChunk,
} from "./chunks.ts";
import { saveNote } from "./notes.ts";
import {
  countSessionVectors,
  createPassageSource,
  keepSessionModels,
  storeSessionVectors,
} from "./vectors.ts";

let memory: Memory;
let remove: () => void;
let session: number;

beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
  session = addSession(memory, "s").id;
});
afterEach(() => remove());

const put = (from: number, ...chunks: ChunkToStore[]) =>
  replaceChunks(memory, session, { type: "raw", from }, chunks);
const gone = 99 as SessionChunkId;
const weights = { prompt: 1, answer: 1, actions: 1, errors: 1 };
const found = (token: string, filter = allChunks) =>
  matchSessionTokens(memory, [token], weights, 10, filter).map(
    ({ id }) => readChunksByIds(memory, [id]).get(id)!.text,
  );
const of = (...numbers: number[]) => ({ dimensions: 2, data: Int8Array.from(numbers) });

describe("chunks", () => {
  it("are replaced from a position on, with their terms and vectors, and get new rows", () => {
    const vectors = new Map([["m", of(1, 2)]]);
    const first = put(
      0,
      chunk(0, "alpha", { vectors }),
      chunk(1, "beta", { vectors }),
      chunk(2, "gamma", { vectors }),
    );
    replaceChunks(memory, session, { type: "summary", from: 0 }, [chunk(0, "beta sum", { type: "summary" })]);
    const second = put(1, chunk(1, "delta", { vectors }));
    expect(second[0]).toBeGreaterThan(first[2]!);
    expect(["alpha", "beta", "gamma", "delta"].map((word) => found(word))).toEqual([
      ["alpha"],
      ["beta sum"],
      [],
      ["delta"],
    ]);
    expect([...createPassageSource(memory).rowsAfter("m", 0)].map(({ chunkId }) => chunkId)).toEqual([
      first[0],
      second[0],
    ]);
    expect(countSessionChunks(memory)).toBe(3);
  });

  it("are limited to the newest parts of the conversation", () => {
    put(0, ...["a", "b", "c", "d"].map((text, i) => chunk(i, text)));
    replaceChunks(memory, session, { type: "summary", from: 0 }, [chunk(0, "a sum", { type: "summary" })]);
    keepNewestChunks(memory, session, 2);
    expect(listChunksOfSession(memory, session).map(({ text }) => text)).toEqual(["c", "d", "a sum"]);
    expect([found("b"), found("d")]).toEqual([[], ["d"]]);
    keepNewestChunks(memory, session, 2);
    expect(countSessionChunks(memory)).toBe(3);
  });

  it("of a note take the place of the one it had", () => {
    const note = { sessionUid: "s", turn: 1, lineUid: null, at: 1, branch: null, note: "n" };
    const annotationId = saveNote(memory, { ...note, uid: "n", source: "prompt" })!;
    for (const text of ["first", "second"]) {
      replaceNoteChunk(memory, session, { ...chunk(0, text, { type: "annotated" }), annotationId });
    }
    expect([found("first"), found("second")]).toEqual([[], ["second"]]);
  });

  it("are read as they were stored", () => {
    const given = chunk(0, "text", {
      files: ["a.ts"],
      kind: "decision",
      abandoned: true,
      firstSeq: null,
      lastSeq: null,
    });
    const [id] = put(0, given);
    const { terms: _, vectors: __, ...stored } = given;
    const whole = { ...stored, id, sessionId: session };
    expect(readChunksByIds(memory, [id!, gone])).toEqual(new Map([[id, whole]]));
    expect(findChunkByUid(memory, "s:raw:0")).toEqual(whole);
    expect(findChunkByUid(memory, "s:raw:1")).toBeNull();
    expect(listChunksOfSession(memory, session)).toEqual([whole]);
    const { text: ___, files: ____, ...outline } = whole;
    expect(readChunkOutlines(memory, [id!, gone])).toEqual(new Map([[id, outline]]));
    put(0);
    expect(readChunkOutlines(memory, [id!]).size).toBe(0);
  });

  it("know their session, and follow each other by session and type", () => {
    const ids = put(0, chunk(0, "a"), chunk(1, "b"), chunk(2, "c"));
    replaceChunks(memory, session, { type: "summary", from: 0 }, [chunk(0, "s", { type: "summary" })]);
    const other = addSession(memory, "other").id;
    const [elsewhere] = replaceChunks(memory, other, { type: "raw", from: 0 }, [
      chunk(1, "x", { session: "other" }),
    ]);
    expect(findSessionsOfChunks(memory, [ids[2]!, gone, ids[0]!])).toEqual([session, 0, session]);
    expect(findSessionsOfChunks(memory, [elsewhere!, ids[1]!])).toEqual([other, session]);
    expect(listChunksOfSession(memory, session, { type: "raw", from: 1 }).map(({ text }) => text)).toEqual([
      "b",
      "c",
    ]);
    expect(findPositionOfTurn(memory, session, "raw", 2)).toBe(1);
    expect(findPositionOfTurn(memory, session, "raw", 9)).toBe(3);
    expect(findPositionOfTurn(memory, session, "annotated", 1)).toBe(0);
  });
});

describe("words", () => {
  it("are found in all four streams, whole and by their stems, and weigh as asked", () => {
    const terms = {
      prompt: "why flaky",
      answer: "retries helped",
      actions: "runTests",
      errors: "TimeoutError",
    };
    const [id] = put(
      0,
      chunk(0, "", { terms }),
      chunk(1, "flaky", { terms: { ...terms, prompt: "", answer: "flaky" } }),
    );
    for (const token of ["retri", "runtests", "timeouterror", "timeout"]) {
      expect([
        token,
        matchSessionTokens(memory, [token], weights, 9, allChunks)
          .map(({ id }) => id)
          .sort(),
      ]).toEqual([token, [id, id! + 1].slice(0, token === "retri" ? 1 : 2)]);
    }
    const byPrompt = matchSessionTokens(memory, ["flaki"], { ...weights, prompt: 10 }, 9, allChunks);
    expect(byPrompt.map(({ id }) => id)).toEqual([id, id! + 1]);
    expect(byPrompt[0]!.score).toBeGreaterThan(byPrompt[1]!.score);
    expect(matchSessionTokens(memory, ["flaki"], { ...weights, answer: 10 }, 1, allChunks)[0]?.id).toBe(
      id! + 1,
    );
    expect(matchSessionTokens(memory, [], weights, 9, allChunks)).toEqual([]);
  });

  it("are found whatever is quoted", () => {
    put(0, chunk(0, "red green"), chunk(1, "green red"));
    expect(found('red" OR "green')).toEqual([]);
  });
});

describe("filters", () => {
  it("narrow words and all chunks the same way", () => {
    const codex = addSession(memory, "x", { agent: "codex" }).id;
    put(
      0,
      chunk(0, "word zero", { turn: 1, kind: "decision", eventType: "tool_use", files: ["src/a.ts"] }),
      chunk(1, "word one", { turn: 3, branch: "topic", abandoned: true, startedAt: null, endedAt: null }),
    );
    replaceChunks(memory, session, { type: "summary", from: 0 }, [
      chunk(0, "word sum", { type: "summary", turn: 9, files: ["src/b.ts"] }),
    ]);
    replaceChunks(memory, codex, { type: "raw", from: 0 }, [
      chunk(0, "word codex", { session: "x", turn: 5 }),
    ]);
    const cases: [Partial<typeof allChunks>, string[]][] = [
      [{}, ["zero", "one", "sum", "codex"]],
      [{ sessionIds: [codex] }, ["codex"]],
      [{ sessionIds: [] }, []],
      [{ types: ["summary"] }, ["sum"]],
      [{ kinds: ["decision"] }, ["zero"]],
      [{ eventTypes: ["tool_use"] }, ["zero"]],
      [{ since: 1400, until: 5000 }, ["zero", "codex"]],
      [{ since: 1501 }, ["sum", "codex"]],
      [{ branch: "topic" }, ["one"]],
      [{ agent: "codex" }, ["codex"]],
      [{ files: ["src/a.ts", "src/b.ts"] }, ["zero", "sum"]],
      [{ abandoned: false }, ["zero", "sum", "codex"]],
      [{ abandoned: true, branch: "topic" }, ["one"]],
    ];
    for (const [filter, expected] of cases) {
      const whole = { ...allChunks, ...filter };
      const texts = expected.map((name) => `word ${name}`);
      expect([filter, found("word", whole).sort()]).toEqual([filter, texts.sort()]);
      expect(listChunkIds(memory, whole)).toHaveLength(texts.length);
      expect([...readChunkTexts(memory, whole)].map(({ text }) => text).sort()).toEqual(texts);
    }
    saveTurn(memory, session, turn(1, { files: [{ path: "src/c.ts", how: "read" }] }));
    expect(listEveryTouchedFile(memory).sort()).toEqual(["src/b.ts", "src/c.ts"]);
  });
});

it("finds chunks by their files, also those that came since", () => {
  const byFile = () => [...readChunkIdsByFile(memory, { ...allChunks, kinds: ["decision"] })];
  const said = (position: number, ...files: string[]) => chunk(position, "x", { kind: "decision", files });
  const first = put(0, said(0, "a.ts", "b.ts"), chunk(1, "other", { files: ["a.ts"] }), said(2, "b.ts"));
  expect(byFile()).toEqual([
    ["a.ts", [first[0]]],
    ["b.ts", [first[0], first[2]]],
  ]);
  const [later] = put(2, said(2, "c.ts"));
  expect(byFile()).toEqual([
    ["a.ts", [first[0]]],
    ["b.ts", [first[0]]],
    ["c.ts", [later]],
  ]);
});

describe("vectors", () => {
  it("of a second model are made for chunks that it has not seen, the newest first", () => {
    const ids = put(0, chunk(0, "a"), chunk(1, "b"), chunk(2, "c"));
    expect(listChunksWithoutVector(memory, "m")).toEqual(ids.toReversed());
    storeSessionVectors(
      memory,
      "m",
      new Map([
        [ids[2]!, of(1, 2, 3, 4)],
        [ids[1]!, of()],
        [gone, of(1, 1)],
      ]),
    );
    expect(listChunksWithoutVector(memory, "m")).toEqual([ids[0]]);
    expect(countSessionVectors(memory)).toEqual([{ model: "m", chunks: 2, missing: 1 }]);
    const source = createPassageSource(memory);
    const rows = [...source.rowsAfter("m", 0)];
    expect(source.count("m")).toBe(2);
    expect(rows.map(({ chunkId, dimensions, data }) => [chunkId, dimensions, [...data]])).toEqual([
      [ids[2], 2, [1, 2, 3, 4]],
    ]);
    expect([...source.rowIds("m")]).toEqual([rows[0]!.id]);
    expect([...source.rowsAfter("m", rows[0]!.id)]).toEqual([]);
  });

  it("of other models are forgotten", () => {
    const vectors = new Map(["a", "b", "c"].map((model) => [model, of(1, 2)]));
    put(0, chunk(0, "x", { vectors }));
    keepSessionModels(memory, ["b", "z"]);
    expect(countSessionVectors(memory).map(({ model }) => model)).toEqual(["b"]);
    keepSessionModels(memory, []);
    expect(countSessionVectors(memory)).toEqual([]);
    keepSessionModels(memory, []);
  });
});
