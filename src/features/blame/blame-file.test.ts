import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Repository,
  rememberReadSession,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { backfill } from "../../attribution/checkpoints/backfill.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { attributionVersion, makeUnknownVerdict } from "../../attribution/lines/verdict.ts";
import { makeNewProject } from "../../base/paths.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { claimJob, enqueue, noteProgress } from "../../store/memory/jobs/jobs.ts";
import { blameFile } from "./blame-file.ts";
import type { BlameAnswer } from "./operation.ts";

type BlameRequest = Parameters<typeof blameFile>[2];

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

const blame = (
  file: string,
  more: Partial<BlameRequest> = {},
  memory: Repository["memory"] | null = repo.memory,
) => blameFile(makeNewProject(repo.root), memory, { file, ...more });
/** As it is where the time is over. */
const blameLate = (file: string) =>
  blameFile(makeNewProject(repo.root), repo.memory, { file }, undefined, async () => {});
const brief = ({ ranges }: BlameAnswer) =>
  ranges.map(({ first_line, last_line, author, session_id, turn, commit }) => {
    const who = author === "agent" ? `${session_id}:${turn}` : author;
    return `${first_line}-${last_line} ${who} ${commit?.slice(0, 7) ?? "new"}`;
  });
const seen = (hash: string) => recordCommit(repo.work, hash, { seen: "hook", branch: "main" });
const short = (hash: string) => hash.slice(0, 7);

