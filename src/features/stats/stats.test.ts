import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Repository,
  rememberReadSession,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import type { SharesRequest } from "../../answers/shares.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { makeUnknownVerdict } from "../../attribution/lines/verdict.ts";
import { makeNewProject } from "../../base/paths.ts";
import { formatIsoWeek } from "../../base/text/iso-week.ts";
import { computeStats } from "./stats.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

const stats = (request: SharesRequest = {}, memory: Repository["memory"] | null = repo.memory) =>
  computeStats(makeNewProject(repo.root), memory, request);
const seen = (hash: string, rewrittenFrom: string[] = []) =>
  recordCommit(repo.work, hash, { seen: "hook", branch: "main", rewrittenFrom });

it("sums up whose lines were committed, by author, directory, week, model and session", async () => {
  rememberSession(repo.memory, "s", ["p"], { title: { text: "Making", source: "agent" } });
  await seen(repo.commit("one", { "src/client/deep/a.ts": "x // s:1\ny // s:1\nmine\n", "b.md": "mine\n" }));
  repo.wait(7 * 24 * 60);
  repo.git("config", "user.name", "Ben");
  await seen(repo.commit("two", { "src/cli/c.ts": "z // s:1\n" }));
  repo.commit("three", { "d.ts": "nobody looked\n" });
  expect(await stats()).toEqual({
    since: null,
    until: null,
    paths: [],
    recurring_errors: [],
    contested_files: [],
    commits: { in_history: 3, looked_at: 2, with_agent: 2 },
    total: { lines: 5, agent: 3, human: 2, unknown: 0, before_agents: 0 },
    by_author: [
      { author: "Ann", commits: 1, lines: 4, agent: 2, human: 2, unknown: 0, before_agents: 0 },
      { author: "Ben", commits: 1, lines: 1, agent: 1, human: 0, unknown: 0, before_agents: 0 },
    ],
    by_directory: [
      { directory: "src/client", lines: 3, agent: 2, human: 1, unknown: 0, before_agents: 0 },
      { directory: ".", lines: 1, agent: 0, human: 1, unknown: 0, before_agents: 0 },
      { directory: "src/cli", lines: 1, agent: 1, human: 0, unknown: 0, before_agents: 0 },
    ],
    by_week: [
      { week: "2026-W02", lines: 4, agent: 2, human: 2, unknown: 0, before_agents: 0 },
      { week: "2026-W03", lines: 1, agent: 1, human: 0, unknown: 0, before_agents: 0 },
    ],
    by_model: [{ model: "big-model", lines: 3 }],
    by_session: [
      { session_id: "s", session_title: "Making", agent: "claude", author: null, commits: 2, lines: 3 },
    ],
    by_colleague: [],
    notes: [
      "1 commit is not analysed yet, so these shares are not final: the daemon analyses them when it is idle, the latest first.",
    ],
  });
});

it("says whose sessions wrote the lines, where colleagues shared theirs", async () => {
  rememberSession(repo.memory, "s", ["p"]);
  rememberSession(repo.memory, "t", ["p"], { author: "bob" });
  await seen(repo.commit("one", { "a.ts": "x // s:1\n" }));
  await seen(repo.commit("two", { "b.ts": "y // t:1\nz // t:1\n" }));
  const { by_colleague, by_session } = await stats();
  expect(by_colleague).toEqual([
    { author: "bob", sessions: 1, lines: 2 },
    { author: "", sessions: 1, lines: 1 },
  ]);
  expect(by_session.map(({ session_id, author }) => [session_id, author])).toEqual([
    ["t", "bob"],
    ["s", null],
  ]);
});

it("counts again after a commit, after one that was amended, and on a rewritten branch", async () => {
  const counted = async () => {
    const { commits, total } = await stats();
    expect(await stats()).toEqual(await stats());
    return [commits.in_history, commits.looked_at, total.lines];
  };
  const one = repo.commit("one", { "a.ts": "x\n" });
  expect(await counted()).toEqual([1, 0, 0]);
  await seen(one);
  expect(await counted()).toEqual([1, 1, 1]);
  const two = repo.commit("two", { "a.ts": "x\ny\nz\n" });
  await seen(two);
  expect(await counted()).toEqual([2, 2, 3]);
  repo.git("commit", "--quiet", "--amend", "--message", "other");
  expect(await counted()).toEqual([2, 1, 1]);
  repo.git("reset", "--quiet", "--hard", two);
  expect(await counted()).toEqual([2, 2, 3]);
  expect((await stats({ paths: ["b.ts"] })).total.lines).toBe(0);
});

