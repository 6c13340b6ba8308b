import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { withMemory } from "../../answers/open.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { listAttributions, saveAttributions } from "../../store/memory/commits/attributions.ts";
import { findCheckpointOfCommit, saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash, saveCommit } from "../../store/memory/commits/commits.ts";
import { Memory } from "../../store/memory/memory.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { deleteProject } from "../projects/known-projects.ts";
import { addEvent, changeLinks, closeEvent, listEvents, showEvent } from "./events.ts";

let dir: string;
let project: Project;
let head: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-events-")));
  mkdirSync(join(dir, ".pommel"));
  writeFileSync(join(dir, ".pommel", "config.toml"), "");
  project = makeNewProject(dir);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "Rewrite auth");
  head = git("rev-parse", "HEAD");
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const first = addSession(memory, "aaa-first", {
    branch: "feat/auth-rewrite",
    startedAt: 1000,
    lastAt: 2000,
    title: { text: "Token refresh", source: "agent" },
  });
  saveTurn(memory, first.id, turn(1));
  addSession(memory, "bbb-second", { branch: "main", startedAt: 3000, lastAt: 4000 });
  const { id: commitId } = saveCommit(
    memory,
    {
      hash: head,
      tree: "t",
      parents: [],
      branch: "feat/auth-rewrite",
      author: "Ann",
      authoredAt: 2500,
      committedAt: 2500,
      subject: "Rewrite auth",
      patchId: null,
      rewrittenFrom: [],
      insertions: 12,
      deletions: 0,
      seen: "hook",
      attributed: 1,
    },
    [],
  );
  const binding = { sessionUid: "aaa-first", turns: [1], lines: 10, how: "lines" as const, confidence: 1 };
  const uid = head.slice(0, 12);
  saveCheckpoint(memory, {
    uid,
    commitId,
    parentUid: null,
    agentState: {},
    createdAt: 2500,
    sessions: [binding],
  });
  const range = { path: "a.ts", turn: null, toolUse: null, model: null, confidence: 1, how: "edit" as const };
  saveAttributions(memory, commitId, [
    { ...range, firstLine: 1, lastLine: 10, author: "agent", sessionUid: "aaa-first" },
    { ...range, firstLine: 11, lastLine: 11, author: "human", sessionUid: null },
    { ...range, firstLine: 12, lastLine: 12, author: "agent", sessionUid: null },
  ]);
  memory.close();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const show = (name: string) => showEvent(project, name);
const list = (request = {}) => withMemory(project, (memory) => listEvents(memory, request));

it("accepts a suggestion, and shows what belongs to it and who wrote its lines", async () => {
  const { suggestions, events } = await list();
  expect(events).toEqual([]);
  expect(suggestions).toEqual([
    {
      branch: "feat/auth-rewrite",
      title: "auth rewrite",
      sessions: 1,
      checkpoints: 1,
      last_at: "1970-01-01T00:00:02.500Z",
      accept: "pm event create --from-branch feat/auth-rewrite",
    },
  ]);
  await addEvent(project, { branch: "feat/auth-rewrite" });
  await changeLinks(project, { event: "auth", add: ["bbb"] });
  expect(await show("auth")).toMatchObject({
    event: { title: "auth rewrite", status: "active" },
    from: "1970-01-01T00:00:01.000Z",
    to: "1970-01-01T00:00:04.000Z",
    sessions: [
      { id: "bbb-second", because: "link", commits: [], turns: 0 },
      { id: "aaa-first", because: "branch", commits: [head], title: "Token refresh", turns: 1 },
    ],
    checkpoints: [{ id: head.slice(0, 12), commit: head, subject: "Rewrite auth", because: "branch" }],
    lines: { agents: { claude: 10, agent: 1 }, human: 1, unknown: 0 },
  });
  expect((await list({ query: "token" })).events).toMatchObject([{ sessions: 2, checkpoints: 1 }]);
  expect((await list()).suggestions).toEqual([]);
});

