import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { asker, fewThings, vectorsFor } from "../../../test/support/search-fixture.ts";
import { PommelError } from "../../base/errors.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import type { SessionQuery } from "./types.ts";
import { sessionWeights } from "./weights.ts";

const start = Date.UTC(2026, 0, 5, 9);
const fix = "[USER] The resume test is flaky.\n\n[ASSISTANT] A retry with a longer pause mends it.";
const tried = "[ASSISTANT] First attempt: a retry without any pause for the resume test.";
const note = "[USER] Note: always retry with a pause in the resume test.";
const summed = "Worked on the resume test and its retry; the pause is longer now.";
const lunch = ["soup", "bread", "rice", "fish", "beans", "salad", "noodles", "eggs"];

let store: ReturnType<typeof temporaryMemory>;
let ask: ReturnType<typeof asker>["ask"];

beforeAll(async () => {
  store = temporaryMemory();
  const { memory } = store;
  const session = addSession(memory, "aaaa", {
    title: { text: "The flaky test", source: "agent" },
    startedAt: start,
  });
  const noted = saveNote(memory, {
    uid: "note-1",
    sessionUid: "aaaa",
    turn: 3,
    lineUid: null,
    at: start,
    source: "prompt",
    branch: "main",
    note: "always retry with a pause",
  })!;
  const at = { session: "aaaa", startedAt: start, endedAt: start + 60_000 };
  const chunks = [
    chunk(0, fix, {
      ...at,
      kind: "error-fix",
      files: ["src/resume.ts"],
      lastTurn: 2,
      vectors: await vectorsFor(fix),
    }),
    chunk(1, tried, { ...at, abandoned: true, vectors: await vectorsFor(tried) }),
    chunk(2, "We talked of nothing much", { ...at, vectors: await vectorsFor("nothing") }),
  ];
  replaceChunks(memory, session.id, { type: "raw", from: 0 }, chunks);
  const annotated = chunk(0, note, { ...at, type: "annotated", annotationId: noted });
  replaceChunks(memory, session.id, { type: "annotated", from: 0 }, [annotated]);
  const summary = chunk(0, summed, { ...at, type: "summary", firstSeq: null, lastSeq: null });
  replaceChunks(memory, session.id, { type: "summary", from: 0 }, [summary]);
  const other = addSession(memory, "bbbb");
  const talk = await Promise.all(
    lunch.map(async (dish, i) => {
      const text =
        i === 4 ? "[ASSISTANT] Old entries are evicted." : `[USER] There is ${dish} for lunch today.`;
      const vectors = await vectorsFor(text);
      return chunk(i, text, { session: "bbbb", startedAt: start + i * 1000, kind: "decision", vectors });
    }),
  );
  replaceChunks(memory, other.id, { type: "raw", from: 0 }, talk);
  ({ ask } = asker(memory, store.dir, fewThings, () => start));
});
afterAll(() => store.remove());

const ids = async (query: string, more: Partial<SessionQuery> = {}) =>
  (await ask(query, more)).results.map(({ id }) => id);

describe("an answer", () => {
  it("has its origin, its kind and the reason", async () => {
    const { results } = await ask("flaky resume test", { types: ["raw"] });
    expect(results[0]).toEqual({
      id: "aaaa:raw:0",
      source: "transcript",
      session_id: "aaaa",
      session_title: "The flaky test",
      agent: "claude",
      branch: "main",
      turn: 1,
      last_turn: 2,
      chunk_type: "raw",
      kind: "error-fix",
      event_type: "mixed",
      timestamp: "2026-01-05T09:00:00.000Z",
      score: expect.any(Number),
      annotation: null,
      snippet: fix.replace(/\s+/g, " "),
      content: fix,
      files: ["src/resume.ts"],
      freshness: "orphaned",
      abandoned: false,
      rejected: null,
      commits: [],
      more_turns: 0,
      other_turns: [],
      match_reasons: ["mentions flaky, resume, test"],
    });
  });

  it("has the best result first, with scores between 0 and 1, and the total", async () => {
    const { query, results, total_results, search_time_ms } = await ask("retry of the resume test", {
      limit: 2,
    });
    expect(query).toBe("retry of the resume test");
    expect(results).toHaveLength(2);
    expect(total_results).toBeGreaterThan(2);
    expect(search_time_ms).toBeGreaterThan(0);
    const scores = (await ask("retry of the resume test")).results.map(({ score }) => score);
    expect(scores.length).toBeGreaterThan(3);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score < 1).toBe(true);
  });

  it("says that no turn holds a quotation only where others come close", async () => {
    expect((await ask('"zzqq xxyy"')).notes).toEqual([]);
    const { results, notes } = await ask('the resume test "zzqq xxyy"');
    expect(results.length > 0).toBe(notes.length > 0);
  });

  it("puts the user's note first, with its text", async () => {
    const [first] = (await ask("retry with a pause")).results;
    expect(first).toMatchObject({
      id: "aaaa:annotated:0",
      annotation: "always retry with a pause",
      match_reasons: expect.arrayContaining(["mentions retry, pause"]),
    });
  });

  it("prefers a summary for a broad question, not for a detail", async () => {
    const summaryFor = async (query: string) => {
      const { results } = await ask(query, { explain: true });
      return results.find(({ chunk_type }) => chunk_type === "summary")!;
    };
    const [large, detail] = [
      await summaryFor("overview of the resume test"),
      await summaryFor("the resume test"),
    ];
    expect(large.score).toBeGreaterThan(detail.score);
    expect([large.signals!.kind, detail.signals!.kind]).toEqual([1.2, 0.8]);
  });

  it("marks an abandoned branch", async () => {
    const { results } = await ask("first attempt", { types: ["raw"] });
    expect(results[0]).toMatchObject({ id: "aaaa:raw:1", abandoned: true });
  });

  it("explains itself when asked to", async () => {
    const { results } = await ask("flaky resume test", { explain: true });
    for (const { signals, score } of results) {
      const { kind, recency, reverted, session_asked, session_summary, session_nearness, ...others } =
        signals!;
      // What the verdict goes by is no part of the score.
      const { held: _held, near: _near, ...ofChunks } = others;
      const chunks = Object.values(ofChunks).reduce((a, b) => a + b, 0) * kind!;
      const ofSession = session_asked! + session_summary! + session_nearness!;
      const sum = (chunks + ofSession) * recency! * reverted!;
      expect(score).toBeCloseTo(sum / (sum + sessionWeights.halfScore), 3);
    }
    expect(results[0]!.signals!.words).toBeGreaterThan(0);
    expect((await ask("flaky resume test")).results[0]).not.toHaveProperty("signals");
  });
});

