import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readSpool } from "../../src/answers/daemon/operation.ts";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { listAttributions } from "../../src/store/memory/commits/attributions.ts";
import { findCheckpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../src/store/memory/commits/commits.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import type { CheckpointRecord } from "../../src/store/memory/memory-records.ts";
import { listObservationsOfFile } from "../../src/store/memory/observations.ts";
import type { TranscriptFixture } from "../support/transcript-fixture.ts";
import {
  cleanUp,
  createProject,
  start,
  status,
  until,
  untilIdle,
  untilStopped,
  write,
} from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";
import { sessionIn, transcriptDir, untilRead } from "./sessions-fixture.ts";

/** What the daemon makes of commits while agents and people work. */

let project: Project;
const text = "export const attempts = 3;\nexport const delay = 100;\n";

beforeEach(() => {
  project = createProject({ "src/retry.ts": text });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  writeFileSync(join(project.root, ".gitignore"), "dist\n");
  // Later turns come after it.
  const anHourAgo = `${Math.floor(Date.now() / 1000) - 3600} +0000`;
  process.env.GIT_AUTHOR_DATE = anHourAgo;
  process.env.GIT_COMMITTER_DATE = anHourAgo;
  commit("Begin");
  delete process.env.GIT_AUTHOR_DATE;
  delete process.env.GIT_COMMITTER_DATE;
});

const removeAll = async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
};