it("takes commits by any name that git has for them", async () => {
  await addEvent(project, {
    title: "v2",
    type: "milestone",
    checkpoints: ["HEAD"],
    sessions: ["aaa"],
  });
  const { checkpoints, sessions, lines } = await show("v2");
  expect(checkpoints.map(({ commit, because }) => [commit, because])).toEqual([[head, "link"]]);
  expect(sessions.map(({ id }) => id)).toEqual(["aaa-first"]);
  expect(lines?.human).toBe(1);
  await changeLinks(project, { event: "v2", remove: ["HEAD", "aaa"] });
  expect(await show("v2")).toMatchObject({ sessions: [], checkpoints: [], lines: null, from: null });
  await expect(changeLinks(project, { event: "v2", add: ["HEAD~1"] })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(changeLinks(project, { event: "v3", add: ["aaa"] })).rejects.toMatchObject({
    code: "not_found",
  });
});

it("counts the lines of an amended commit once", async () => {
  await addEvent(project, { title: "auth", sessions: ["aaa"] });
  const before = (await show("auth")).lines;
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const { id: _, ...old } = findCommitByHash(memory, head)!;
  const hash = "f".repeat(40);
  const { id } = saveCommit(memory, { ...old, hash, rewrittenFrom: [head] }, []);
  const sessions = findCheckpointOfCommit(memory, head)!.sessions;
  saveCheckpoint(memory, {
    uid: hash.slice(0, 12),
    commitId: id,
    parentUid: null,
    agentState: {},
    createdAt: 2500,
    sessions,
  });
  saveAttributions(memory, id, listAttributions(memory, findCommitByHash(memory, head)!.id));
  memory.close();
  expect((await show("auth")).lines).toEqual(before);
});

it("closes and archives; lists leave archived ones out and count them", async () => {
  await addEvent(project, { title: "one" });
  await addEvent(project, { title: "two" });
  expect(await closeEvent(project, "one", "archived")).toMatchObject({ before: "active" });
  await closeEvent(project, "two", "frozen");
  expect(await list()).toMatchObject({ events: [{ title: "two", status: "frozen" }], archived: 1 });
  expect((await list({ status: "all" })).events).toHaveLength(2);
  expect((await list({ status: "archived" })).events).toMatchObject([{ title: "one" }]);
  expect((await closeEvent(project, "one", "active")).event).toMatchObject({
    status: "active",
    ends_at: null,
  });
});

it("suggests no branch on which nothing was said, and gives a session no commit that is maybe its", async () => {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  addSession(memory, "ccc", { branch: "opened-only", lastAt: 9000 });
  const guess = { sessionUid: "bbb-second", turns: [], lines: 0, how: "touched" as const, confidence: 0.6 };
  const { uid } = findCheckpointOfCommit(memory, head)!;
  const { id: commitId } = findCommitByHash(memory, head)!;
  saveCheckpoint(memory, {
    uid,
    commitId,
    parentUid: null,
    agentState: {},
    createdAt: 2500,
    sessions: [guess],
  });
  memory.close();
  expect((await list()).suggestions.map(({ branch }) => branch)).toEqual(["feat/auth-rewrite"]);
  await addEvent(project, { title: "mine", sessions: ["bbb"] });
  expect((await show("mine")).sessions).toMatchObject([{ id: "bbb-second", commits: [] }]);
});

it("quotes a branch for the shell where it has to", async () => {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  saveTurn(memory, addSession(memory, "ccc", { branch: "it's $(odd)", lastAt: 9000 }).id, turn(1));
  memory.close();
  expect((await list()).suggestions[0]).toMatchObject({
    accept: `pm event create --from-branch 'it'\\''s $(odd)'`,
  });
});

describe("work in another project of this person", () => {
  let home: ReturnType<typeof temporaryHome>;
  let other: Project;
  beforeEach(async () => {
    home = temporaryHome();
    const root = join(home.dir, "other");
    mkdirSync(root);
    other = makeNewProject(root);
    await rememberProject(other);
    const memory = Memory.open(other.memoryDb, { readonly: false });
    const { id } = addSession(memory, "ccc-elsewhere", { startedAt: 5000, lastAt: 6000 });
    saveTurn(memory, id, turn(1));
    memory.close();
  });
  afterEach(() => home.remove());

  it("is linked by its id, shown with its project, and taken out again", async () => {
    // The memory above lies in another home.
    const here = makeNewProject(dir);
    await rememberProject(here);
    await addEvent(here, { title: "across", sessions: ["ccc"] });
    expect(await showEvent(here, "across")).toMatchObject({
      to: "1970-01-01T00:00:06.000Z",
      sessions: [{ id: "ccc-elsewhere", project: other.root, is_known: true, turns: 1, because: "link" }],
    });
    expect(await withMemory(here, (memory) => listEvents(memory, {}))).toMatchObject({
      events: [{ sessions: 1 }],
    });
    await changeLinks(here, { event: "across", remove: ["ccc"] });
    expect(await showEvent(here, "across")).toMatchObject({ sessions: [] });
    await expect(changeLinks(here, { event: "across", add: ["ddd"] })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("is counted as not on this machine once its project is forgotten", async () => {
    const here = makeNewProject(dir);
    await rememberProject(here);
    await addEvent(here, { title: "across", sessions: ["ccc"] });
    deleteProject(other);
    expect(await showEvent(here, "across")).toMatchObject({ sessions: [{ is_known: false, project: null }] });
  });
});
