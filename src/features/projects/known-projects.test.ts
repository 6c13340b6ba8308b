import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { makeNewProject, makeProject, type Project } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { Registry } from "../../store/registry.ts";
import { describeProjects } from "./describe-projects.ts";
import {
  deleteProject,
  findProjectByName,
  joinProject,
  readMemorySize,
  splitCheckout,
} from "./known-projects.ts";

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

/** A known project with a session of its name. @param of another project whose checkout it is */
async function known(name: string, of?: Project): Promise<Project> {
  const root = join(home.dir, name);
  mkdirSync(root, { recursive: true });
  const project = of ? makeProject(of.id, root) : makeNewProject(root);
  await rememberProject(project);
  if (!of) remember(project, name);
  mkdirSync(project.cacheDir, { recursive: true });
  return project;
}

function remember({ memoryDb }: Project, session: string): void {
  const memory = Memory.open(memoryDb, { readonly: false });
  const content = packContent([
    {
      uid: `${session}-1`,
      seq: 1,
      at: 1000,
      entries: [{ kind: "prompt", text: `about ${session}`, images: 0 }],
    },
  ]);
  saveTurn(memory, addSession(memory, session, { startedAt: 1000, lastAt: 1500 }).id, turn(1, { content }));
  memory.close();
}
const sessionsOf = async (project: Project) => (await readMemorySize(project)).sessions;

it("lists projects with their checkouts and their remote without credentials, and says what is gone", async () => {
  const secret = `ghp_${"x".repeat(36)}`;
  const one = await known("one");
  const again = await known("again", one);
  execFileSync("git", ["init", "-q", one.root]);
  const url = `https://me:${secret}@example.com/one.git`;
  execFileSync("git", ["-C", one.root, "remote", "add", "origin", url]);
  await rememberProject(one, { named: true });
  await known("two");
  expect(listProjects().find(({ id }) => id === one.id)).toMatchObject({
    name: "one",
    remotes: ["example.com/one"],
    isNamed: true,
    isGone: false,
    project: { memoryDb: one.memoryDb },
  });
  rmSync(one.root, { recursive: true });
  const seen = () => listProjects().find(({ id }) => id === one.id)!;
  expect(seen()).toMatchObject({ isGone: false, project: { root: again.root } });
  expect(Object.fromEntries(seen().checkouts.map(({ root, isGone }) => [root, isGone]))).toEqual({
    [one.root]: true,
    [again.root]: false,
  });
  rmSync(again.root, { recursive: true });
  expect(seen().isGone).toBe(true);
  expect(JSON.stringify(await describeProjects())).not.toContain(secret);
});

it("finds a project by a directory, its id, or a name that only one has", async () => {
  const one = await known("one");
  const again = await known("again", one);
  await known("group/one");
  expect(findProjectByName("again", home.dir)).toEqual(again);
  expect(findProjectByName(".", again.root)).toEqual(again);
  expect(findProjectByName(one.id, "/").id).toBe(one.id);
  expect(() => findProjectByName("one", "/")).toThrow("2 projects are called one");
  expect(() => findProjectByName("four", "/")).toThrow("There is no project four");
});

it("forgets a project with all that is stored of it, and nothing of another", async () => {
  const one = await known("one");
  const again = await known("again", one);
  const two = await known("two");
  deleteProject(one);
  expect([one.dataDir, one.cacheDir, again.cacheDir].map((dir) => existsSync(dir))).toEqual([
    false,
    false,
    false,
  ]);
  expect([one.root, two.dataDir, two.cacheDir].map((dir) => existsSync(dir))).toEqual([true, true, true]);
  expect(listProjects().map(({ id }) => id)).toEqual([two.id]);
});

describe("joining", () => {
  it("puts what the only checkout of a project recorded into the other's memory", async () => {
    const [one, two] = [await known("one"), await known("two")];
    await joinProject(one, two);
    expect(Registry.open().findCheckoutAt(one.root)?.project).toBe(two.id);
    expect(existsSync(one.dataDir)).toBe(false);
    expect(await sessionsOf(two)).toBe(2);
    expect(listProjects().map(({ id }) => id)).toEqual([two.id]);
    await expect(joinProject(makeProject(two.id, one.root), two)).rejects.toMatchObject({ code: "usage" });
  });

  it("leaves a project that has other checkouts its memory", async () => {
    const [one, two] = [await known("one"), await known("two")];
    const again = await known("again", one);
    await joinProject(again, two);
    expect(await sessionsOf(one)).toBe(1);
    expect(await sessionsOf(two)).toBe(1);
    expect(Registry.open().findCheckoutAt(again.root)?.project).toBe(two.id);
  });
});

describe("splitting", () => {
  it("makes a checkout a project of its own, with nothing recorded", async () => {
    const one = await known("one");
    const again = await known("again", one);
    const id = splitCheckout(again);
    expect(id).not.toBe(one.id);
    expect(Registry.open().findCheckoutAt(again.root)).toMatchObject({ project: id });
    expect(Registry.open().findProjectById(id)).toMatchObject({ roots: [], remotes: [] });
    expect(await sessionsOf(makeProject(id, again.root))).toBeNull();
    expect(await sessionsOf(one)).toBe(1);
  });

  it("is refused where there is nothing to split from", async () => {
    const one = await known("one");
    expect(() => splitCheckout(one)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