function git(...args: string[]): string {
  return execFileSync("git", ["-C", project.root, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
}

function commit(message: string): string {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
  return git("rev-parse", "HEAD");
}

/** What git's post-commit hook runs. */
async function tellOfCommit(): Promise<void> {
  const args = ["hook", "git-post-commit", git("rev-parse", "HEAD"), git("symbolic-ref", "HEAD")];
  expect(await runPm(args, { cwd: project.root })).toMatchObject({ code: 0, stderr: "", stdout: "" });
}

/** A session that begins now. */
function session(name: string): TranscriptFixture {
  const id = `${name.repeat(8)}-1111-4111-8111-111111111111`;
  return sessionIn(project, id, { start: new Date(Date.now() - 4000).toISOString() });
}

/** The agent changes the file, and its transcript says so. */
function edit(made: TranscriptFixture, from: string, to: string): void {
  const file = join(project.root, "src/retry.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  made.edit(file, from, to);
}

function remembered<T>(look: (memory: Memory) => T): T {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  try {
    return look(memory);
  } finally {
    memory.close();
  }
}

const untilCheckpoint = (hash: string): Promise<CheckpointRecord> =>
  until(() => remembered((memory) => findCheckpointOfCommit(memory, hash)));
const untilKnown = (hash: string) => until(() => remembered((memory) => findCommitByHash(memory, hash)));
const authors = (hash: string) =>
  remembered((memory) =>
    listAttributions(memory, findCommitByHash(memory, hash)!.id).map(
      ({ firstLine, lastLine, author, sessionUid, turn }) => [firstLine, lastLine, author, sessionUid, turn],
    ),
  );

describe("a daemon that answers for all their projects", () => {
  afterAll(removeAll);

  test("a commit is bound to the session that led to it, and to its turn", async () => {
    await start(project);
    const made = session("a");
    made.prompt("Make it try five times");
    edit(made, "export const attempts = 3;", "export const attempts = 5;");
    made.reply("It tries five times now.");
    made.writeTo(transcriptDir(project));
    const hash = commit("Try more often");
    await tellOfCommit();
    const checkpoint = await untilCheckpoint(hash);
    expect(checkpoint.sessions).toMatchObject([
      { sessionUid: made.session, turns: [1], lines: 1, how: "lines" },
    ]);
    // Whether the hook or the reflog told of it first is chance.
    expect(checkpoint.commit).toMatchObject({ branch: "main", subject: "Try more often" });
    expect(authors(hash)).toEqual([[1, 1, "agent", made.session, 1]]);
    await until(async () => (await status(project)).memory.checkpoints === 1);
  });

  test("the agent's later text about a commit still counts", async () => {
    await start(project);
    const dir = transcriptDir(project);
    const made = session("b");
    made.prompt("Make it try six times, and commit");
    made.writeTo(dir);
    await untilRead(project);
    edit(made, "export const attempts = 3;", "export const attempts = 6;");
    const hash = commit("Try six times");
    await tellOfCommit();
    await untilKnown(hash);
    expect(remembered((memory) => findCheckpointOfCommit(memory, hash))).toBe(null);
    // The turn's lines come when it is over.
    made.wait(10_000);
    made.reply("Committed.");
    made.writeTo(dir);
    expect((await untilCheckpoint(hash)).sessions).toMatchObject([{ sessionUid: made.session, turns: [1] }]);
  });

  test("a commit without hooks is noticed; a person's own has no checkpoint", async () => {
    await start(project);
    write(project, "src/mine.ts", "export const mine = true;\n");
    const hash = commit("By hand");
    expect((await untilKnown(hash)).seen).toBe("reflog");
    expect(remembered((memory) => findCheckpointOfCommit(memory, hash))).toBe(null);
  });

  test("when lines showed up is noted as files change", async () => {
    await start(project);
    // Lines that exist when the daemon starts are older.
    await untilIdle(project);
    write(project, "src/retry.ts", `${text}export const jitter = 7;\n`);
    const seen = await until(() => {
      const found = remembered((memory) =>
        listObservationsOfFile(memory, "src/retry.ts", { since: 0, until: Date.now() + 1000 }),
      );
      return found.length > 0 ? found : null;
    });
    expect(seen.map(({ keys }) => keys.length)).toEqual([1]);
  });

  test("sessions.capture = false leaves commits alone", async () => {
    writeFileSync(project.configFile, "[sessions]\ncapture = false\n");
    await start(project);
    write(project, "src/mine.ts", "export const mine = true;\n");
    commit("By hand");
    await tellOfCommit();
    await callDaemon(project.root, readSpool, {});
    write(project, "src/more.ts", "export const more = true;\n");
    await until(async () => (await status(project)).index.total_files >= 3);
    const { commits, commits_waiting, jobs } = (await status(project)).memory;
    expect({ commits, commits_waiting, pending: jobs.pending }).toEqual({
      commits: 0,
      commits_waiting: 0,
      pending: 0,
    });
  });

  test("a push is followed by sharing where that is wanted", async () => {
    const remote = temporaryDir();
    execFileSync("git", ["init", "--quiet", "--bare", remote]);
    git("remote", "add", "origin", remote);
    git("push", "--quiet", "origin", "main");
    writeFileSync(project.configFile, "[sync]\non_push = true\n");
    try {
      await start(project);
      const made = session("d");
      made.prompt("Why does the heron fail at night?");
      made.reply("It sleeps.");
      made.writeTo(transcriptDir(project));
      await until(async () => (await status(project)).memory.turns === 1);
      expect(await runPm(["hook", "git-pre-push", "origin"], { cwd: project.root })).toMatchObject({
        code: 0,
      });
      const shared = () =>
        execFileSync("git", ["-C", remote, "branch", "--list", "pommel/*"], { encoding: "utf8" });
      await until(() => shared().includes("pommel/memory/v1"));
    } finally {
      rmSync(remote, { recursive: true, force: true });
    }
  });

  // The last one: it stops the daemon that the others share.
  test("commits that were made while no daemon ran are caught up on; an amended one keeps its session", async () => {
    const made = session("c");
    await start(project);
    await callPm(["stop"], { cwd: project.root });
    await untilStopped();
    made.prompt("Make it try seven times");
    edit(made, "export const attempts = 3;", "export const attempts = 7;");
    made.reply("Done.");
    made.writeTo(transcriptDir(project));
    const first = commit("Try seven times");
    await start(project);
    await untilCheckpoint(first);
    git("commit", "--quiet", "--amend", "-m", "Try seven times, really");
    const amended = git("rev-parse", "HEAD");
    await tellOfCommit();
    const pairs = `${first} ${amended}\n`;
    expect(
      await runPm(["hook", "git-post-rewrite", "amend"], { cwd: project.root, input: pairs }),
    ).toMatchObject({
      code: 0,
    });
    expect((await untilCheckpoint(amended)).sessions).toMatchObject([{ sessionUid: made.session }]);
    await until(() =>
      remembered((memory) => findCommitByHash(memory, amended)!.rewrittenFrom.includes(first)),
    );
  });
});
