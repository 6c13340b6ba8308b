import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import type { GitHookItem } from "../../protocol/spool-items.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { makeGitHookHandler } from "./git-events.ts";
import type { MemoryWork } from "./memory-work.ts";

let stored: ReturnType<typeof temporaryMemory>;
let dir: string;
let readOn: ReturnType<typeof vi.fn<MemoryWork["readOn"]>>;

beforeEach(() => {
  stored = temporaryMemory();
  dir = newRepository().dir;
  readOn = vi.fn();
});
afterEach(() => stored.remove());

const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];

function take(
  hook: GitHookItem["hook"],
  payload: Partial<GitHookItem["payload"]>,
  { config = {}, bindsCommits = true }: { config?: Partial<Config>; bindsCommits?: boolean } = {},
) {
  const work = { bindsCommits, memory: stored.memory, hasNews: () => true, readOn, wake: () => {} };
  const handle = makeGitHookHandler({ work, config: { ...makeDefaultConfig(), ...config } });
  return handle({
    kind: "git-hook",
    place: "/repo",
    hook,
    received_at: 1_000_000,
    payload: { cwd: dir, ...payload },
  });
}

const jobs = () => listJobs(stored.memory).map(({ kind, subject, payload }) => [kind, subject, payload]);

test("a commit waits until the messages of active sessions are read", async () => {
  const path = join(stored.dir, "s.jsonl");
  writeFileSync(path, "{}\n");
  const known = { agent: "claude", offset: 0, lineHash: "", size: 0, readAt: 0, skipped: {} };
  for (const [uid, lastAt, file] of [
    ["s", 990_000, path],
    ["gone", 990_000, join(stored.dir, "gone.jsonl")],
    ["old", -5_000_000, join(stored.dir, "old.jsonl")],
  ] as const) {
    saveTranscript(stored.memory, {
      ...known,
      path: file,
      sessionId: addSession(stored.memory, uid, { lastAt }).id,
    });
  }
  await take("post-commit", { head: a, branch: "main" });
  expect(readOn.mock.calls.map(([file]) => file)).toEqual([path]);
  expect(jobs()).toEqual([["commit", a, { seen: "hook", branch: "main", at: 1_000_000 }]]);
});

test("a rewritten commit is recorded with the commits that it replaced", async () => {
  await take("post-commit", { head: c, branch: "main" });
  await take("post-rewrite", {
    command: "rebase",
    rewritten: [
      [a, c],
      [b, c],
    ],
  });
  expect(jobs()).toEqual([
    ["commit", c, { seen: "hook", branch: "main", rewrittenFrom: [a, b], at: 1_000_000 }],
  ]);
});

test("intermediate commits of a rebase are ignored until its end", async () => {
  mkdirSync(join(dir, ".git/rebase-merge"));
  await take("post-commit", { head: a });
  expect(jobs()).toEqual([]);
  await take("post-rewrite", { command: "rebase", rewritten: [[a, b]] });
  expect(jobs().map(([kind, subject]) => [kind, subject])).toEqual([["commit", b]]);
});

test("a push is followed by sharing only where that is wanted, and through that remote", async () => {
  await take("pre-push", { remote: "origin" });
  await take("pre-push", {}, { config: { "sync.on_push": true } });
  await take("pre-push", { remote: "fork" }, { config: { "sync.on_push": true } });
  expect(jobs()).toEqual([]);
  await take("pre-push", { remote: "origin" }, { config: { "sync.on_push": true } });
  expect(jobs()).toEqual([["sync", "origin", {}]]);
});

test("a commit without a hash is looked up; where commits are not linked to sessions nothing is", async () => {
  await take("post-commit", { head: a }, { bindsCommits: false });
  expect(jobs()).toEqual([]);
  rmSync(join(dir, ".git"), { recursive: true });
  await take("post-commit", {});
  expect(jobs().map(([kind]) => kind)).toEqual(["history"]);
});
