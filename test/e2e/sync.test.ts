import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { callsIn, countingCalls, killedAtCall } from "../support/calls.ts";
import { contentOf } from "../support/machine-fixture.ts";
import { runs } from "../support/runs.ts";
import { transcript } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";
import { importHere } from "./sessions-fixture.ts";

const branch = "pommel/memory/v1";
let remote: string;
let transcripts: string;
let one: Project;
let two: Project;
beforeEach(() => {
  remote = temporaryDir("pommel-remote-");
  transcripts = temporaryDir("pommel-transcripts-");
  git(remote, "init", "--quiet", "--bare");
  [one, two] = [cloned(), cloned()];
});
afterEach(async () => {
  await cleanUp();
  for (const dir of [remote, transcripts]) rmSync(dir, { recursive: true, force: true });
});

function git(dir: string, ...args: string[]): string {
  const who = ["-c", "user.name=Ann", "-c", "user.email=a@b.c"];
  // Clones of one repository: they begin with the same commit.
  const date = "2026-01-01T00:00:00Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync("git", ["-C", dir, ...who, ...args], { encoding: "utf8", stdio: "pipe", env }).trim();
}

function cloned(): Project {
  const project = createProject({ "README.md": "# a project\n" });
  git(project.root, "init", "--quiet");
  git(project.root, "remote", "add", "origin", remote);
  git(project.root, "add", "README.md");
  git(project.root, "commit", "--quiet", "--message", "begin");
  return project;
}

/** Imports sessions with a conversation. */
async function remember(project: Project, from: number, count: number, turns = 2): Promise<void> {
  const sessions = Array.from({ length: count }, (_, at) => {
    const n = from + at;
    const fixture = transcript({ session: `session-${n}`, cwd: project.root });
    for (let i = 0; i < turns; i++) {
      fixture.prompt(`How do we handle marsupial${n}x${i} in the parser?`);
      fixture.edit(`${project.root}/src/parser.ts`, `old ${n}`, `new ${n} ${"words ".repeat(100)}`);
      fixture.reply(`We decided to handle marsupial${n}x${i} in the tokeniser, as it is known there.`);
    }
    return fixture;
  });
  await importHere(project, sessions, transcripts);
}

function remembered(project: Project) {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  try {
    return contentOf({ memory });
  } finally {
    memory.close();
  }
}

/** All that the first sharing says beside its result. */
const keyMade = /^Created the key \S+signing\.pem, which signs what you share\. .*\n$/;

interface Report {
  shared: { sessions: number; turns: number };
  taken_in: { sessions: number; turns: number };
  pushed: boolean;
  trouble: { kind: string } | null;
  problems: unknown[];
}

