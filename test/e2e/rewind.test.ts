import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { searchTranscripts } from "../../src/features/search/operation.ts";
import { buildCutSettings, buildSessionCut } from "../../src/sessions/chunks/cut-rules.ts";
import { replaceChunks } from "../../src/store/memory/chunks/chunks.ts";
import { saveCheckpoint } from "../../src/store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../src/store/memory/commits/commits.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { saveCut } from "../../src/store/memory/sessions/session-index.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, chunk, turn } from "../support/memory-fixture.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { until } from "./daemon-fixture.ts";
import { callPm, pmFile, temporaryDir } from "./run-pm.ts";

const session = "8ecde0fc-091c-4586-b688-cc9efe6f655c";

let repository: ReturnType<typeof temporaryGit>;
let first: string;
let uid: string;

const pm = (...args: string[]) => callPm(args, { cwd: repository.dir });
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await pm(...args, "--json");
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
};

beforeEach(async () => {
  repository = temporaryGit(temporaryDir());
  const { dir, commit, git } = repository;
  git("config", "user.name", "Ann");
  git("config", "user.email", "a@b.c");
  expect(await pm("init", "--no-hooks")).toMatchObject({ code: 0 });
  first = commit("Make refresh atomic", { "a.ts": "export const atomic = 1;\n", ".env.example": "A=\n" });
  commit("Next", { "a.ts": "export const atomic = 2;\n", "b.ts": "b\n", ".env.example": null });
  uid = first.slice(0, 12);
  remember(dir);
});
afterEach(async () => {
  await pm("stop");
  repository.remove();
});

function remember(dir: string): void {
  const memory = Memory.open(makeNewProject(dir).memoryDb, { readonly: false });
  const { id } = addSession(memory, session, { title: { text: "Token refresh", source: "agent" }, cwd: dir });
  saveTurn(memory, id, turn(7, { prompt: "make token refresh atomic" }));
  saveTurn(memory, id, turn(8, { prompt: "what is for lunch" }));
  replaceChunks(memory, id, { type: "raw", from: 0 }, [
    chunk(0, "[USER] make token refresh atomic", { session, turn: 7 }),
    chunk(1, "[USER] a token for lunch", { session, turn: 8 }),
  ]);
  // A daemon would cut it again: these chunks are not those of what is archived.
  saveCut(memory, id, buildSessionCut(buildCutSettings(makeDefaultConfig()), "claude"));
  const commit = saveCommit(
    memory,
    {
      hash: first,
      tree: first,
      parents: [],
      branch: "main",
      author: "Ann",
      subject: "Make refresh atomic",
      authoredAt: 0,
      committedAt: 0,
      insertions: 1,
      deletions: 0,
      seen: "hook",
      attributed: 1,
      patchId: null,
      rewrittenFrom: [],
    },
    [],
  );
  saveCheckpoint(memory, {
    uid,
    commitId: commit.id,
    parentUid: null,
    createdAt: 0,
    agentState: {},
    sessions: [{ sessionUid: session, turns: [7], lines: 1, how: "lines", confidence: 1 }],
  });
  memory.close();
}

