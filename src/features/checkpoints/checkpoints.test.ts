import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  firstCommitAt,
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { resolveCheckpoint } from "../../answers/named-commit.ts";
import { backfill } from "../../attribution/checkpoints/backfill.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { expireSessions } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { backfillHere, listStoredCheckpoints, showCheckpoint } from "./checkpoints.ts";
import { diffCheckpoints, streamGitDiff } from "./compare-checkpoints.ts";

let repo: Repository;
let hashes: string[];
beforeEach(async () => {
  repo = temporaryRepository();
  rememberSession(repo.memory, "one", ["make it", "make it faster"], {
    title: { text: "Fast", source: "agent" },
  });
  rememberSession(repo.memory, "two", ["write the docs"]);
  hashes = [
    repo.commit("base", { "a.ts": "1\n", "old.ts": "a\nb\nc\n" }),
    repo.commit("first", { "a.ts": "1\n2 // one:1\nby hand\n", "logo.png": "\0png" }),
    repo.commit("second", { "b.ts": "3 // one:2\n", "docs.md": "4 // two:1\n" }),
  ];
  repo.git("mv", "old.ts", "new.ts");
  hashes.push(repo.commit("moved"));
  await backfill(repo.work);
});
afterEach(() => repo.remove());

const show = (name: string) => showCheckpoint(repo.work.project, repo.memory, name);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "found",
    (error) => error.code ?? error,
  );

it("lists checkpoints with who led to them", async () => {
  const { checkpoints, total } = await listStoredCheckpoints(repo.memory, { limit: 1 });
  expect(total).toBe(2);
  expect(checkpoints).toEqual([
    {
      id: hashes[2]!.slice(0, 12),
      commit: hashes[2],
      tree: repo.git("rev-parse", `${hashes[2]}^{tree}`),
      branch: "main",
      parent_id: hashes[1]!.slice(0, 12),
      author: "Ann",
      subject: "second",
      committed_at: new Date((firstCommitAt + 120) * 1000).toISOString(),
      insertions: 2,
      deletions: 0,
      lines: { agent: 2, human: 0, unknown: 0 },
      sessions: [
        {
          session_id: "one",
          title: "Fast",
          agent: "claude",
          turns: [2],
          lines: 1,
          how: "lines",
          confidence: 1,
        },
        {
          session_id: "two",
          title: null,
          agent: "claude",
          turns: [1],
          lines: 1,
          how: "lines",
          confidence: 1,
        },
      ],
      rewritten_as: [],
    },
  ]);
  const subjects = async (request: Parameters<typeof listStoredCheckpoints>[1]) =>
    (await listStoredCheckpoints(repo.memory, request)).checkpoints.map(({ subject }) => subject);
  expect(await subjects({ session: "tw" })).toEqual(["second"]);
  expect(await subjects({ branch: "topic" })).toEqual([]);
  expect(await subjects({ until: new Date((firstCommitAt + 60) * 1000).toISOString() })).toEqual(["first"]);
  expect(await codeOf(listStoredCheckpoints(repo.memory, { session: "three" }))).toBe("not_found");
  expect(await codeOf(listStoredCheckpoints(repo.memory, { since: "nonsense" }))).toBe("usage");
});

it("shows a checkpoint by whatever a person calls it", async () => {
  const id = hashes[1]!.slice(0, 12);
  repo.git("tag", "v1", hashes[1]!);
  const answer = await show("v1");
  expect(answer).toMatchObject({
    id,
    parents: [hashes[0]],
    parent_id: null,
    next_ids: [hashes[2]!.slice(0, 12)],
    diff_summary: "2 files, +2 -0: a.ts (+2 -0), logo.png",
    lines: { agent: 1, human: 1, unknown: 0 },
    files: [
      { path: "a.ts", status: "M", insertions: 2, lines: { agent: 1, human: 1, unknown: 0 } },
      { path: "logo.png", status: "A", insertions: 0, lines: { agent: 0, human: 0, unknown: 0 } },
    ],
    sessions: [{ session_id: "one", turns: [{ turn: 1, prompt: "make it" }] }],
    agent_state: { one: { turn: 2, said: "Done: make it faster" } },
  });
  for (const name of [id, id.slice(0, 6), hashes[1]!, hashes[1]!.slice(0, 8), "HEAD~2", "main~2"]) {
    expect(await show(name)).toEqual(answer);
  }
  // A commit without a session, and names of nothing.
  for (const name of ["HEAD", hashes[0]!, "nothing", "", "--all", "HEAD:a.ts"]) {
    expect([name, await codeOf(show(name))]).toEqual([name, "not_found"]);
  }
});