describe("pm share git and pm share git --pull", () => {
  it("take conversations from one machine to another, where they are found", async () => {
    await remember(one, 0, 2);
    const index = () =>
      createHash("sha1")
        .update(readFileSync(join(one.root, ".git/index")))
        .digest("hex");
    const before = [index(), git(one.root, "status", "--porcelain")];
    expect(await pmJson<Report>(one, "sync", "--dry-run")).toMatchObject({
      shared: { sessions: 2 },
      pushed: false,
    });
    const shared = await pmJson<Report>(one, "sync");
    expect(shared).toMatchObject({ shared: { sessions: 2, turns: 4 }, pushed: true, trouble: null });
    expect([index(), git(one.root, "status", "--porcelain")]).toEqual(before);
    expect(git(remote, "ls-tree", "--name-only", branch).split("\n")).toEqual([
      "manifest.json",
      "sessions",
      "signatures",
    ]);

    // A daemon that answers there already sees it with the next question.
    await start(two);
    const text = await callPm(["pull"], { cwd: two.root });
    expect(text).toMatchObject({ code: 0, stdout: "Imported: 2 sessions, 4 turns.\n" });
    const found = await pmJson<{ results: { session_id: string }[] }>(
      two,
      "search",
      "transcripts",
      "marsupial1x0",
    );
    expect(found.results[0]?.session_id).toBe("session-1");
    expect((await callPm(["sync"], { cwd: two.root })).stdout).toBe("Nothing new.\n");
    expect(await pmJson<Report>(two, "pull", "--force")).toMatchObject({ taken_in: { sessions: 0 } });
  });

  it("reject options that could leak data", async () => {
    await remember(one, 0, 1);
    const unfiltered = await callPm(["sync", "--no-filter"], { cwd: one.root });
    expect(unfiltered).toMatchObject({ code: 2, stdout: "" });
    expect((await callPm(["sync", "--no-filter", "--yes"], { cwd: one.root })).code).toBe(2);
    git(one.root, "remote", "set-url", "origin", "git@git.example.invalid:shop.git");
    const stranger = await callPm(["sync"], { cwd: one.root });
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toContain("--allow-public");
    expect(git(one.root, "for-each-ref")).not.toContain("pommel");
    git(one.root, "remote", "set-url", "origin", remote);
    expect(await pmJson<Report>(one, "sync", "--no-filter", "-y", "-y")).toMatchObject({ pushed: true });
    git(one.root, "remote", "set-url", "origin", join(remote, "gone"));
    await remember(one, 1, 1);
    const gone = await callPm(["sync", "--json"], { cwd: one.root });
    expect(gone.code).toBe(1);
    expect(JSON.parse(gone.stdout)).toMatchObject({
      shared: { sessions: 1 },
      trouble: { kind: "unreachable" },
    });
    expect((await callPm(["pull", "--json"], { cwd: one.root })).stdout).toContain('"sync_failed"');
  });

  it("encrypt with a passphrase from the environment", async () => {
    await remember(one, 0, 1);
    /** Not a secret: made here. */
    const phrase = ["a", "phrase", "of", "words"].join(" ");
    const env = { POMMEL_SYNC_ENCRYPTION: "passphrase", POMMEL_SYNC_PASSPHRASE: phrase };
    const pm = (project: Project, ...args: string[]) => callPm(args, { cwd: project.root, env });
    expect(await pm(one, "sync")).toMatchObject({ code: 0, stderr: expect.stringMatching(keyMade) });
    expect(git(remote, "ls-tree", "-r", branch)).not.toContain("session");
    expect((await pm(two, "pull")).stdout).toContain("1 session, 2 turns");
  });
});

/** Runs `pm`, which dies at one of its calls, unless it is done before. @returns whether it died */
async function killed(project: Project, call: number, ...args: string[]): Promise<boolean> {
  const { signal } = await runPm(args, { cwd: project.root, env: killedAtCall(Math.ceil(call)) });
  return signal === "SIGKILL";
}

/** Runs `pm`, and says how many calls it took. */
async function countCalls(project: Project, ...args: string[]): Promise<number> {
  const file = join(transcripts, "calls");
  const { code, stderr } = await runPm(args, { cwd: project.root, env: countingCalls(file) });
  expect({ code, stderr: stderr.replace(keyMade, "") }).toEqual({ code: 0, stderr: "" });
  return callsIn(file);
}

describe("killed with SIGKILL", () => {
  it("at points of pm share git and of pm share git --pull, nothing is lost and nothing comes twice", async () => {
    const points = runs(3);
    const third = cloned();
    await remember(one, 0, 12);
    // Their calls give the range of points.
    let syncCalls = await countCalls(one, "sync");
    const firstPullCalls = await countCalls(third, "pull");
    let nextPullCalls = await countCalls(third, "pull", "--force");
    const point = (n: number) => 0.3 + (0.7 * (n + 1)) / points;

    for (let n = 0; n < points; ) {
      await remember(one, 100 + n, 1);
      if (await killed(one, syncCalls * point(n), "sync")) n++;
      // There is less to do than there was.
      else syncCalls *= 0.8;
    }
    for (let n = 0; n < points; ) {
      const calls = n === 0 ? firstPullCalls : nextPullCalls;
      if (await killed(two, calls * point(n), "pull", "--force")) n++;
      else nextPullCalls *= 0.8;
    }

    // A push that outlived its process may still be at it.
    const last = await until(async () => {
      const report = await pmJson<Report>(one, "sync");
      return report.trouble === null ? report : null;
    });
    expect(last.problems).toEqual([]);
    await pmJson(two, "pull");
    expect(remembered(one).sessions).toHaveLength(12 + points);
    expect(remembered(two)).toEqual(remembered(one));
    expect(await pmJson<Report>(two, "sync")).toMatchObject({ shared: { sessions: 0 }, pushed: false });
    for (const dir of [remote, one.root, two.root]) {
      expect(git(dir, "fsck", "--no-dangling", "--no-progress")).toBe("");
      expect(git(dir, "rev-parse", branch)).toBe(git(remote, "rev-parse", branch));
      expect(git(dir, "for-each-ref", "refs/pommel/writing")).toBe("");
      expect(existsSync(join(dir, ".git/index.lock"))).toBe(false);
    }
  });
});
