import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk } from "../../test/support/memory-fixture.ts";
import { namedProject } from "../../test/support/named-project.ts";
import { type Project, projectAt } from "../project/paths.ts";
import { answerFromStore } from "../queries/operations.ts";
import { SqliteIndex } from "../store/index/sqlite/sqlite-index.ts";
import { replaceChunks } from "../store/memory/chunks/chunks.ts";
import { Memory } from "../store/memory/memory.ts";
import { withMemory } from "../store/memory/with-memory.ts";
import { answer, askPatiently } from "./answer.ts";
import { type askDaemon, DaemonUnreachable } from "./daemon-client.ts";

let project: Project;
beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-memory-path-")));
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

/** Three messages in the session "abc". */
function remember(): void {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const { id } = addSession(memory, "abc", { lastAt: Date.parse("2026-03-01T10:00:00Z") });
  const output = ["The retry was flaky", "Lunch", "Colours"].map((text, i) => chunk(i, text));
  replaceChunks(memory, id, { type: "raw", from: 0 }, output);
  memory.close();
}

const indexNothing = () => SqliteIndex.open(project.indexDb, { readonly: false }).close();

describe("withMemory", () => {
  it("says what to do where there is no memory", async () => {
    await expect(withMemory(project, () => 1)).rejects.toMatchObject({
      code: "no_memory",
      message: "No sessions recorded yet.",
    });
  });

  it("reports a damaged memory, and leaves it alone", async () => {
    writeFileSync(project.memoryDb, "no database".repeat(100));
    await expect(withMemory(project, () => 1)).rejects.toMatchObject({ code: "memory_corrupt" });
  });

  it("closes it after use, whatever happens", async () => {
    remember();
    let used: Memory | null = null;
    const use = (memory: Memory) => {
      used = memory;
      throw new Error("no");
    };
    await expect(withMemory(project, use)).rejects.toThrow("no");
    expect(() => used!.version()).toThrow(/not open|finalized/);
  });
});

it("answers without a daemon, and shows how recent the memory is", async () => {
  remember();
  const asked = await answer(project, "session", { id: "ab" });
  expect(asked).toMatchObject({
    answer: { session: { id: "abc" } },
    without: "not_running",
    asOf: "2026-03-01T10:00:00.000Z",
  });
});

describe("searching without a daemon", () => {
  it("finds what sessions say", async () => {
    remember();
    expect(await answerFromStore(project, "searchTranscripts", { q: "retry" })).toMatchObject({
      results: [{ content: "The retry was flaky" }],
      memory: { pending: null },
    });
  });

  it("searches code alone where there is no memory", async () => {
    indexNothing();
    expect(await answerFromStore(project, "searchAll", { q: "retry" })).toMatchObject({
      scope: "all",
      query: "retry",
      code: { results: [] },
      transcripts: null,
      notes: [],
    });
  });

  it("names the side that it could not search", async () => {
    remember();
    expect(await answerFromStore(project, "searchAll", { q: "retry" })).toMatchObject({
      code: null,
      transcripts: { total_results: 1 },
      notes: [expect.stringContaining("No index yet")],
    });
    indexNothing();
    writeFileSync(project.memoryDb, "no database".repeat(100));
    expect(await answerFromStore(project, "searchAll", { q: "retry" })).toMatchObject({
      code: { results: [] },
      transcripts: null,
      notes: [expect.stringContaining("is damaged")],
    });
  });

  it("fails where there is nothing to search, and for an invalid query", async () => {
    await expect(answerFromStore(project, "searchAll", { q: "retry" })).rejects.toMatchObject({
      code: "not_indexed",
    });
    remember();
    indexNothing();
    const wrong = { q: "retry", since: "whenever" };
    await expect(answerFromStore(project, "searchAll", wrong)).rejects.toMatchObject({ code: "usage" });
    const unknown = { q: "retry", session: "nobody's" };
    await expect(answerFromStore(project, "searchAll", unknown)).rejects.toMatchObject({ code: "not_found" });
  });
});

it("sends no answer that nobody waits for any more", async () => {
  remember();
  const signal = AbortSignal.abort();
  await expect(answer(project, "session", { id: "ab" }, { signal })).rejects.toBe(signal.reason);
});

it("is patient with a daemon that hangs once, and again when it answers", async () => {
  const answers = [
    new DaemonUnreachable("stale", "It was killed."),
    new DaemonUnreachable("timeout", "It hangs."),
    null,
    null,
  ];
  const limits: (number | undefined)[] = [];
  const ask = (async (_project, _route, _request, limit) => {
    limits.push(limit);
    const answer = answers[limits.length - 1];
    if (answer) throw answer;
    return answer;
  }) as typeof askDaemon;
  for (const _ of answers) await askPatiently(projectAt("/hung"), "status", {}, {}, ask).catch(() => null);
  expect(limits).toEqual([10_000, 10_000, 500, 10_000]);
});
