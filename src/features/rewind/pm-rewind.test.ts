import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { screenOf } from "../../../test/support/screen.ts";
import { makeNewProject } from "../../base/paths.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { RewindAnswer, RewindRequest } from "./operation.ts";
import { rewindTo } from "./rewind.ts";
import { wordRewind } from "./words.ts";

const uid = "4f1c9a2b77d0";
const session = "8ecde0fc-091c-4586-b688-cc9efe6f655c";

let store: ReturnType<typeof temporaryMemory>;
let repository: ReturnType<typeof temporaryGit>;
let first: string;
let head: string;

beforeEach(() => {
  store = temporaryMemory();
  repository = temporaryGit();
  first = repository.commit("Make refresh atomic", { "a.ts": "1\n2\n", "gone.ts": "g\n" });
  head = repository.commit("Next", { "a.ts": "1\n3\n4\n", "gone.ts": null });
  remember(first);
});
afterEach(() => {
  store.remove();
  repository.remove();
});

/** A checkpoint at a commit, whether git knows it or not. */
function remember(hash: string) {
  const { memory } = store;
  const stored = addSession(memory, session, { title: { text: "Token refresh", source: "agent" } });
  for (const number of [1, 2, 3]) saveTurn(memory, stored.id, turn(number));
  const { id } = saveCommit(
    memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "feat/refresh",
      author: "Ann",
      authoredAt: 0,
      committedAt: 0,
      subject: "Make refresh atomic",
      patchId: null,
      rewrittenFrom: [],
      insertions: 2,
      deletions: 0,
      seen: "hook",
      attributed: 1,
    },
    [],
  );
  saveCheckpoint(memory, {
    uid,
    commitId: id,
    parentUid: null,
    createdAt: 0,
    agentState: {
      [session]: {
        turn: 3,
        title: "Token refresh",
        prompt: "prompt 3",
        said: "Both writes are one now.",
        model: "m",
        todos: [
          { text: "one transaction", status: "completed" },
          { text: "tests", status: "pending" },
        ],
      },
    },
    sessions: [{ sessionUid: session, turns: [1, 3], lines: 2, how: "lines", confidence: 1 }],
  });
}

const ask = (request: Partial<RewindRequest> = {}) =>
  rewindTo(makeNewProject(repository.dir), store.memory, { target: uid, ...request });
const text = (answer: RewindAnswer) => renderDocument(wordRewind(answer), { screen: screenOf(100) });

