import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { BlameAnswer } from "../../src/features/blame/operation.ts";
import type { CheckpointAnswer, CheckpointsAnswer } from "../../src/features/checkpoints/operation.ts";
import { readGitCounts } from "../../src/store/memory/commits/commits.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { rememberTurn, wrote } from "../support/attribution-fixture.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { idOf, type TranscriptFixture } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson, until } from "./daemon-fixture.ts";
import { callPm, pmFile, runPm, temporaryDir } from "./run-pm.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

/** What people and scripts see of checkpoints, from the terminal. */

/** When the nth commit of the fixture is made. */
const commitAt = (n: number) => 1_700_000_000_000 + 60_000 * n;
const begunBefore = (n: number) => ({ start: new Date(commitAt(n) - 45_000).toISOString() });

let project: Project;
let git: ReturnType<typeof temporaryGit>;
/** In order. */
let commits: string[];
const [lock, docs] = [idOf("lock"), idOf("docs")];

beforeAll(async () => {
  project = createProject({});
  git = temporaryGit(project.root);
  git.git("config", "user.name", "Ann");
  git.git("config", "user.email", "a@b.c");
  const transcripts = transcriptDir(project);
  const path = (name: string) => join(project.root, name);
  const [first, second] = ["  token = ask();", "  token = withLock(() => ask());"];
  const start = git.commit("Start", { ".gitignore": ".pommel/\n", "a.ts": `refresh() {\n${first}\n}\n` });

  const one: TranscriptFixture = sessionIn(project, lock, begunBefore(2));
  one.prompt("make token refresh atomic");
  one.edit(path("a.ts"), first, second, 2);
  one.prompt("and a test for it");
  one.write(path("a.test.ts"), "it('waits for the lock', () => expect(two()).toBe(1));\n");
  const other = sessionIn(project, docs, begunBefore(2));
  other.prompt("say so in the docs");
  other.write(path("docs.md"), "Tokens are refreshed behind a lock.\n");
  const both = git.commit("Lock it", {
    "a.ts": `refresh() {\n${second}\n}\n// written by hand, by a person\n`,
    "a.test.ts": "it('waits for the lock', () => expect(two()).toBe(1));\n",
    "docs.md": "Tokens are refreshed behind a lock.\n",
  });

  git.git("switch", "--quiet", "--create", "feat/more");
  other.wait(50_000);
  other.prompt("more of it");
  other.edit(path("docs.md"), "", "Two tabs wait for one another.", 2);
  const more = git.commit("More", {
    "docs.md": "Tokens are refreshed behind a lock.\nTwo tabs wait for one another.\n",
  });
  one.writeTo(transcripts);
  other.writeTo(transcripts);
  commits = [start, both, more];
  await pmJson(project, "import", "claude");
});
afterAll(async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
});

const pm = (...args: string[]) => callPm(args, { cwd: project.root });
const list = async (...args: string[]) =>
  (await pmJson<CheckpointsAnswer>(project, "checkpoint", "list", ...args)).checkpoints;