describe("pm checkpoint rewind", () => {
  it("shows a checkpoint to people and to scripts", async () => {
    const { code, stdout, stderr } = await pm("rewind", uid.slice(0, 6));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const part of [
      first,
      uid,
      "7. make token refresh atomic",
      "main is 1 commit ahead",
      "+1 -1  a.ts",
    ]) {
      expect(stdout).toContain(part);
    }
    expect(await json("rewind", first.slice(0, 8))).toMatchObject({
      checkpoint: uid,
      commit: first,
      reach: "head",
      sessions: [{ session_id: session, turns: [{ turn: 7 }] }],
      changed_since: { files_total: 3 },
    });
    expect(await pm("rewind", "nonsense")).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/nonsense/),
    });
  });

  it("refuses to overwrite local work, and says which", async () => {
    const { dir, git } = repository;
    writeFileSync(join(dir, ".git/info/exclude"), ".env.example\n");
    writeFileSync(join(dir, ".env.example"), "A=mine\n");
    const { code, stderr, stdout } = await pm("rewind", uid, "--restore");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: Commit or stash your changes first\.\nhint: .*\.env\.example/);
    expect(readFileSync(join(dir, ".env.example"), "utf8")).toBe("A=mine\n");
    rmSync(join(dir, ".env.example"));
    writeFileSync(join(dir, "a.ts"), "changed\n");
    const refused = await pm("rewind", uid, "--restore", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: "uncommitted_changes",
      message: "Commit or stash your changes first.",
      hint: "Not committed: a.ts.",
    });
    expect(git("status", "--porcelain")).toBe("M a.ts");
  });

  it("restores, moves no branch, and comes back by what it says", async () => {
    const { dir, git } = repository;
    const heads = git("for-each-ref");
    const { code, stdout } = await pm("rewind", uid, "--restore");
    expect(code).toBe(0);
    expect(readFileSync(join(dir, "a.ts"), "utf8")).toBe("export const atomic = 1;\n");
    expect(existsSync(join(dir, "b.ts"))).toBe(false);
    expect([git("for-each-ref"), git("symbolic-ref", "HEAD")]).toEqual([heads, "refs/heads/main"]);
    const [, back] = /^To undo: git (.+)$/m.exec(stdout) ?? [];
    git(...back!.split(" "));
    expect(readFileSync(join(dir, "a.ts"), "utf8")).toBe("export const atomic = 2;\n");
    expect(git("status", "--porcelain")).toBe("");
  });

  it("ignores and keeps Pommel's own changes", async () => {
    const { dir, commit, git } = repository;
    const read = (file: string) => readFileSync(join(dir, file), "utf8");
    commit("Settings", {
      ".claude/settings.json": '{\n  "model": "opus"\n}\n',
      "AGENTS.md": "# Rules\n",
      ".husky/_/h": "",
      ".husky/_/.gitignore": "*\n",
      ".husky/post-commit": "true\n",
    });
    git("config", "core.hooksPath", ".husky/_");
    expect(await pm("init", "--team", "--agent", "claude,codex", "--mcp", "--instructions")).toMatchObject({
      code: 0,
    });
    const changed = [".claude/settings.json", ".husky/post-commit", "AGENTS.md"];
    const dirty = () => git("diff", "--name-only").split("\n");
    expect(dirty()).toEqual(changed);
    const before = changed.map(read);

    // Nothing of theirs is in the commit: each is there with what is Pommel's alone.
    const { restored } = await json("rewind", first, "--restore");
    expect(restored).toMatchObject({ changed: true, come_back: "git reset --hard HEAD && pm enable" });
    expect(read("a.ts")).toBe("export const atomic = 1;\n");
    expect(JSON.parse(read(".claude/settings.json"))).toEqual({ hooks: expect.any(Object) });
    expect(read("AGENTS.md")).toMatch(/^<!-- pommel:begin/);
    git("reset", "--quiet", "--hard", "HEAD");
    expect(await pm("enable")).toMatchObject({ code: 0 });
    expect(changed.map(read)).toEqual(before);

    // What somebody wrote beside it is in the way as ever, and nothing is taken out.
    writeFileSync(join(dir, "AGENTS.md"), `${read("AGENTS.md")}\nMine.\n`);
    expect(await pm("rewind", first, "--restore")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Not committed: AGENTS\.md\./),
    });
    expect(read(".claude/settings.json")).toBe(before[0]);
    expect(read(".husky/post-commit")).toBe(before[1]);
  });

  it("puts a checkpoint into a worktree, named from where one is", async () => {
    const { dir } = repository;
    mkdirSync(join(dir, "sub"));
    const { code } = await callPm(["rewind", uid, "--worktree", "before"], { cwd: join(dir, "sub") });
    expect(code).toBe(0);
    expect(readFileSync(join(dir, "sub/before/a.ts"), "utf8")).toBe("export const atomic = 1;\n");
    expect(await pm("rewind", uid, "--worktree", "sub/before")).toMatchObject({ code: 2 });
    expect(await pm("rewind", uid, "--worktree", "x", "--restore")).toMatchObject({ code: 2 });
  });

  it("killed while git writes, goes on when it is repeated, and the way back still leads back", async () => {
    const { dir, git, commit } = repository;
    // git stops after so many files as `stop` says, until it is killed.
    const [stop, begun] = ["stop", "begun"].map((name) => join(temporaryDir(), name)) as [string, string];
    const count = () => (existsSync(begun) ? readFileSync(begun, "utf8").length : 0);
    git("config", "filter.held.clean", "cat");
    git(
      "config",
      "filter.held.smudge",
      `echo >> ${begun}; while [ -e ${stop} ] && [ "$(wc -l < ${begun})" -gt "$(cat ${stop})" ]; do sleep 0.02; done; cat`,
    );
    const many = (text: string) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`many/${i % 7}/${i}.txt`, `${text} ${i}\n`]));
    const before = commit("Many", { ".gitattributes": "many/** filter=held\n", ...many("before") });
    commit("Changed", { ...many("after"), "only.txt": "new\n" });
    const lock = join(dir, ".git/index.lock");
    const half: number[] = [];
    for (let round = 0; round < 4; round++) {
      const files = 1 + 8 * round;
      writeFileSync(stop, String(files));
      rmSync(begun, { force: true });
      const options = { cwd: dir, stdio: "ignore", detached: true } as const;
      const child = spawn(process.execPath, [pmFile, "rewind", before, "--restore"], options);
      const ended = once(child, "close");
      await until(() => count() > files || child.exitCode !== null);
      // git is of the same process group.
      process.kill(-child.pid!, "SIGKILL");
      await ended;
      rmSync(stop);
      half.push(git("diff", "--name-only", "--", "many").split("\n").length);
      if (existsSync(lock)) {
        expect(await pm("rewind", before, "--restore")).toMatchObject({ code: 1 });
        rmSync(lock);
      }
      expect((await json("rewind", before, "--restore")).restored).toMatchObject({ changed: true });
      expect(git("write-tree")).toBe(git("rev-parse", `${before}^{tree}`));
      expect(git("diff")).toBe("");
      git("reset", "--quiet", "--hard", "HEAD");
      expect(git("status", "--porcelain")).toBe("");
    }
    // Else nothing was tested.
    expect(half.some((files) => files > 1 && files < 40)).toBe(true);
  });
});