describe("a checkpoint", () => {
  it("is found by its id, its commit, the beginning of either, or a revision", async () => {
    for (const target of [uid, uid.slice(0, 5), first, first.slice(0, 8), "HEAD~1", "main~1"]) {
      expect(await ask({ target })).toMatchObject({ checkpoint: first.slice(0, 12), commit: first });
    }
  });

  it("shows the code's state, what has changed since, and the agent's state", async () => {
    repository.write({ "a.ts": "1\n3\n4\n5\n" });
    const answer = await ask();
    expect(answer).toMatchObject({
      tree: repository.git("rev-parse", `${first}^{tree}`),
      subject: "Make refresh atomic",
      author: "Ann",
      branch: "feat/refresh",
      reach: "head",
      reverted_by: null,
      head,
      head_branch: "main",
      ahead: 1,
      behind: 0,
      changed_since: {
        files_total: 2,
        insertions: 3,
        deletions: 2,
        files: [
          { path: "a.ts", old_path: null, insertions: 3, deletions: 1 },
          { path: "gone.ts", old_path: null, insertions: 0, deletions: 1 },
        ],
      },
      sessions: [
        {
          session_id: session,
          title: "Token refresh",
          lines: 2,
          turns_total: 2,
          turns: [
            { turn: 1, prompt: "prompt 1" },
            { turn: 3, prompt: "prompt 3" },
          ],
          state: { said: "Both writes are one now." },
        },
      ],
      restored: null,
      worktree: null,
      notes: [],
    });
    expect(answer).not.toHaveProperty("patch");
    const shown = text(answer);
    for (const part of [
      `commit ${first}`,
      "main is 1 commit ahead of it",
      "wrote 2 lines of it, 2 turns",
      "  3. prompt 3",
      "Last reply: Both writes are one now.",
      "  [x] one transaction\n  [ ] tests",
      "+3 -1  a.ts",
      "2 files, +3 -2",
    ]) {
      expect(shown).toContain(part);
    }
  });

  it("gives the whole difference when asked for it", async () => {
    const { patch } = await ask({ patch: true });
    expect(patch).toContain("-2\n+3\n+4\n");
    expect(text(await ask({ patch: true }))).toContain("+++ b/a.ts\n");
  });

  it("of an unknown or forgotten session shows what was kept of it", async () => {
    store.memory.prepare("DELETE FROM sessions").run();
    const answer = await ask();
    expect(answer.sessions).toMatchObject([
      { title: "Token refresh", agent: null, turns_total: 2, turns: [] },
    ]);
    expect(text(answer)).toContain("Prompt: prompt 3");
  });

  it("is checked out in a worktree, but not over existing files", async () => {
    const dir = join(mkdtempSync(join(tmpdir(), "pommel-tree-")), "-before");
    const answer = await ask({ worktree: dir });
    expect(answer.worktree).toBe(dir);
    expect(readFileSync(join(dir, "a.ts"), "utf8")).toBe("1\n2\n");
    const inWorktree = (...args: string[]) =>
      execFileSync("git", ["-C", dir, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
    expect(inWorktree("rev-parse", "HEAD")).toBe(first);
    expect(() => inWorktree("symbolic-ref", "HEAD")).toThrow();
    expect(repository.git("rev-parse", "main")).toBe(head);
    expect(text(answer)).toContain("git worktree remove");
    await expect(ask({ worktree: dir })).rejects.toMatchObject({ code: "usage" });
    await expect(ask({ worktree: join(dir, "a.ts") })).rejects.toMatchObject({ code: "usage" });
  });

  it("is restored, and says how to come back", async () => {
    const answer = await ask({ restore: true });
    expect(answer).toMatchObject({
      restored: { changed: true, files: 2, come_back: "git reset --hard HEAD", submodules: [] },
      changed_since: { files_total: 0 },
    });
    expect(text(answer)).toContain(
      "2 files changed and staged; main has not moved.\nTo undo: git reset --hard HEAD",
    );
    expect(text(await ask({ restore: true }))).toContain("nothing changed");
  });

  it("whose commit git does not have cannot be gone back to", async () => {
    remember("1".repeat(40));
    await expect(ask({ target: uid })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/of checkpoint 4f1c9a2b77d0, 11111111, is not in this repository/),
      hint: expect.stringMatching(/git fetch/),
    });
  });
});

describe("a commit without a checkpoint", () => {
  it("is shown all the same, with and without a memory", async () => {
    const answer = await ask({ target: "HEAD" });
    expect(answer).toMatchObject({ checkpoint: null, sessions: [], commit: head, ahead: 0, behind: 0 });
    expect(text(answer)).toContain("no checkpoint");
    expect(text(answer)).toContain("main is at this commit");
    const alone = await rewindTo(makeNewProject(repository.dir), null, { target: first.slice(0, 10) });
    expect(alone).toMatchObject({ commit: first, reach: "head", checkpoint: null });
  });

  it("of another branch says so", async () => {
    repository.git("checkout", "--quiet", "-b", "feat/x", first);
    const side = repository.commit("Side", { "s.ts": "s" });
    repository.git("checkout", "--quiet", "main");
    const answer = await ask({ target: side });
    expect(answer).toMatchObject({ reach: "elsewhere", branches: ["feat/x"], ahead: 1, behind: 1 });
    expect(text(answer)).toContain(
      "on feat/x only; main is 1 commit ahead of it; it has 1 commit that main lacks",
    );
  });
});

describe("what cannot be", () => {
  it("reports errors: no such commit, none beyond a cut, a file, no git", async () => {
    const refusal = (target: string) => expect(ask({ target })).rejects;
    await refusal("nonsense").toMatchObject({ code: "not_found" });
    await refusal("--all").toMatchObject({ code: "not_found" });
    await refusal("HEAD:a.ts").toMatchObject({ code: "not_found" });
    await refusal("").toMatchObject({ code: "not_found" });
    const clone = mkdtempSync(join(tmpdir(), "pommel-clone-"));
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repository.dir}`, clone], {
      stdio: "pipe",
    });
    await expect(rewindTo(makeNewProject(clone), store.memory, { target: uid })).rejects.toMatchObject({
      hint: expect.stringMatching(/--unshallow/),
    });
    const plain = mkdtempSync(join(tmpdir(), "pommel-plain-"));
    await expect(rewindTo(makeNewProject(plain), null, { target: "HEAD" })).rejects.toMatchObject({
      code: "no_git_history",
      message: expect.stringMatching(/is not a git repository/),
    });
  });
});
