import { expect, test } from "vitest";
import { mergeFound } from "./hits.ts";
import { parseQuestion } from "./question.ts";

const asked = (query: string) => parseQuestion(new URLSearchParams(query));

test("a question without filters is for all sides", () => {
  expect(asked("q=+retry+")).toEqual({
    words: "retry",
    sides: ["code", "sessions", "history"],
    code: {},
    others: {},
  });
});

test("a filter limits the search to what has such a property", () => {
  expect(asked("q=a&branch=main").sides).toEqual(["sessions"]);
  expect(asked("q=a&language=go")).toMatchObject({ sides: ["code"], code: { language: ["go"] } });
  expect(asked("q=a&path=src")).toMatchObject({
    sides: ["code", "sessions", "history"],
    code: { path: ["src"] },
    others: { file: ["src"] },
  });
  expect(asked("q=a&author=*")).toMatchObject({ sides: ["sessions"], others: { team: true } });
  expect(asked("q=a&author=ann%40acme.test").others).toEqual({ author: "ann@acme.test" });
  expect(asked("q=a&branch=main&language=go").sides).toEqual([]);
  expect(asked("q=a&in=code&agent=claude").sides).toEqual([]);
});

test("word by word is a question to sessions alone", () => {
  expect(asked("q=a&in=content&branch=main")).toMatchObject({
    sides: ["sessions"],
    others: { in: "content", branch: "main" },
  });
  expect(asked("q=a&in=content&language=go").sides).toEqual([]);
});

test("an unknown kind in an address is left out of the request", () => {
  expect(asked("q=a&kind=novel").others).toEqual({});
});

const code = (id: string) => ({ id, file: "a.ts", start_line: 3 });
const side = { search_time_ms: 1, notes: [], total_results: 2 };

test("results of all kinds are one list, the likeliest first, each with its address", () => {
  const found = mergeFound({
    verdict: "found",
    code: { ...side, probability: 0.5, results: [code("a"), code("b")] },
    transcripts: { ...side, probability: 0.6, results: [{ id: "c", session_id: "s/1", turn: 2 }] },
    history: { ...side, probability: 0.45, results: [{ kind: "commit", id: "d" }] },
    notes: [],
  } as never);
  expect(found.hits.map(({ key, href }) => [key, href])).toEqual([
    ["c", "#/session/s/1?turn=2"],
    ["a", "#/file/a.ts:3"],
    ["d", "#/commit/d"],
    ["b", "#/file/a.ts:3"],
  ]);
  expect(found).toMatchObject({ total: 6, verdict: "found" });
});

test("what is not read in full yet says so", () => {
  const coverage = { of: "files", done: 1, total: 8, files_read: 8 };
  const { coverages } = mergeFound({
    verdict: "not_yet",
    code: { ...side, probability: 0.5, coverage, results: [] },
    transcripts: { ...side, probability: 0, results: [] },
    history: null,
    notes: [],
  } as never);
  expect(coverages).toEqual([coverage]);
});

test("what the question names comes first, however likely the rest is", () => {
  const found = mergeFound({
    verdict: "found",
    code: { ...side, probability: 1, results: [code("a")] },
    transcripts: null,
    history: { ...side, probability: 1, is_named: true, results: [{ kind: "commit", id: "d" }] },
    notes: [],
  } as never);
  expect(found.hits.map(({ key }) => key)).toEqual(["d", "a"]);
});
