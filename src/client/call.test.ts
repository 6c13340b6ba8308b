import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { addSession, chunk } from "../../test/support/memory-fixture.ts";
import { namedProject } from "../../test/support/named-project.ts";
import { describeDaemon } from "../answers/daemon/operation.ts";
import { withMemory } from "../answers/open.ts";
import { run } from "../answers/run.ts";
import type { Project } from "../base/paths.ts";
import { listNotes, writeNote } from "../features/notes/operation.ts";
import { searchAll, searchCode, searchTranscripts } from "../features/search/operation.ts";
import { showSession } from "../features/sessions/operation.ts";
import { showStatus } from "../features/status/operation.ts";
import { SqliteIndex } from "../store/index/sqlite/sqlite-index.ts";
import { replaceChunks } from "../store/memory/chunks/chunks.ts";
import { Memory } from "../store/memory/memory.ts";

vi.mock("./daemon-client.ts", async (original) => {
  const actual = await original<typeof import("./daemon-client.ts")>();
  return { ...actual, callDaemon: vi.fn(actual.callDaemon) };
});

// Other tests of this process have loaded the door with the real client.
let call: typeof import("./call.ts").call;
let callDaemon: typeof import("./daemon-client.ts").callDaemon;
let DaemonUnreachable: typeof import("./daemon-client.ts").DaemonUnreachable;
beforeAll(async () => {
  vi.resetModules();
  ({ callDaemon, DaemonUnreachable } = await import("./daemon-client.ts"));
  ({ call } = await import("./call.ts"));
});

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
    expect(() => used!.readVersion()).toThrow(/not open|finalized/);
  });
});

it("answers without a daemon, and says why", async () => {
  remember();
  const onHere = vi.fn();
  const { session } = await call(showSession, { id: "ab" }, project, { onHere });
  expect(session.id).toBe("abc");
  expect(onHere).toHaveBeenCalledExactlyOnceWith("not_running");
});

it("fails without a daemon where only a daemon can answer, or is wanted", async () => {
  const unreachable = { code: "daemon_unreachable", reason: "not_running" };
  await expect(call(describeDaemon, {}, null)).rejects.toMatchObject(unreachable);
  await expect(call(showStatus, {}, project, { without: "fail" })).rejects.toMatchObject(unreachable);
});

it("changes nothing that a daemon which takes long may be changing", async () => {
  remember();
  const hangs = new DaemonUnreachable("timeout", "It hangs.");
  vi.mocked(callDaemon).mockRejectedValueOnce(hangs).mockRejectedValueOnce(hangs);
  await expect(call(writeNote, { note: "Keep it" }, project)).rejects.toBe(hangs);
  await expect(call(listNotes, {}, project)).resolves.toMatchObject({ total: 0 });
});

it("has a daemon start, and answers meanwhile, where a search would be the first in a project", async () => {
  const startInBackground = vi.fn(async () => true);
  vi.doMock("./autostart.ts", () => ({ startInBackground }));
  writeFileSync(join(project.root, "retry.ts"), "export function retry() {}\n");
  const onHere = vi.fn();
  const { results } = await call(searchCode, { q: "retry" }, project, { onHere });
  expect(results).toMatchObject([{ file: "retry.ts" }]);
  expect(startInBackground).toHaveBeenCalledExactlyOnceWith({ place: project.root });
  expect(onHere).not.toHaveBeenCalled();
  vi.doUnmock("./autostart.ts");
});

describe("searching without a daemon", () => {
  it("finds what sessions say", async () => {
    remember();
    expect(await run(searchTranscripts, project, { q: "retry" })).toMatchObject({
      results: [{ content: "The retry was flaky" }],
      memory: { pending: null },
    });
  });

  it("searches code alone where there is no memory", async () => {
    indexNothing();
    expect(await run(searchAll, project, { q: "retry" })).toMatchObject({
      scope: "all",
      query: "retry",
      code: { results: [] },
      transcripts: null,
      notes: [],
    });
  });

  it("reads the files where nothing is indexed", async () => {
    remember();
    writeFileSync(join(project.root, "retry.ts"), "export function retry() {}\n");
    expect(await run(searchAll, project, { q: "retry" })).toMatchObject({
      code: {
        verdict: "not_yet",
        coverage: { done: 0, total: 1 },
        results: [{ file: "retry.ts", name: "retry" }],
      },
      transcripts: { total_results: 1 },
      notes: [],
    });
  });

  it("names the side that it could not search", async () => {
    indexNothing();
    writeFileSync(project.memoryDb, "no database".repeat(100));
    expect(await run(searchAll, project, { q: "retry" })).toMatchObject({
      code: { results: [] },
      transcripts: null,
      notes: [expect.stringContaining("is damaged")],
    });
  });

  it("fails for an invalid query", async () => {
    remember();
    indexNothing();
    const wrong = { q: "retry", since: "whenever" };
    await expect(run(searchAll, project, wrong)).rejects.toMatchObject({ code: "usage" });
    const unknown = { q: "retry", session: "nobody's" };
    await expect(run(searchAll, project, unknown)).rejects.toMatchObject({ code: "not_found" });
  });
});

it("sends no answer that nobody waits for any more", async () => {
  remember();
  const signal = AbortSignal.abort();
  await expect(call(showSession, { id: "ab" }, project, { signal })).rejects.toBe(signal.reason);
});

it("is patient with a daemon that hangs once, and again when it answers", async () => {
  const answers = [null, new DaemonUnreachable("timeout", "It hangs."), null, null];
  const limits: (number | undefined)[] = [];
  vi.mocked(callDaemon).mockResolvedValueOnce({} as never);
  await call(showStatus, {}, project, { without: "fail" });
  for (const answer of answers) {
    vi.mocked(callDaemon).mockImplementationOnce((async (_place, _route, _request, limit) => {
      limits.push(limit);
      if (answer) throw answer;
      return answer;
    }) as typeof callDaemon);
    await call(showStatus, {}, project, { without: "fail" }).catch(() => null);
  }
  expect(limits).toEqual([10_000, 10_000, 500, 10_000]);
});