it("still names the prompts of pruned turns, as far as they were kept", async () => {
  expireSessions(repo.memory, [findSessionByUid(repo.memory, "one")!.id]);
  const { sessions, agent_state } = await show("HEAD~2");
  expect(sessions[0]?.turns).toEqual([{ turn: 1, prompt: null, started_at: null }]);
  expect(agent_state).toMatchObject({ one: { prompt: "make it faster" } });
});

it("shows which commit replaced that of a checkpoint", async () => {
  repo.git("reset", "--quiet", "--hard", hashes[1]!);
  repo.git("commit", "--quiet", "--amend", "--message", "amended");
  const amended = repo.git("rev-parse", "HEAD");
  await recordCommit(repo.work, amended, { seen: "hook", rewrittenFrom: [hashes[1]!] });
  expect((await show(hashes[1]!)).rewritten_as).toEqual([amended]);
});

describe("comparing", () => {
  const diff = (from: string, to: string) => diffCheckpoints(repo.work.project, repo.memory, { from, to });

  it("names files and the sessions in between", async () => {
    const answer = await diff("HEAD~3", "HEAD");
    expect(answer).toMatchObject({
      from: { id: null, commit: hashes[0], subject: "base" },
      to: { id: null, commit: hashes[3], subject: "moved" },
      insertions: 4,
      deletions: 0,
    });
    expect(answer.files).toEqual([
      { path: "a.ts", old_path: null, insertions: 2, deletions: 0 },
      { path: "b.ts", old_path: null, insertions: 1, deletions: 0 },
      { path: "docs.md", old_path: null, insertions: 1, deletions: 0 },
      { path: "logo.png", old_path: null, insertions: null, deletions: null },
      { path: "new.ts", old_path: "old.ts", insertions: 0, deletions: 0 },
    ]);
    expect(answer.sessions).toMatchObject([
      { session_id: "one", side: "to", turns: [{ turn: 1 }, { turn: 2, prompt: "make it faster" }] },
      { session_id: "two", side: "to", checkpoints: [hashes[2]!.slice(0, 12)] },
    ]);
    const back = await diff(hashes[2]!, hashes[1]!.slice(0, 12).slice(0, 7));
    expect(back.sessions.map(({ session_id, side }) => `${session_id} ${side}`)).toEqual([
      "one from",
      "two from",
    ]);
    expect(await diff("HEAD", "HEAD")).toMatchObject({ files: [], sessions: [] });
  });

  it("passes on git's output", async () => {
    const sides = { from: hashes[2]!, to: hashes[3]! };
    const said = async (patch: boolean) => {
      const parts: Buffer[] = [];
      const how = { patch, color: false, columns: 80 };
      for await (const part of streamGitDiff(repo.work.project, sides, how)) parts.push(part);
      return Buffer.concat(parts).toString();
    };
    expect(await said(false)).toContain("old.ts => new.ts | 0");
    expect(await said(true)).toContain("rename to new.ts");
  });

  it("reports that git lacks a side", async () => {
    const clone = realpathSync(mkdtempSync(join(tmpdir(), "pommel-clone-")));
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repo.root}`, clone], { stdio: "pipe" });
    const project = { ...repo.work.project, root: clone };
    await expect(diffCheckpoints(project, repo.memory, { from: hashes[1]!, to: "HEAD" })).rejects.toThrow(
      "is not in this repository",
    );
    await expect(resolveCheckpoint(project, repo.memory, "HEAD~1")).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("--unshallow"),
    });
    rmSync(clone, { recursive: true });
  });
});

it("goes over history in this process", async () => {
  const report = await backfillHere(repo.work.project, { all: true });
  expect(report).toEqual({ commits: 4, lookedAt: 0, checkpoints: 0, isInterrupted: false, isShallow: false });
  expect(await codeOf(backfillHere(repo.work.project, { since: "nonsense" }))).toBe("usage");
  rmSync(join(repo.root, ".git"), { recursive: true });
  await expect(backfillHere(repo.work.project, {})).rejects.toMatchObject({
    code: "no_git_history",
    hint: expect.stringContaining("git init"),
  });
});