describe("each line", () => {
  it("has its author, through renames and later changes", async () => {
    rememberSession(repo.memory, "s", ["make it", "change it"], {
      title: { text: "Making", source: "agent" },
    });
    const one = repo.commit("one", { "a.ts": "mine\nx // s:1\ny // s:1\nlast\n" });
    await seen(one);
    repo.git("mv", "a.ts", "b.ts");
    const two = repo.commit("two", { "b.ts": "mine\nx // s:1\nz // s:2\nlast\n" });
    await seen(two);
    const answer = await blame("b.ts", { texts: true });
    expect(brief(answer)).toEqual([
      `1-1 human ${short(one)}`,
      `2-2 s:1 ${short(one)}`,
      `3-3 s:2 ${short(two)}`,
      `4-4 human ${short(one)}`,
    ]);
    expect(answer.ranges[2]).toMatchObject({
      author: "agent",
      agent: "claude",
      model: "big-model",
      session_title: "Making",
      tool_use: "toolu_2",
      said_by: "pommel",
      person: "Ann",
      subject: "two",
      original_path: "b.ts",
      original_line: 3,
      authored_at: "2026-01-05T09:01:00.000Z",
    });
    expect(answer.ranges[0]).toMatchObject({ original_path: "a.ts", session_id: null });
    expect(answer.lines?.map(({ text }) => text)).toEqual(["mine", "x // s:1", "z // s:2", "last"]);
    expect(answer.notes).toEqual([]);
    expect(answer.summary).toEqual({
      lines: 4,
      agent: 2,
      human: 2,
      unknown: 0,
      before_agents: 0,
      by_session: [{ session_id: "s", session_title: "Making", agent: "claude", turns: [1, 2], lines: 2 }],
      by_model: [{ model: "big-model", lines: 2 }],
      by_person: [{ person: "Ann", human: 2, unknown: 0, before_agents: 0 }],
    });
  });

  it("is unknown, with a note, while its commit is not analysed", async () => {
    rememberSession(repo.memory, "s", ["make it"]);
    await seen(repo.commit("one", { "a.ts": "x // s:1\n" }));
    const two = repo.commit("two", { "a.ts": "x // s:1\ny // s:1\n" });
    const answer = await blameLate("a.ts");
    expect(brief(answer)[1]).toBe(`2-2 unknown ${short(two)}`);
    expect(answer.notes).toEqual([
      "1 commit is not analysed yet: the daemon analyses them when it is idle, the latest first.",
    ]);
    enqueue(repo.memory, { kind: "history", subject: "commits" });
    noteProgress(repo.memory, claimJob(repo.memory, "daemon")!, { done: 127, total: 1282 });
    expect((await blameLate("a.ts")).notes).toEqual([
      "1 commit is not analysed yet: in progress, 127 of 1,282.",
    ]);
  });

  it("has its commit analysed when it is asked about, and again once those before it are", async () => {
    rememberSession(repo.memory, "s", ["make it"]);
    repo.commit("one", { "a.ts": "x\n" });
    const two = repo.commit("two", { "a.ts": "x\ny\n" });
    expect((await blame("a.ts")).notes.join()).not.toContain("not analysed");
    expect(findCommitByHash(repo.memory, two)).toMatchObject({
      attributed: attributionVersion,
      seen: "reflog",
    });
    const done = await backfill(repo.work, { all: true });
    expect(done).toMatchObject({ commits: 2, lookedAt: 2 });
    expect(await backfill(repo.work, { all: true })).toMatchObject({ commits: 2, lookedAt: 0 });
  });

  it("is not said to be a person's while past sessions are not read", async () => {
    rememberSession(repo.memory, "s", ["make it"]);
    const one = repo.commit("one", { "a.ts": "x // s:1\n" });
    const two = repo.commit("two", { "a.ts": "x // s:1\ny\n" });
    await seen(one);
    await seen(two);
    expect(brief(await blame("a.ts"))[1]).toBe(`2-2 human ${short(two)}`);
    enqueue(repo.memory, { kind: "transcript", subject: "/t.jsonl", payload: { is_import: true } });
    const answer = await blame("a.ts");
    expect(brief(answer)).toEqual([`1-1 s:1 ${short(one)}`, `2-2 unknown ${short(two)}`]);
    expect(answer.notes).toEqual([
      "1 past session is not read yet; until then a line may turn out to be an agent's.",
    ]);
  });

  it("has no note on what is not analysed where no session is known", async () => {
    repo.commit("one", { "a.ts": "one\n" });
    expect((await blame("a.ts")).notes).toEqual([]);
  });

  it("is unknown, not from before agents, where an agent's command may have written it", async () => {
    repo.commit("first", { "a.ts": "one\n" });
    repo.wait(10);
    const older = repo.commit("older", { "a.ts": "one\ntwo\nthree\n" });
    repo.work.attribute = async (_, { hash }) => ({
      ranges:
        hash === older
          ? [
              { path: "a.ts", firstLine: 2, lastLine: 2, ...makeUnknownVerdict("command") },
              { path: "a.ts", firstLine: 3, lastLine: 3, ...makeUnknownVerdict("not_covered") },
            ]
          : [],
      bindings: [],
    });
    await seen(older);
    // By its clock, which is ahead.
    rememberReadSession(repo.memory, "s", repo.now() + 300_000);
    expect(brief(await blame("a.ts")).slice(1)).toEqual([
      `2-2 unknown ${short(older)}`,
      `3-3 before_agents ${short(older)}`,
    ]);
  });

  it("is unknown, not from before agents, in a commit that a session led to, whatever its clock says", async () => {
    repo.commit("first", { "a.ts": "one\n" });
    repo.wait(10);
    const led = repo.commit("led", { "a.ts": "one\ntwo\n" });
    repo.work.attribute = async () => ({
      ranges: [{ path: "a.ts", firstLine: 2, lastLine: 2, ...makeUnknownVerdict("none") }],
      bindings: [{ sessionUid: "s", turns: [1], lines: 0, how: "command", confidence: 0.9 }],
    });
    rememberSession(repo.memory, "s", ["make it"], { at: repo.now() + 300_000 });
    await seen(led);
    expect(brief(await blame("a.ts"))[1]).toBe(`2-2 unknown ${short(led)}`);
  });

  it("is from before agents if its commit is older than the first session", async () => {
    const first = repo.commit("first", { "a.ts": "one\n" });
    repo.wait(10);
    const older = repo.commit("older", { "a.ts": "one\ntwo\n" });
    expect(brief(await blame("a.ts"))).toEqual([
      `1-1 unknown ${short(first)}`,
      `2-2 unknown ${short(older)}`,
    ]);
    const startedAt = repo.now() + 300_000;
    rememberReadSession(repo.memory, "s", startedAt);
    repo.wait(20);
    const later = repo.commit("later", { "a.ts": "one\ntwo\nthree\n" });
    const answer = await blameLate("a.ts");
    expect(brief(answer)).toEqual([
      `1-1 before_agents ${short(first)}`,
      `2-2 before_agents ${short(older)}`,
      `3-3 unknown ${short(later)}`,
    ]);
    expect(answer.summary).toMatchObject({ lines: 3, before_agents: 2, unknown: 1 });
    expect(answer.agents_since).toMatchObject({
      session_id: "s",
      first_session_at: new Date(startedAt).toISOString(),
    });
    expect(answer.notes.at(-1)).toContain("Before agents: older than the first session here");
    // Only what is in the time of agents has to be analysed.
    expect(answer.notes[0]).toBe(
      "1 commit is not analysed yet: the daemon analyses them when it is idle, the latest first.",
    );
  });

  it("uses what git knows where there is no memory", async () => {
    const one = repo.commit("one", { "a.ts": "x\ny\n" });
    const answer = await blame("a.ts", {}, null);
    expect(brief(answer)).toEqual([`1-2 unknown ${short(one)}`]);
    expect(answer.ranges[0]).toMatchObject({ person: "Ann", said_by: null, hint: null });
    expect(answer.lines).toBeUndefined();
  });

  it("stays an agent's if its session is not stored", async () => {
    rememberSession(repo.memory, "s", ["make it"]);
    await seen(repo.commit("one", { "a.ts": "x // s:1\n" }));
    repo.memory.prepare("DELETE FROM sessions").run();
    expect((await blame("a.ts")).ranges).toMatchObject([
      { author: "agent", session_id: "s", session_title: null, agent: null, model: "big-model", turn: 1 },
    ]);
  });

  it("is of no commit while it is not committed", async () => {
    await seen(repo.commit("one", { "a.ts": "x\n" }));
    writeFileSync(join(repo.root, "a.ts"), "x\nnew\n");
    const answer = await blame("a.ts");
    expect(answer.ranges[1]).toMatchObject({ commit: null, person: null, authored_at: null, first_line: 2 });
    expect(answer.ranges[1]?.author).not.toBe("agent");
  });

  it("may be asked for by its number, and as it was", async () => {
    const one = repo.commit("one", { "a.ts": "a\nb\nc\nd\n" });
    repo.commit("two", { "a.ts": "a\nb\n" });
    const at = (first: number, last: number) => ({ ranges: [{ first, last }], texts: true });
    expect((await blame("a.ts", at(2, Number.POSITIVE_INFINITY))).lines).toEqual([{ line: 2, text: "b" }]);
    expect((await blame("a.ts", { ...at(3, 9), revision: one })).lines?.map(({ text }) => text)).toEqual([
      "c",
      "d",
    ]);
    await expect(blame("a.ts", at(3, 3))).rejects.toMatchObject({
      code: "not_found",
      message: "a.ts has only 2 lines.",
    });
  });
});