describe("the requested range", () => {
  beforeEach(async () => {
    rememberSession(repo.memory, "s", ["p"]);
    await seen(repo.commit("one", { "src/a.ts": "x // s:1\n", "docs/b.md": "mine\n" }));
    repo.wait(3 * 24 * 60);
    await seen(repo.commit("two", { "src/c.ts": "y\n" }));
  });

  it("is a time, paths, a depth", async () => {
    expect(await stats({ since: "2026-01-07" })).toMatchObject({
      commits: { in_history: 1, looked_at: 1, with_agent: 0 },
      total: { lines: 1, human: 1 },
    });
    expect((await stats({ until: "2026-01-07" })).total).toMatchObject({ lines: 2, agent: 1 });
    expect((await stats({ paths: ["src"] })).total).toMatchObject({ lines: 2, agent: 1, human: 1 });
    expect((await stats({ paths: ["**/*.md"] })).total).toMatchObject({ lines: 1, human: 1 });
    expect((await stats({ depth: 0 })).by_directory).toMatchObject([{ directory: ".", lines: 3 }]);
    await expect(stats({ since: "whenever that was" })).rejects.toMatchObject({ code: "usage" });
  });

  it("is HEAD's history, or everything stored", async () => {
    repo.git("switch", "--quiet", "--create", "side");
    await seen(repo.commit("three", { "src/side.ts": "z // s:1\n" }));
    repo.git("switch", "--quiet", "main");
    expect((await stats()).total.lines).toBe(3);
    expect(await stats({ all: true })).toMatchObject({
      total: { lines: 4 },
      commits: { in_history: 2, looked_at: 3 },
    });
  });
});

it("counts each line once: not again when amended, nor when picked onto another branch", async () => {
  rememberSession(repo.memory, "s", ["p"]);
  await seen(repo.commit("base", { "base.ts": "b\n" }));
  const before = repo.commit("one", { "a.ts": "x // s:1\n" });
  await seen(before);
  repo.wait(1);
  repo.git("commit", "--quiet", "--amend", "--message", "One");
  const after = repo.git("rev-parse", "HEAD");
  await seen(after, [before]);
  repo.git("switch", "--quiet", "--create", "side", "HEAD~1");
  repo.commit("other", { "other.ts": "o\n" });
  repo.git("cherry-pick", after);
  await seen(repo.git("rev-parse", "HEAD"));
  expect((await stats({ all: true })).total).toEqual({
    lines: 2,
    agent: 1,
    human: 1,
    unknown: 0,
    before_agents: 0,
  });
  expect((await stats()).total).toEqual({ lines: 2, agent: 1, human: 1, unknown: 0, before_agents: 0 });
});

it("counts as from before agents what pm blame calls that", async () => {
  repo.commit("first", { "a.ts": "one\n" });
  repo.wait(10);
  const older = repo.commit("older", { "a.ts": "one\ntwo\nthree\n" });
  const led = repo.commit("led", { "b.ts": "four\n" });
  repo.work.attribute = async (_, { hash }) => ({
    ranges:
      hash === older
        ? [
            { path: "a.ts", firstLine: 2, lastLine: 2, ...makeUnknownVerdict("command") },
            { path: "a.ts", firstLine: 3, lastLine: 3, ...makeUnknownVerdict("not_covered") },
          ]
        : [{ path: "b.ts", firstLine: 1, lastLine: 1, ...makeUnknownVerdict("none") }],
    bindings:
      hash === led ? [{ sessionUid: "s", turns: [1], lines: 0, how: "command", confidence: 0.9 }] : [],
  });
  rememberReadSession(repo.memory, "s", repo.now() + 300_000);
  await seen(older);
  await seen(led);
  expect((await stats()).total).toMatchObject({ lines: 3, unknown: 2, before_agents: 1 });
});

it("reports what it cannot know: no memory, no git", async () => {
  repo.commit("one", { "a.ts": "x\n" });
  expect(await stats({}, null)).toMatchObject({
    commits: { in_history: 1, looked_at: 0, with_agent: 0 },
    total: { lines: 0 },
    notes: ["1 commit is not analysed yet, so these shares are not final."],
  });
  rmSync(join(repo.root, ".git"), { recursive: true });
  const { commits, notes } = await stats();
  expect(commits.in_history).toBeNull();
  expect(notes).toEqual([expect.stringMatching(/ is not a git repository\. .*`git init`/)]);
});

describe("weeks and directories", () => {
  it.each([
    ["2020-12-31", "2020-W53"],
    ["2021-01-03", "2020-W53"],
    ["2021-01-04", "2021-W01"],
    ["2024-12-30", "2025-W01"],
    ["2026-01-05", "2026-W02"],
  ])("%s is in %s", (day, week) => {
    expect(formatIsoWeek(Date.parse(day))).toBe(week);
  });

  it("a week is the same from Monday to Sunday, and another one after that", () => {
    const monday = Date.UTC(1990, 0, 1);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 0, max: 7 * 86_400_000 - 1 }),
        (weeks, more) => {
          const start = monday + weeks * 7 * 86_400_000;
          expect(formatIsoWeek(start + more)).toBe(formatIsoWeek(start));
          expect(formatIsoWeek(start - 1) < formatIsoWeek(start)).toBe(true);
        },
      ),
    );
  });
});