describe("pm checkpoint", () => {
  it("backfill finds what led to commits, once", async () => {
    expect((await pm("checkpoint")).stdout).toContain("No checkpoints");
    const done = { commits: 3, interrupted: false, shallow: false };
    expect(await pmJson(project, "checkpoint", "backfill")).toMatchObject({
      ...done,
      looked_at: 3,
      checkpoints: 2,
    });
    expect(await pmJson(project, "checkpoint", "backfill")).toMatchObject({ ...done, looked_at: 0 });
    expect((await pm("checkpoint", "backfill")).stdout).toBe("Nothing new. 3 commits analysed before.\n");
  });

  it("lists them, the latest first, all or some", async () => {
    const [, both, more] = commits;
    const all = await list();
    expect(all.map(({ commit }) => commit)).toEqual([more, both]);
    expect(all[1]).toMatchObject({
      id: both!.slice(0, 12),
      parent_id: null,
      insertions: 4,
      lines: { agent: 3, human: 1, unknown: 0 },
      rewritten_as: [],
    });
    // Each of two sessions side by side has what it did.
    expect(all[1]!.sessions).toMatchObject([
      { session_id: lock, turns: [1, 2], lines: 2, how: "lines" },
      { session_id: docs, turns: [1], lines: 1, how: "lines" },
    ]);
    expect(all[0]).toMatchObject({ parent_id: all[1]!.id, sessions: [{ session_id: docs, turns: [2] }] });
    expect(await list("--session", lock.slice(0, 8))).toEqual([all[1]]);
    expect(await list("-n", "1")).toEqual([all[0]]);
    expect(await list("--since", new Date(commitAt(3)).toISOString())).toEqual([all[0]]);
    expect(await list("--until", new Date(commitAt(2)).toISOString())).toEqual([all[1]]);
    const [, latest, first] = (await pm("checkpoint")).stdout.split("\n");
    expect(latest).toMatch(new RegExp(`^${more!.slice(0, 8)}  .*${docs.slice(0, 8)}:2 .*More$`));
    expect(first).toMatch(new RegExp(`\\+4 -1 +75% +${lock.slice(0, 8)}:1-2 \\+1 `));
  });

  it("shows one, by whatever names it", async () => {
    const [start, both] = commits as [string, string];
    const uid = both.slice(0, 12);
    const shown = await pmJson<CheckpointAnswer>(project, "checkpoint", "show", uid);
    expect(shown).toMatchObject({
      commit: both,
      parents: [start],
      diff_summary: "3 files, +4 -1: a.ts (+2 -1), a.test.ts (+1 -0), docs.md (+1 -0)",
      next_ids: [commits[2]!.slice(0, 12)],
    });
    expect(shown.files.map(({ path, lines }) => [path, lines.agent, lines.human])).toEqual([
      ["a.test.ts", 1, 0],
      ["a.ts", 1, 1],
      ["docs.md", 1, 0],
    ]);
    expect(shown.sessions[0]!.turns.map(({ prompt }) => prompt)).toEqual([
      "make token refresh atomic",
      "and a test for it",
    ]);
    for (const name of [uid.slice(0, 6), both, both.slice(0, 7), "HEAD~1", "main"]) {
      expect(await pmJson(project, "checkpoint", "show", name)).toEqual(shown);
    }
    const text = (await pm("checkpoint", "show", uid)).stdout;
    expect(text).toContain("3 lines by agents, 1 by people");
    expect(text).toContain("  2. and a test for it");
    expect(text).toContain("M  +2 -1  a.ts       1 by agents, 1 by people");
  });

  it("says why it cannot", async () => {
    const noSession = await pm("checkpoint", "show", commits[0]!.slice(0, 10));
    expect(noSession).toMatchObject({ code: 5, stdout: "" });
    expect(noSession.stderr).toContain("No recorded session led to commit");
    // What could be taken for an option is no revision.
    for (const [name, expected] of [
      ["nonsense", 5],
      ["HEAD~99", 5],
      ["--", 2],
      ["-x", 2],
    ] as const) {
      const { code, stderr } = await pm("checkpoint", "show", "--", name);
      expect({ name, code, isTold: /^error: .+\nhint: ./.test(stderr) }).toEqual({
        name,
        code: expected,
        isTold: true,
      });
    }
    expect((await pm("checkpoint", "show", "")).code).toBeGreaterThan(0);
    expect(await pm("checkpoint", "list", "--since", "some day")).toMatchObject({ code: 2 });
  });

  it("compares two: files in git's words, and what was asked in between", async () => {
    const [start, both, more] = commits as [string, string, string];
    const diff = await pmJson<Record<string, unknown>>(
      project,
      "checkpoint",
      "diff",
      start,
      more.slice(0, 9),
    );
    expect(diff).toMatchObject({
      from: { id: null, commit: start },
      to: { commit: more },
      insertions: 5,
      deletions: 1,
    });
    expect(diff.sessions).toMatchObject([
      { session_id: docs, side: "to", turns: [{ turn: 1 }, { turn: 2, prompt: "more of it" }] },
      { session_id: lock, side: "to", turns: [{ turn: 1 }, { turn: 2 }] },
    ]);
    // It writes to its process's stdout as it comes.
    const compared = ["checkpoint", "diff", more.slice(0, 12), both.slice(0, 12), "--patch"];
    const back = await runPm(compared, { cwd: project.root });
    expect(back.stdout).toContain("\n-Two tabs wait for one another.\n");
    expect((await pm("checkpoint", "diff", "HEAD", "HEAD")).stdout).toContain("The files are identical.");
  });

  it("goes with its forgotten session; lines stay an agent's", async () => {
    const forgot = await pm("forget", "--session", docs, "--yes");
    expect(forgot).toMatchObject({ code: 0 });
    expect(forgot.stdout).not.toContain("pm share git");
    const left = await list();
    expect(left.map(({ commit, sessions }) => [commit, sessions.map((one) => one.session_id)])).toEqual([
      [commits[1], [lock]],
    ]);
    const blamed = await pmJson<BlameAnswer>(project, "blame", "docs.md");
    expect(blamed.ranges.map((range) => [range.author, range.session_id])).toEqual([
      ["agent", null],
      ["agent", null],
    ]);
  });
});

