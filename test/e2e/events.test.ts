import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { replaceChunks } from "../../src/store/memory/chunks/chunks.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, chunk, turn } from "../support/memory-fixture.ts";
import { temporaryGit } from "../support/repository-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";
import { sessionIn, transcriptDir, untilRead } from "./sessions-fixture.ts";

/** What people and scripts see of events, and of several projects, from the terminal. */

interface Event {
  id: string;
  title: string;
  status: string;
  branch: string | null;
  sessions: number;
  checkpoints: number;
}
interface Events {
  events: Event[];
  total: number;
  suggestions: { title: string; branch: string }[];
}
interface Shown {
  event: Event;
  sessions: { id: string; because: string }[];
  checkpoints: { id: string; because: string }[];
  lines: { agents: Record<string, number>; human: number; unknown: number } | null;
}

const session = (n: number) => `${`${n}`.repeat(8)}-0000-4000-8000-000000000000`;

let project: Project;
let other: Project;
/** The commit on the branch. */
let commit: string;

beforeAll(async () => {
  project = createProject({});
  other = createProject({});
  const repository = temporaryGit(project.root);
  repository.commit("Start", { "README.md": "# Auth\n" });
  repository.git("switch", "--quiet", "--create", "feat/auth-rewrite");
  await start(project);
  const soon = { start: new Date(Date.now() - 5000).toISOString() };
  const fixture = sessionIn(project, session(1), { ...soon, branch: "feat/auth-rewrite" });
  fixture.prompt("rewrite the authentication with a lock");
  fixture.write(join(project.root, "auth.ts"), "export const rewritten = lockOf(session);\n");
  fixture.writeTo(transcriptDir(project));
  const lunch = sessionIn(project, session(2), soon);
  lunch.prompt("what is for lunch, a lock or a key?");
  lunch.reply("A key.");
  lunch.writeTo(transcriptDir(project));
  writeFileSync(join(project.root, "auth.ts"), "export const rewritten = lockOf(session);\n");
  repository.git("add", "--all");
  const now = `${Math.floor(Date.now() / 1000)} +0000`;
  const dates = { GIT_AUTHOR_DATE: now, GIT_COMMITTER_DATE: now };
  const author = ["-c", "user.name=Ann", "-c", "user.email=a@b.c"];
  execFileSync("git", [...author, "commit", "--quiet", "-m", "Rewrite it"], {
    cwd: project.root,
    env: { ...process.env, ...dates },
  });
  commit = repository.git("rev-parse", "HEAD");
  // What git's hook runs.
  await runPm(["hook", "git-post-commit", commit, "refs/heads/feat/auth-rewrite"], { cwd: project.root });
  await until(async () => (await pmJson<{ total: number }>(project, "checkpoint")).total === 1);
  await untilRead(project);
  remember(other, session(3), "a lock for the other project");
  // Both are on the list of projects with this.
  await pmJson(other, "note", "Locks are taken in the order of their names.");
});
afterAll(async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
});

function remember({ memoryDb, root }: Project, uid: string, said: string): void {
  const memory = Memory.open(memoryDb, { readonly: false });
  const { id } = addSession(memory, uid, { cwd: root });
  // The daemon cuts it again, from what is archived.
  const entries = [{ kind: "prompt" as const, text: said, images: 0 }];
  const content = packContent([{ uid: null, seq: 0, at: 1000, entries }]);
  saveTurn(memory, id, turn(1, { prompt: said, content }));
  replaceChunks(memory, id, { type: "raw", from: 0 }, [
    chunk(0, `[USER] ${said}`, { session: uid, turn: 1 }),
  ]);
  memory.close();
}

const pm = (...args: string[]) => callPm(args, { cwd: project.root });
const events = (...args: string[]) => pmJson<Events>(project, "event", "list", ...args);
const show = (name: string) => pmJson<Shown>(project, "event", "show", name);

