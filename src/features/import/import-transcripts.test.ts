import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { findAgentByName } from "../../agents/registry.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { daemonOwner } from "../../protocol/daemon-record.ts";
import { claimJob, enqueue, fail, finish } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import { acquireLock } from "../../store/sqlite/lock.ts";
import { followImport, previewTranscripts } from "./import.ts";

let project: Project;
let memory: Memory;
beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-follow-")));
  memory = Memory.open(project.memoryDb, { readonly: false });
});
afterEach(() => {
  vi.restoreAllMocks();
  memory.close();
  rmSync(project.root, { recursive: true, force: true });
});

const files = ["/t/a.jsonl", "/t/b.jsonl"].map((path) => ({
  path,
  left: 100,
  session: path,
  size: 100,
  mtimeMs: 0,
  startedAt: null,
  urgency: 0,
}));
const follow = (signal = new AbortController().signal, onProgress = () => {}) =>
  followImport(project, files, { signal, onProgress });

/** Each look at the clock is some seconds after the one before: with every look at the queue, the daemon is looked for. */
function hurry(): void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => (now += 5000));
}

it("previews an import while another process creates the memory", async () => {
  const created = namedProject(mkdtempSync(join(tmpdir(), "pommel-created-")));
  mkdirSync(dirname(created.memoryDb), { recursive: true });
  writeFileSync(created.memoryDb, "");
  const preview = await previewTranscripts(created, {
    agent: findAgentByName("claude")!,
    places: [created.root],
    since: null,
    allProjects: true,
  });
  expect(preview).toMatchObject({ files: [], sessions: 0 });
  rmSync(created.root, { recursive: true, force: true });
});

it("waits until every transcript is read, and says which could not be", async () => {
  for (const { path } of files) enqueue(memory, { kind: "transcript", subject: path, total: 100 });
  enqueue(memory, { kind: "summary", subject: "s" });
  const followed = follow();
  const first = claimJob(memory, "me", { kinds: ["transcript"] })!;
  finish(memory, first, { chunks: 1, tookMs: 1 });
  // It fails after its last attempt.
  for (let now = Date.now(); ; now += 1_000_000) {
    const job = claimJob(memory, "me", { kinds: ["transcript"], now });
    if (job === null) break;
    fail(memory, job, { error: "ENOENT: it is not there", retryable: true, now });
  }
  expect(await followed).toMatchObject({
    failed: [{ path: "/t/b.jsonl", error: "ENOENT: it is not there" }],
  });
});

it("ends when aborted, and leaves the jobs to the daemon, if there is one", async () => {
  enqueue(memory, { kind: "transcript", subject: "/t/a.jsonl", total: 100 });
  await expect(follow(AbortSignal.abort())).rejects.toMatchObject({ code: "daemon_unreachable" });
  const lock = acquireLock(locateDaemonFiles().lock, daemonOwner);
  expect(await follow(AbortSignal.abort())).toBeNull();
  lock.release();
  expect(claimJob(memory, "me")).not.toBeNull();
});

it("says so when no daemon is there to read them", async () => {
  hurry();
  enqueue(memory, { kind: "transcript", subject: "/t/a.jsonl", total: 100 });
  await expect(follow()).rejects.toMatchObject({ code: "daemon_unreachable" });
});

it("waits for a daemon that is too busy to answer", async () => {
  enqueue(memory, { kind: "transcript", subject: "/t/a.jsonl", total: 100 });
  const lock = acquireLock(locateDaemonFiles().lock, daemonOwner);
  hurry();
  const looked = vi.fn();
  const followed = follow(undefined, looked);
  // More often than it would look for one that is gone.
  await vi.waitUntil(() => looked.mock.calls.length > 5, 60_000);
  finish(memory, claimJob(memory, "me", { kinds: ["transcript"] })!, { chunks: 1, tookMs: 1 });
  await expect(followed).resolves.toMatchObject({ failed: [] });
  lock.release();
});