describe("on another machine", () => {
  it("a checkpoint that was shared is there at once, and what it changed when it is asked about", async () => {
    const other = createProject({});
    const remote = temporaryDir();
    git.git("init", "--quiet", "--bare", remote);
    git.git("remote", "add", "origin", remote);
    git.git("push", "--quiet", "origin", "main", "feat/more");
    // Summing up may change a session meanwhile.
    await until(async () => {
      await pmJson(project, "sync");
      return !(await pm("status")).stdout.includes("not shared yet");
    });
    await pmJson(project, "note", "The lock is enough.");
    // Summing up may have changed a session meanwhile.
    expect((await pm("status")).stdout).toMatch(/\b1 note (?:is|are) not shared yet\. Run `pm share git`\./);
    expect((await pm("doctor")).stdout).toMatch(
      /sharing .*\b1 note (?:is|are) not shared yet\n +`pm share git` shares it\./,
    );
    expect((await pm("forget", "--match", "The lock is enough", "--yes")).stdout).toContain(
      "What `pm share git` shared of it stays on the branch pommel/memory/v1",
    );

    git.git("clone", "--quiet", "--branch", "main", remote, other.root);
    const there = (...args: string[]) => callPm(args, { cwd: other.root });
    expect(await there("init", "--no-hooks")).toMatchObject({ code: 0 });
    expect(await there("pull")).toMatchObject({ code: 0 });
    // It is analysed when it is asked about.
    expect((await there("checkpoint", "show", "HEAD")).stdout).toContain("3 files, +4 -1: a.ts (+2 -1)");
    const why = await there("why", "a.ts:2");
    expect(why.stdout).toContain(`in session ${lock.slice(0, 8)}, turn 1`);
    expect(why.stdout).not.toContain("not analysed");
  });
});

describe("Ctrl-C", () => {
  it("in backfill keeps what is done, and the next one goes on", async () => {
    const long = createProject({});
    const repository = temporaryGit(long.root);
    const text = Array.from({ length: 150 }, (_, i) => {
      const file = `M 100644 inline f${i % 20}.txt\ndata <<E\nline ${i}\nand another\nE\n`;
      return `commit refs/heads/main\ncommitter A <a@b.c> ${1_700_000_000 + i} +0000\ndata 4\nmore\n${file}\n`;
    }).join("");
    const { execFileSync } = await import("node:child_process");
    execFileSync("git", ["-C", long.root, "fast-import", "--quiet"], { input: text });
    const memory = Memory.open(long.memoryDb, { readonly: false });
    rememberTurn(memory, "s", [wrote("f1.txt", "line 141\nand another\n", 1_700_000_141_000)], {
      cwd: long.root,
    });
    const child = spawn(process.execPath, [pmFile, "checkpoint", "backfill", "--all", "--json"], {
      cwd: long.root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
    const ended = once(child, "close");
    while (readGitCounts(memory).commits < 5 && child.exitCode === null) await sleep(2);
    child.kill("SIGINT");
    const [code] = await ended;
    const first = JSON.parse(output) as { looked_at: number };
    expect({ code, ...first }).toMatchObject({ code: 130, interrupted: true, commits: 150 });
    expect(readGitCounts(memory).commits).toBe(first.looked_at);
    const rest = await pmJson<{ looked_at: number }>(long, "checkpoint", "backfill", "--all");
    expect(rest).toMatchObject({ interrupted: false, looked_at: 150 - first.looked_at });
    expect(readGitCounts(memory)).toMatchObject({ commits: 150 });
    memory.close();
    repository.remove();
  });
});