describe("modes", () => {
  it("hybrid finds by words and by meaning", async () => {
    const { results, searched_by, notes } = await ask("forget bread");
    expect(
      results
        .slice(0, 2)
        .map(({ content }) => content)
        .sort(),
    ).toEqual(["[ASSISTANT] Old entries are evicted.", "[USER] There is bread for lunch today."]);
    expect([searched_by, notes]).toEqual([["words", "few-things"], []]);
  });

  it("fts finds by words alone", async () => {
    expect(await ids("forget bread", { mode: "fts" })).toEqual(["bbbb:raw:1"]);
    expect((await ask("bread", { mode: "fts" })).searched_by).toEqual(["words"]);
  });

  it("semantic finds by meaning alone", async () => {
    expect((await ids("forget bread", { mode: "semantic" }))[0]).toBe("bbbb:raw:4");
    expect(await ids("forget bread", { mode: "semantic" })).not.toContain("bbbb:raw:1");
    expect((await ask("bread", { mode: "semantic" })).searched_by).toEqual([]);
  });

  it("finds by words without a model", async () => {
    const { results, searched_by } = await asker(store.memory, store.dir, null).ask("bread");
    expect(results.map(({ id }) => id)).toEqual(["bbbb:raw:1"]);
    expect(searched_by).toEqual(["words"]);
  });

  it("finds by words when a model fails, and says so", async () => {
    const embed = async () => {
      throw new PommelError("embedder_unavailable", "The model is gone.", "Install it.");
    };
    const { results, searched_by, notes } = await asker(store.memory, store.dir, { ...fewThings, embed }).ask(
      "bread",
    );
    expect(results.map(({ id }) => id)).toEqual(["bbbb:raw:1"]);
    expect([searched_by, notes]).toEqual([["words"], ["The model is gone. Install it."]]);
  });
});

describe("a pattern", () => {
  const byPattern = (query: string, more: Partial<SessionQuery> = {}) =>
    ask(query, { mode: "regex", ...more });

  it("finds the newest that match, and shows where", async () => {
    const { results, total_results, searched_by } = await byPattern("there is \\w+ for", { limit: 3 });
    expect(results.map(({ id }) => id)).toEqual(["bbbb:raw:7", "bbbb:raw:6", "bbbb:raw:5"]);
    expect([total_results, searched_by]).toEqual([7, ["pattern"]]);
    expect(results[0]).toMatchObject({
      score: 1,
      match_reasons: ["matches the pattern"],
      timestamp: expect.any(String),
    });
    expect(results[0]!.snippet).toContain("There is eggs for");
  });

  it.each([
    ["there is bread", 1],
    ["There is bread", 1],
    ["there IS bread", 0],
    ["\\Sread for", 1],
    ["^\\[assistant\\] a retry", 1],
    ["b.ead|s[ou]{2}p", 2],
  ])("%s counts letter case only with a capital letter", async (pattern, total) => {
    expect((await byPattern(pattern)).total_results).toBe(total);
  });

  it.each(["(", "(?=a)b", "a\\1", "*"])("%s is invalid", async (pattern) => {
    await expect(byPattern(pattern)).rejects.toMatchObject({
      code: "usage",
      message: expect.not.stringContaining("(?i)"),
      hint: expect.stringContaining("RE2"),
    });
  });
});

it.each(["", "  ", "?!", "--"])("%j holds no word to search for", async (query) => {
  await expect(ask(query)).rejects.toMatchObject({ code: "usage", hint: expect.any(String) });
});

it("frees memory, and reloads it for the next search", async () => {
  const close = vi.fn(async () => {});
  const { search, ask } = asker(store.memory, store.dir, { ...fewThings, close });
  const { search_time_ms: _, ...before } = await ask("forget bread");
  await search.release();
  expect(close).toHaveBeenCalledOnce();
  expect(await ask("forget bread")).toMatchObject(before);
});