describe("other tools", () => {
  it("are named only where there is no other evidence", async () => {
    rememberSession(repo.memory, "s", ["make it"]);
    const trailer = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
    const one = repo.commit(`one${trailer}`, { "a.ts": "x\ny\n" });
    expect((await blameLate("a.ts")).ranges).toMatchObject([
      {
        author: "unknown",
        said_by: null,
        hint: { tools: ["claude"], session_ids: [] },
        first_line: 1,
        last_line: 2,
      },
    ]);
    const two = repo.commit(`two${trailer}`, { "a.ts": "x\ny\nz // s:1\n" });
    await seen(one);
    await seen(two);
    expect((await blame("a.ts")).ranges.map(({ author, hint }) => [author, hint])).toEqual([
      ["human", null],
      ["agent", null],
    ]);
  });
});

describe("reports what cannot be blamed", () => {
  const refusal = (file: string, more: Partial<BlameRequest> = {}) =>
    blame(file, more).then(
      () => "answered",
      (error: { code: string; message: string; hint: string }) =>
        `${error.code}: ${error.message} ${error.hint}`,
    );

  it("a file that is not there, not known to git, deleted, binary, empty", async () => {
    repo.commit("one", { "a.ts": "x\n", "gone.ts": "x\n", "pic.png": "\u0000\u0001\n", "empty.ts": "" });
    const two = repo.commit("without it", { "gone.ts": null });
    writeFileSync(join(repo.root, "new.ts"), "x\n");
    expect(await refusal("never.ts")).toMatch(/^not_found: never\.ts does not exist\./);
    expect(await refusal("new.ts")).toMatch(/^not_found: git does not track new\.ts yet\. .*git add new\.ts/);
    expect(await refusal("gone.ts")).toMatch(
      new RegExp(
        `^not_found: gone\\.ts was deleted in ${short(two)}\\w* without it\\. .*--rev ${short(two)}`,
      ),
    );
    expect(await refusal("pic.png")).toMatch(/^usage: pic\.png is binary/);
    expect(await refusal("empty.ts")).toMatch(/^not_found: empty\.ts is empty/);
    expect(await refusal("a.ts", { revision: "nowhere" })).toMatch(/^not_found: No commit nowhere/);
    expect(await refusal("new.ts", { revision: "HEAD" })).toMatch(/^not_found: new\.ts is not in HEAD/);
    expect(await refusal("a.ts", { revision: "--output=x" })).toMatch(/^not_found: No commit --output=x/);
  });

  it("a file whose name is a pattern is that file", async () => {
    const one = repo.commit("one", { "a*.ts": "x\n", "ab.ts": "y\n" });
    expect(brief(await blame("a*.ts"))).toEqual([`1-1 unknown ${short(one)}`]);
    repo.commit("two", { "a*.ts": null });
    repo.commit("three", { "ab.ts": null });
    expect(await refusal("a*.ts")).toContain("was deleted in");
    expect(await refusal("a*.ts")).toContain(" two. ");
  });

  it("before the first commit, and without git", async () => {
    writeFileSync(join(repo.root, "a.ts"), "x\n");
    repo.git("add", "a.ts");
    expect(await refusal("a.ts")).toMatch(/^no_git_history: No commits yet\./);
    rmSync(join(repo.root, ".git"), { recursive: true });
    expect(await refusal("a.ts")).toMatch(/^no_git_history: .* is not a git repository\./);
  });
});