describe("pm event", () => {
  it("suggests a branch that was worked on, and makes an event of it once", async () => {
    expect(await events()).toMatchObject({
      events: [],
      suggestions: [{ title: "auth rewrite", branch: "feat/auth-rewrite" }],
    });
    expect((await pm("event")).stdout).toContain("pm event create --from-branch feat/auth-rewrite");
    const made = await pmJson<Event>(project, "event", "create", "--from-branch", "feat/auth-rewrite");
    expect(made).toMatchObject({
      title: "auth rewrite",
      type: "task",
      status: "active",
      branch: "feat/auth-rewrite",
    });
    expect(await events()).toMatchObject({ events: [{ id: made.id, checkpoints: 1 }], suggestions: [] });
    const again = await pm("event", "create", "more", "--branch", "feat/auth-rewrite");
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toContain(`pm event show ${made.id}`);
  });

  it("has what its branch brought in, and what was linked and unlinked by hand", async () => {
    const uid = commit.slice(0, 12);
    const shown = await show("auth rewrite");
    expect(shown.checkpoints).toMatchObject([{ id: uid, because: "branch" }]);
    expect(shown.lines).toEqual({ agents: { claude: 1 }, human: 0, unknown: 0 });
    expect(shown.sessions).toMatchObject([{ id: session(1), because: "branch" }]);
    const linked = await pmJson(project, "event", "link", "auth", session(1).slice(0, 8));
    expect(linked).toMatchObject({ targets: [{ kind: "session", id: session(1) }] });
    await pmJson(project, "event", "unlink", "auth", "HEAD");
    const after = await show(shown.event.id.slice(0, 6));
    expect(after).toMatchObject({ sessions: [{ id: session(1), because: "link" }], checkpoints: [] });
    await pmJson(project, "event", "link", "auth", commit.slice(0, 9));
    expect((await pm("event", "show", "auth")).stdout).toContain(uid);
  });

  it("limits a search to what belongs to it", async () => {
    const found = await pmJson<{ results: { session_id: string }[] }>(
      project,
      "search",
      "transcripts",
      "lock lunch",
      "--event",
      "auth",
    );
    expect(found.results.map(({ session_id }) => session_id)).toEqual([session(1)]);
  });

  it("is closed, put away, and goes on", async () => {
    const { id } = (await show("auth")).event;
    expect(await pmJson(project, "event", "close", "auth")).toMatchObject({
      before: "active",
      event: { status: "frozen" },
    });
    await pmJson(project, "event", "close", id, "--archive");
    expect((await events()).events).toEqual([]);
    expect((await events("--status", "archived")).events).toMatchObject([{ id }]);
    expect((await pm("event")).stdout).toContain("1 archived event");
    await pmJson(project, "event", "close", id, "--reopen");
    expect(await show(id)).toMatchObject({ event: { status: "active", ends_at: null } });
  });

  it.each([
    [["create"], 2],
    [["create", "x", "--type", "odd"], 2],
    [["create", "x", "--type", "task", "--since", "yesterday"], 2],
    [["create", "x", "--checkpoint", "nothing"], 5],
    [["show", "nothing"], 5],
    [["link", "auth", "nothing"], 5],
    [["link", "auth"], 2],
    [["list", "--status", "odd"], 2],
  ])("%j ends with %d, and a word on what to do", async (args, code) => {
    const result = await pm("event", ...args);
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(/^error: .+\nhint: ./);
  });

  it("is asked for by more than a name where several have it", async () => {
    await pmJson(project, "event", "create", "auth rewrite", "--type", "milestone");
    const { code, stderr } = await pm("event", "show", "auth rewrite");
    expect({ code, isTold: /Several events/.test(stderr) }).toEqual({ code: 2, isTold: true });
  });
});

describe("several projects", () => {
  /** Outside of every project. */
  const anywhere = temporaryDir();
  const fromAnywhere = async <T>(...args: string[]) => {
    const { code, stdout, stderr } = await callPm([...args, "--json"], { cwd: anywhere });
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  };

  it("are known wherever one is, with where and when", async () => {
    const { projects } = await fromAnywhere<{ projects: Record<string, unknown>[] }>("projects");
    const known = new Map(projects.map((one) => [one.root, one]));
    expect([...known.keys()].sort()).toEqual([project.root, other.root].sort());
    expect(known.get(project.root)).toMatchObject({ is_gone: false, remote: null });
    expect((await callPm(["projects"], { cwd: anywhere })).stdout).toContain(other.root);
  });

  it("are searched at once, and their sessions listed", async () => {
    const { results } = await fromAnywhere<{ results: { session_id: string | null; project: string }[] }>(
      "search",
      "transcripts",
      "lock",
      "--all-projects",
    );
    const where = new Map(results.map((result) => [result.session_id, result.project]));
    expect(where.get(session(1))).toBe(project.root);
    expect(where.get(session(3))).toBe(other.root);
    const text = await callPm(["search", "--all-projects", "lock"], { cwd: anywhere });
    expect(text).toMatchObject({ code: 0 });
    expect(text.stdout).toContain(other.root);
    const sessions = await callPm(["session", "list", "--all-projects"], { cwd: anywhere });
    for (const part of [project.root, other.root, session(1).slice(0, 8), session(3).slice(0, 8)]) {
      expect(sessions.stdout).toContain(part);
    }
  });

  it("are left out where they cannot be read, and forgotten when they are gone", async () => {
    const gone = createProject({});
    await pmJson(gone, "note", "Not for long.");
    rmSync(gone.root, { recursive: true });
    const found = await callPm(["search", "transcripts", "lock", "--all-projects"], { cwd: anywhere });
    expect(found.code).toBe(0);
    expect(found.stdout).toContain(session(1).slice(0, 8));
    expect((await callPm(["projects"], { cwd: anywhere })).stdout).toContain("gone");
    await fromAnywhere("projects", "forget", gone.root, "--yes");
    await fromAnywhere("projects", "forget", other.root, "--yes");
    expect([existsSync(gone.memoryDb), existsSync(other.memoryDb)]).toEqual([false, false]);
    expect((await callPm(["projects", "forget", "/nowhere"], { cwd: anywhere })).code).toBe(2);
  });
});
