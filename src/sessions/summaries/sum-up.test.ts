import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { edited, prompt, summary, text } from "../../../test/support/turn-fixture.ts";
import type { Llm } from "../../models/generate/llm.ts";
import { findSessionByUid, listSessions, saveSession } from "../../store/memory/sessions/sessions.ts";
import {
  findBestSummaries,
  listSummaries,
  readTopicsOfSessions,
} from "../../store/memory/sessions/summaries.ts";
import { sumUpSession } from "./sum-up.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

const llm = (answer: string | Error): Llm => ({
  id: "fake/model",
  async generate(_request, signal) {
    signal?.throwIfAborted();
    if (answer instanceof Error) throw answer;
    return { text: answer, inputTokens: 1, outputTokens: 1, dollars: 0 };
  },
});
const written =
  "Title: Resume keeps its session\n\nThe resume command lost its session; the daemon takes the lock now.";

const long = [
  prompt("Why does the resume command lose its session after a restart?"),
  text(
    `The root cause is that the session store is opened before the lock is taken. ${"More was said. ".repeat(70)}`,
  ),
  summary("Summary:\nThe resume command was looked at, and the lock."),
  prompt("Take the lock in the daemon instead of the command line"),
  edited("/repo/src/lock.ts", "old", "new"),
  text("The daemon takes the lock now, and the resume command keeps its session."),
];

const stored = (uid = "s") => {
  const { id } = findSessionByUid(stage.memory, uid)!;
  return {
    summaries: listSummaries(stage.memory, id).map(({ source, upToTurn, model }) => [
      source,
      upToTurn,
      model,
    ]),
    chunks: stage.chunkTexts(id).filter(({ type }) => type === "summary"),
  };
};

describe("a session that is summed up", () => {
  it("has its extract and the agent's own summaries, and is found by both", async () => {
    const { id } = await stage.store("s", ...long);
    const result = await sumUpSession({ ...stage.work, llm: null }, "s");
    expect(result).toEqual({
      summaries: 2,
      chunks: stored().chunks.length,
      title: "Why does the resume command lose its session after a restart?",
    });
    const { summaries, chunks } = stored();
    expect(chunks.length).toBeGreaterThan(1);
    expect(summaries).toEqual([
      ["extractive", 2, null],
      ["compaction", 1, null],
    ]);
    expect(chunks.map(({ uid }) => uid)).toEqual(chunks.map((_, i) => `s:summary:${i}`));
    expect(chunks[0]).toMatchObject({ firstTurn: 1, lastTurn: 2, text: expect.stringContaining("Asked:") });
    expect(chunks.at(-1)).toMatchObject({ lastTurn: 1, text: expect.stringContaining("was looked at") });
    const vectors = stage.memory.prepare("SELECT count(*) FROM vectors").pluck().get();
    expect(vectors).toBe(stage.chunkTexts(id).length);
  });

  it("has topics, which go with its turns", async () => {
    const asked = prompt("Why is the token cache empty after a restart?");
    const { id } = await stage.store(
      "s",
      asked,
      text("The token cache is never written."),
      prompt("do it now"),
    );
    await sumUpSession({ ...stage.work, llm: null }, "s");
    expect(readTopicsOfSessions(stage.memory, [id]).get(id)).toEqual(["token cache"]);
    expect(listSessions(stage.memory, { topic: "TOKEN" }).map(({ uid }) => uid)).toEqual(["s"]);
    expect(listSessions(stage.memory, { topic: "parser" })).toEqual([]);
    stage.memory.runInTransaction(() => stage.memory.prepare("DELETE FROM turns WHERE number = 2").run());
    expect(readTopicsOfSessions(stage.memory, [id])).toEqual(new Map());
  });

  it("stays the same when it is summed up again, to the row", async () => {
    await stage.store("s", ...long);
    const rows = () =>
      ["summaries", "chunks", "vectors", "session_topics"].map((table) => stage.rowsOf(table));
    await sumUpSession({ ...stage.work, llm: null }, "s");
    const before = rows();
    expect(await sumUpSession({ ...stage.work, llm: null }, "s")).toMatchObject({ summaries: 0 });
    expect(rows()).toEqual(before);
  });

  it("keeps of its own summaries the one that covers most", async () => {
    await stage.store("s", ...long);
    await sumUpSession({ ...stage.work, llm: null }, "s");
    const { id } = findSessionByUid(stage.memory, "s")!;
    stage.memory.prepare("UPDATE summaries SET up_to_turn = 1 WHERE source = 'extractive'").run();
    await sumUpSession({ ...stage.work, llm: null }, "s");
    expect(listSummaries(stage.memory, id).filter(({ source }) => source === "extractive")).toHaveLength(1);
  });
});

describe("a language model", () => {
  it("is asked only if it is wanted, and names the session", async () => {
    const { id } = await stage.store("s", ...long);
    await sumUpSession({ ...stage.work, llm: null }, "s");
    expect(stored().summaries).toHaveLength(2);
    const result = await sumUpSession({ ...stage.work, llm: llm(written) }, "s");
    expect(result).toMatchObject({ summaries: 1, title: "Resume keeps its session" });
    expect(findBestSummaries(stage.memory, [id]).get(id)).toMatchObject({
      source: "llm",
      model: "fake/model",
    });
    expect(stored().chunks[0]?.text).toContain("The resume command lost its session");
  });

  it("does not take the title that the user chose", async () => {
    await stage.store("s", ...long);
    saveSession(stage.memory, {
      uid: "s",
      agent: "claude",
      cwd: "/repo",
      title: { text: "Mine", source: "user" },
    });
    const result = await sumUpSession({ ...stage.work, llm: llm(written) }, "s");
    expect(result?.title).toBe("Mine");
  });

  it("that fails leaves the extract", async () => {
    await stage.store("s", ...long);
    const failing = llm(new Error("gone"));
    expect(await sumUpSession({ ...stage.work, llm: failing }, "s")).toMatchObject({
      summaries: 2,
    });
  });

  it("stops waiting when it is aborted", async () => {
    await stage.store("s", ...long);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(sumUpSession({ ...stage.work, llm: llm(written) }, "s", { signal })).rejects.toBe(reason);
  });
});

it("says nothing twice: a session of a few words has no chunk of its summary", async () => {
  await stage.store("s", prompt("Rename the flag to --quiet in the parser"), text("Renamed it."));
  expect(await sumUpSession({ ...stage.work, llm: null }, "s")).toMatchObject({ summaries: 1, chunks: 0 });
});

it("skips sessions without turns", async () => {
  saveSession(stage.memory, { uid: "empty", agent: "claude", cwd: "/repo" });
  expect(await sumUpSession({ ...stage.work, llm: null }, "empty")).toBeNull();
  expect(await sumUpSession({ ...stage.work, llm: null }, "unknown")).toBeNull();
});
