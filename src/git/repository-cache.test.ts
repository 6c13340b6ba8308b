import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryGit } from "../../test/support/repository-fixture.ts";
import { readForeignNotes } from "../attribution/foreign/foreign-notes.ts";
import { blameFile } from "./diff/blame.ts";
import { listAuthoredTimes } from "./history/history.ts";
import { RepositoryCache } from "./repository-cache.ts";

let repo: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  repo = temporaryGit();
});
afterEach(() => {
  vi.restoreAllMocks();
  repo.remove();
});

describe("repository cache", () => {
  const refs = ["notes/ai", "remotes/*/topic"];
  let asked: string[];
  let cache: RepositoryCache<number>;
  beforeEach(() => {
    asked = [];
    cache = new RepositoryCache<number>({ max: 2, refs });
  });
  const ask = (question: string, dir = repo.dir) =>
    cache.getOrAsk(dir, question, async () => asked.push(question));

  it("asks git once while nothing changes", async () => {
    repo.commit("one");
    expect([await ask("a"), await ask("b"), await ask("a"), await ask("b")]).toEqual([1, 2, 1, 2]);
  });

  const { git, commit } = { git: (...args: string[]) => repo.git(...args), commit: () => repo.commit("two") };
  it.each<[string, () => unknown]>([
    ["a commit", commit],
    ["an amended commit", () => git("commit", "--quiet", "--amend", "--allow-empty", "--message", "other")],
    ["another branch at the same commit", () => git("switch", "--quiet", "--create", "side")],
    ["a rewritten branch", () => git("reset", "--quiet", "--hard", "HEAD^")],
    ["packed refs", () => git("pack-refs", "--all")],
    ["a note", () => git("notes", "--ref=ai", "add", "--message", "note", "HEAD")],
    ["another note", () => git("notes", "--ref=ai", "append", "--message", "more", "HEAD^")],
    ["a remote's branch", () => git("update-ref", "refs/remotes/origin/topic", "HEAD")],
    ["a replaced commit", () => git("replace", "HEAD", "HEAD^")],
    ["configuration", () => git("config", "blame.ignoreRevsFile", "ignored")],
    ["people's names", () => repo.write({ ".mailmap": "Bea <ann@example.org>\n" })],
    ["history that is cut off", () => repo.write({ ".git/shallow": git("rev-parse", "HEAD") })],
  ])("asks again after %s", async (_, change) => {
    repo.commit("zero");
    repo.commit("one");
    repo.git("notes", "--ref=ai", "add", "--message", "first", "HEAD^");
    await ask("a");
    await change();
    await ask("a");
    await ask("a");
    expect(asked).toEqual(["a", "a"]);
  });

  it("does not cache answers given while the repository changed", async () => {
    repo.commit("one");
    const answer = await cache.getOrAsk(repo.dir, "a", async () => {
      repo.commit("two");
      return -1;
    });
    expect([answer, await ask("a")]).toEqual([-1, 1]);
  });

  it("does not cache failures, other directories, or anything without a repository", async () => {
    repo.commit("one", { "sub/a.ts": "a" });
    await expect(cache.getOrAsk(repo.dir, "a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await ask("a");
    await ask("a", join(repo.dir, "sub"));
    rmSync(join(repo.dir, ".git"), { recursive: true });
    await ask("a");
    await ask("a");
    expect(asked).toEqual(["a", "a", "a", "a"]);
  });

  it("evicts the least recently used, skips large answers, and expires old ones", async () => {
    repo.commit("one");
    for (const question of ["a", "b", "a", "c", "a", "b"]) await ask(question);
    expect(asked).toEqual(["a", "b", "c", "b"]);
    let times = 0;
    const small = new RepositoryCache<number>({ max: 9, fits: (answer) => answer < 2 });
    for (let i = 0; i < 4; i++) await small.getOrAsk(repo.dir, "a", async () => 3 - times++);
    expect(times).toBe(3);
    const brief = new RepositoryCache<number>({ max: 9, maxAgeMs: 1000 });
    const now = vi.spyOn(performance, "now");
    for (const at of [1, 1000, 2000, 2500]) {
      now.mockReturnValue(at);
      await brief.getOrAsk(repo.dir, "a", async () => times++);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(times).toBe(5);
  });

  it("answers many questions at once, asking git for the missing ones", async () => {
    repo.commit("one");
    await ask("a");
    const answers = await cache.getOrAskEach(repo.dir, ["a", "b", "a", "none"], async (missing) => {
      expect(missing).toEqual(["b", "none"]);
      return new Map([["b", 7]]);
    });
    expect([...answers]).toEqual([
      ["a", 1],
      ["b", 7],
    ]);
  });
});

describe("cached answers for a changing repository", () => {
  it("blame reflects the current file, committed or not", async () => {
    // A file written just now is never cached.
    const now = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => now() + 10_000);
    const blamed = async () =>
      (await blameFile(repo.dir, "a.ts")).lines.map(({ text, commit }) => [text, commit]);
    const one = repo.commit("one", { "a.ts": "first\nsecond line\n" });
    const before = await blamed();
    expect(before).toEqual([
      ["first", one],
      ["second line", one],
    ]);
    expect(await blameFile(repo.dir, "a.ts")).toBe(await blameFile(repo.dir, "a.ts"));
    repo.write({ "a.ts": "first\nsecond changed line\n" });
    expect(await blamed()).toEqual([before[0], ["second changed line", null]]);
    const two = repo.commit("two");
    expect(await blamed()).toEqual([before[0], ["second changed line", two]]);
    repo.git("commit", "--quiet", "--amend", "--message", "other");
    const amended = repo.git("rev-parse", "HEAD");
    expect(await blamed()).toEqual([before[0], ["second changed line", amended]]);
    repo.write({ ignored: `${amended}\n` });
    repo.git("config", "blame.ignoreRevsFile", "ignored");
    expect(await blamed()).toEqual([before[0], ["second changed line", one]]);
    repo.git("reset", "--quiet", "--hard", one);
    expect(await blamed()).toEqual(before);
  });

  it("blame of a file written just now is never cached", async () => {
    repo.commit("one", { "a.ts": "a\n" });
    expect(await blameFile(repo.dir, "a.ts")).not.toBe(await blameFile(repo.dir, "a.ts"));
  });

  it("notes that were added or changed are read again", async () => {
    const id = "253fd5ef-38bf-4f4a-804a-98df5088a868";
    const note = (session: string) => {
      const metadata = {
        schema_version: "authorship/3.0.0",
        prompts: { abcd1234abcd1234: { agent_id: { tool: "claude", id: session } } },
      };
      return `a.ts\n  abcd1234abcd1234 1\n---\n${JSON.stringify(metadata)}`;
    };
    const hash = repo.commit("one", { "a.ts": "a\n" });
    const sessions = async () => (await readForeignNotes(repo.dir, [hash])).get(hash)?.sessions;
    expect(await sessions()).toBeUndefined();
    repo.git("notes", "--ref=ai", "add", "--message", note(id), hash);
    expect(await sessions()).toEqual([id]);
    repo.git("notes", "--ref=ai", "add", "--force", "--message", note("other"), hash);
    expect(await sessions()).toEqual(["other"]);
    repo.git("notes", "--ref=ai", "remove", hash);
    expect(await sessions()).toBeUndefined();
  });

  it("history reflects the current HEAD", async () => {
    const one = repo.commit("one");
    const history = async () => [...(await listAuthoredTimes(repo.dir)).keys()];
    expect(await history()).toEqual([one]);
    const two = repo.commit("two");
    expect(await history()).toEqual([two, one]);
    repo.git("reset", "--quiet", "--hard", one);
    expect(await history()).toEqual([one]);
  });
});