describe("a search", () => {
  it("shows the fate of commits, and is limited to one, with a daemon as without", async () => {
    const project = makeNewProject(repository.dir);
    // On a busy machine git may answer too late for a search, and is known to the next.
    const inTime = <T>(search: () => Promise<T>, isLate: (found: T) => boolean) =>
      until(async () => {
        const found = await search();
        return isLate(found) ? null : found;
      });
    const { stdout } = await inTime(
      () => pm("search", "transcripts", "token", "--by", "turn"),
      ({ stdout }) => !stdout.includes("(on HEAD"),
    );
    expect(stdout).toContain(`Led to ${first.slice(0, 8)} "Make refresh atomic" (on HEAD)`);
    const limited = await inTime(
      () => json("search", "transcripts", "token", "--commit", uid),
      ({ results }) => results[0]?.commits[0]?.reach === null,
    );
    expect(limited.results).toMatchObject([
      { turn: 7, commits: [{ commit: first, checkpoint: uid, reach: "head" }] },
    ]);
    const unknown = await pm("search", "transcripts", "token", "--event", "nothing");
    expect(unknown.code).toBe(5);
    expect(await pm("start")).toMatchObject({ code: 0 });
    const ask = (commit: string) => callDaemon(project.root, searchTranscripts, { q: "token", commit });
    await expect(ask("fffffff")).rejects.toMatchObject({ code: "not_found" });
    const answer = await inTime(
      () => ask(first.slice(0, 9)),
      ({ results }) => results[0]?.commits[0]?.reach === null,
    );
    expect(answer.results).toMatchObject([
      { turn: 7, commits: [{ commit: first, reach: "head", reverted_by: null }] },
    ]);
  });
});
