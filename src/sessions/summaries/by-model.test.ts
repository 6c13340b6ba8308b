import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { prompt, text } from "../../../test/support/turn-fixture.ts";
import { PommelError } from "../../base/errors.ts";
import type { Llm, LlmRequest } from "../../models/generate/llm.ts";
import { RequestFailed } from "../../models/http/request.ts";
import { forgetNow } from "../forget/forget.ts";
import { SessionSearch } from "../search/engine.ts";
import { openQuery } from "../search/types.ts";
import { findNextModelSummaryTime, summariseNext } from "./by-model.ts";
import { sumUpSession } from "./sum-up.ts";

type ModelSummaryOptions = Parameters<typeof summariseNext>[0];

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

const failed = (kind: RequestFailed["kind"], status = 0) =>
  new PommelError("llm_unavailable", kind, "", { cause: new RequestFailed(kind, kind, { status }) });

const ofSession =
  "Title: Stable tokens\nTopics: token cache\n\nThe token cache was lost at a restart; it is stored now.";
const ofChunk = "The token cache was empty after a restart because it was never written.";

/** Answers what it is asked in turn, then as a model would. */
function model(...first: (string | Error)[]): Llm & { requests: LlmRequest[] } {
  const requests: LlmRequest[] = [];
  return {
    id: "fake/model",
    requests,
    async generate(request) {
      requests.push(request);
      const answer =
        first.shift() ?? (request.prompt.startsWith("Summarize this part") ? ofChunk : ofSession);
      if (answer instanceof Error) throw answer;
      return { text: answer, inputTokens: 1, outputTokens: 1, dollars: 0 };
    },
  };
}

const options = (llm: Llm, withChunks = true): ModelSummaryOptions => ({ ...stage.work, llm, withChunks });

/** Days after the fixtures' conversations. */
const later = Date.UTC(2030, 0, 1);

const store = async (uid: string) => {
  const session = await stage.store(
    uid,
    prompt("Why is the token cache empty after a restart?"),
    text(
      `The token cache is never written. ${"It is only held in memory, by the session store. ".repeat(9)}`,
    ),
    prompt("Write it to the disk then."),
    text("The token cache is stored in a file now."),
  );
  await sumUpSession({ ...stage.work, llm: null }, uid);
  return session;
};

const bySource = () =>
  (stage.rowsOf("summaries") as { source: string; text: string }[]).filter(({ source }) => source === "llm");
const chunkTexts = () => (stage.rowsOf("chunk_summaries") as { text: string }[]).map(({ text }) => text);
const topics = () => (stage.rowsOf("session_topics") as { topic: string }[]).map(({ topic }) => topic);

describe("a language model", () => {
  it("sums up what was stored before it was configured, the newest first, until nothing is left", async () => {
    await store("old");
    const { id } = await store("new");
    stage.memory.prepare("UPDATE sessions SET last_at = last_at + 1 WHERE id = ?").run(id);
    const llm = model();
    await summariseNext(options(llm), { now: later });
    expect(bySource()).toMatchObject([{ session_id: id, text: expect.stringContaining("it is stored now") }]);
    expect(topics()).toContain("token cache");
    expect(findNextModelSummaryTime(options(llm), later)).toBe(later);
    await summariseNext(options(llm), { now: later });
    expect(bySource()).toHaveLength(2);
    expect(chunkTexts()).toEqual([ofChunk, ofChunk]);
    expect(findNextModelSummaryTime(options(llm), later)).toBeNull();
    const asked = llm.requests.length;
    await summariseNext(options(llm), { now: later });
    expect(llm.requests).toHaveLength(asked);
  });

  it("is asked about chunks only where that is wanted", async () => {
    await store("s");
    const llm = model();
    await summariseNext(options(llm, false), { now: later });
    expect(llm.requests).toHaveLength(1);
    expect(chunkTexts()).toEqual([]);
  });

  it("is asked again when it was away, and not about what it cannot answer", async () => {
    await store("s");
    for (const away of [failed("unreachable"), failed("status", 503), failed("status", 429)])
      await expect(summariseNext(options(model(away)), { now: later })).rejects.toBe(away);
    expect(findNextModelSummaryTime(options(model()), later)).toBe(later);
    const llm = model("I'm sorry, I can't.", failed("status", 400));
    await summariseNext(options(llm), { now: later });
    expect(llm.requests).toHaveLength(2);
    expect(bySource()).toEqual([]);
    expect(chunkTexts()).toEqual([""]);
    expect(findNextModelSummaryTime(options(llm), later)).toBeNull();
    // It may know better by then.
    const weeks = later + 14 * 86_400_000;
    expect(findNextModelSummaryTime(options(llm), weeks)).toBe(weeks);
  });

  it("waits until a session is over or rests", async () => {
    const { id, lastAt } = await store("s");
    expect(findNextModelSummaryTime(options(model()), lastAt!)).toBe(lastAt! + 3_600_000);
    stage.memory.prepare("UPDATE sessions SET ended_at = ? WHERE id = ?").run(lastAt, id);
    expect(findNextModelSummaryTime(options(model()), lastAt!)).toBe(lastAt);
  });

  it("is not shown what a colleague shared", async () => {
    await store("s");
    stage.memory.prepare("UPDATE sessions SET author = 'Ada'").run();
    expect(findNextModelSummaryTime(options(model()), later)).toBeNull();
  });

  it("loses what it wrote when that is forgotten", async () => {
    await store("s");
    await summariseNext(options(model()), { now: later });
    await forgetNow(stage.work, { pattern: "token cache" });
    expect(JSON.stringify([topics(), chunkTexts(), bySource()])).not.toContain("token cache");
    await forgetNow(stage.work, { session: "s" });
    expect([topics(), chunkTexts(), bySource()]).toEqual([[], [], []]);
  });
});

it("shows a chunk's summary where it holds no less of the question than the passage", async () => {
  await store("s");
  const search = new SessionSearch({ root: "/repo", memory: stage.memory, embedder: null });
  const ask = async (query: string) => {
    const { results } = await search.search({ ...openQuery, query });
    return results.find(({ turn }) => turn === 1);
  };
  expect(await ask("empty token cache")).not.toHaveProperty("summary");
  await summariseNext(options(model()), { now: later });
  expect(await ask("empty token cache")).toMatchObject({ summary: ofChunk });
  expect(await ask("token cache held by the session store")).not.toHaveProperty("summary");
});
