import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callPm, temporaryDir } from "./run-pm.ts";

let dir: string;
let main: string;
beforeEach(async () => {
  dir = temporaryDir("pommel-worktrees-");
  main = join(dir, "main");
  mkdirSync(join(main, "src"), { recursive: true });
  git(main, "init", "--quiet");
  writeFileSync(join(main, "src/a.ts"), "export const one = 1;\n");
  commit(main, "One");
});
afterEach(async () => {
  await callPm(["stop"], { cwd: dir });
});

function git(cwd: string, ...args: string[]): string {
  // Repositories whose first commits are the same are one project.
  const who = ["-c", "user.name=a", "-c", `user.email=${basename(dir)}@b.c`];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8" }).trim();
}
function commit(cwd: string, message: string): void {
  git(cwd, "add", ".");
  git(cwd, "commit", "--quiet", "--message", message);
}
async function json(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await callPm([...args, "--json"], { cwd });
  expect({ args, code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ args, code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe.each([
  ["beside the main one", "../linked"],
  ["inside of it", ".worktrees/linked"],
])("in a linked worktree %s", (_, path) => {
  let linked: string;
  beforeEach(async () => {
    await json(main, "init", "--no-hooks");
    git(main, "worktree", "add", "--quiet", path);
    linked = join(main, path);
    writeFileSync(join(linked, "src/a.ts"), "// Moved down.\nexport const one = 1;\n");
    commit(linked, "Two");
  });

  it("commands answer of the project's memory, and of the index and the files that are here", async () => {
    const below = join(linked, "src");
    await json(below, "reindex");
    const { results } = await json(below, "search", "code", "one");
    expect(results[0]).toMatchObject({ file: "src/a.ts" });
    expect(await json(below, "status")).toMatchObject({ project: linked });
    await json(below, "note", "from the worktree");
    expect((await json(main, "annotations")).total).toBe(1);
    expect(
      (await json(below, "blame", "a.ts")).ranges.map((range: { subject: string }) => range.subject),
    ).toEqual(["Two", "One"]);
    expect(await json(below, "why", `${below}/a.ts:1`)).toMatchObject({ file: "src/a.ts" });
    writeFileSync(join(below, "b.ts"), "");
    const { stdout } = await callPm(["related"], { cwd: below });
    expect(stdout).not.toContain("No uncommitted changes");
    for (const command of [
      ["session", "list"],
      ["decisions", "--file", "a.ts"],
      ["stats", "--path", "a.ts"],
      ["checkpoint", "list"],
      ["checkpoint", "backfill"],
      ["event", "list"],
      ["context"],
      ["daemon", "queue"],
      ["config", "get", "search.limit"],
      ["forget", "--match", "nothing", "--dry-run"],
      ["memory", "scrub", "--check"],
      ["import", "claude", "--dry-run"],
    ]) {
      await json(below, ...command);
    }
  });

  it("a restore is of the files that are here", async () => {
    const { restored } = await json(linked, "rewind", "HEAD~", "--restore");
    expect(restored.changed).toBe(true);
    expect(git(linked, "status", "--porcelain")).toBe("M  src/a.ts");
    expect(git(main, "diff", "HEAD", "--name-only")).toBe("");
  });
});

it("of a bare repository, all share one memory", async () => {
  git(dir, "clone", "--quiet", "--bare", "main", "bare.git");
  const bare = join(dir, "bare.git");
  for (const name of ["a", "b"]) git(bare, "worktree", "add", "--quiet", "-b", name, join(dir, name));
  await json(join(dir, "a"), "init", "--no-hooks");
  await json(join(dir, "b", "src"), "note", "from the other one");
  expect((await json(join(dir, "a"), "annotations")).total).toBe(1);
});

it("the memory outlives its checkouts: cleaned, deleted, cloned again, copied and moved while a daemon has them open", async () => {
  const url = "https://git.example.test/team/main.git";
  git(main, "remote", "add", "origin", url);
  const origin = join(dir, "origin.git");
  git(dir, "clone", "--quiet", "--bare", "main", origin);
  await json(main, "init", "--no-hooks");
  await json(main, "start");
  await json(main, "note", "kept");
  const isThere = async (root: string) => {
    const { annotations } = await json(root, "annotations");
    const { results } = await json(root, "search", "code", "one");
    const { commit } = (await json(root, "why", "src/a.ts:1")).origins[0];
    expect({ root, notes: annotations.length, file: results[0]?.file, subject: commit.subject }).toEqual({
      root,
      notes: 1,
      file: "src/a.ts",
      subject: "One",
    });
  };
  await isThere(main);
  git(main, "clean", "-fdxq");
  await isThere(main);
  rmSync(main, { recursive: true });
  git(dir, "clone", "--quiet", origin, main);
  git(main, "remote", "set-url", "origin", url);
  await isThere(main);
  const [copy, moved] = [join(dir, "copy"), join(dir, "moved")];
  cpSync(main, copy, { recursive: true });
  await isThere(copy);
  renameSync(copy, moved);
  await isThere(moved);
  renameSync(main, copy);
  await isThere(copy);
});
