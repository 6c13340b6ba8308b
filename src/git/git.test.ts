import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { all, newRepository, type TestRepository } from "../../test/support/repository-fixture.ts";
import { makeNewProject } from "../base/paths.ts";
import { blameFile } from "./diff/blame.ts";
import { streamChangedFiles } from "./diff/changes.ts";
import { GitFailure, readGitBuffer, readGitText } from "./git.ts";
import { findHooksPlace } from "./hooks/place.ts";
import { findWorkingTree, listDifferences, patchSince, restoreTo } from "./rewind.ts";
import { listUncommittedFiles } from "./working-files.ts";

/** A repository whose configuration names a program wherever git could run one; it leaves a mark. */

let hostile: TestRepository;
let mark: string;
let program: string;

beforeAll(() => {
  hostile = newRepository();
  const { dir, git } = hostile;
  mark = join(dir, ".git", "ran");
  program = join(dir, ".git", "evil.sh");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\ncat 2>/dev/null\nexit 0\n`, { mode: 0o755 });
  const library = newRepository();
  library.commit("Library", { ".gitattributes": "* filter=evil diff=evil\n", "lib.txt": "1\n" });
  hostile.commit("First", { "a.txt": "1\n", ".gitattributes": "* diff=evil\n" });
  git("submodule", "--quiet", "add", library.dir, "lib");
  hostile.commit("Second", { "a.txt": "1\n2\n", "b\u001b]0;evil\u0007.txt": "x\n" });
  const hooks = join(dir, ".git", "evil-hooks");
  mkdirSync(hooks);
  for (const name of [
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-push",
    "fsmonitor-watchman",
  ])
    writeFileSync(join(hooks, name), readFileSync(program), { mode: 0o755 });
  const configuration = `
[core]
  fsmonitor = ${program}
  hooksPath = ${hooks}
  pager = ${program}
  editor = ${program}
  sshCommand = ${program}
  askPass = ${program}
  gitProxy = ${program}
  alternateRefsCommand = ${program}
[pager]
  diff = ${program}
  log = ${program}
[diff]
  external = ${program}
  submodule = log
[diff "evil"]
  command = ${program}
  textconv = ${program}
[log]
  showSignature = true
[gpg]
  program = ${program}
[credential]
  helper = ${program}
[filter "evil"]
  clean = ${program}
  smudge = ${program}
  required = true
[filter "a=b.c"]
  process = ${program}
  clean = ${program}
`;

  for (const file of ["config", "modules/lib/config"]) {
    const path = join(dir, ".git", file);
    writeFileSync(path, readFileSync(path, "utf8") + configuration);
  }
  writeFileSync(join(dir, ".git/info/attributes"), "*.txt filter=evil diff=evil\nb* filter=a=b.c\n");
  writeFileSync(join(dir, "lib/lib.txt"), "1\n2\n");
  writeFileSync(join(dir, "a.txt"), "1\n2\n3\n");
  for (const name of ["a.txt", "b\u001b]0;evil\u0007.txt"]) utimesSync(join(dir, name), 1, 1);
});
beforeEach(() => rmSync(mark, { force: true }));
afterAll(() => rmSync(hostile.dir, { recursive: true, force: true }));

const ran = () => (existsSync(mark) ? readFileSync(mark, "utf8") : "");

const readings: [string, (dir: string) => Promise<unknown>][] = [
  ["uncommitted files", (dir) => all(listUncommittedFiles(dir))],
  ["changes of the working tree", (dir) => all(streamChangedFiles(dir, { from: "HEAD", to: null }))],
  ["changes of a commit", (dir) => all(streamChangedFiles(dir, { commit: "HEAD" }))],
  ["blame", (dir) => blameFile(dir, "a.txt")],
  ["differences to a commit", async (dir) => listDifferences(await findWorkingTree(dir), "HEAD~1")],
  ["a patch", async (dir) => patchSince(await findWorkingTree(dir), "HEAD~1")],
  ["status", (dir) => readGitText(dir, ["status", "--porcelain"])],
  ["diff", (dir) => readGitText(dir, ["diff"])],
  ["diff between commits", (dir) => readGitText(dir, ["diff", "--patch", "HEAD~1", "HEAD"])],
  ["log", (dir) => readGitText(dir, ["log", "-p"])],
  ["show", (dir) => readGitText(dir, ["show", "HEAD"])],
  ["grep", (dir) => readGitText(dir, ["grep", "-n", "1"])],
  ["ls-files", (dir) => readGitText(dir, ["ls-files", "--others"])],
  ["a ref", (dir) => readGitText(dir, ["update-ref", "refs/pommel/x", "HEAD"])],
  ["an index", (dir) => readGitText(dir, ["read-tree", "-m", "HEAD"])],
  [
    "a remote that is a program",
    (dir) =>
      readGitText(dir, ["-c", "protocol.ext.allow=always", "ls-remote", `ext::${program}`]).catch(
        (error: unknown) => {
          if (!(error instanceof GitFailure)) throw error;
        },
      ),
  ],
];

describe("a hostile repository", () => {
  it("runs its programs where git is called as anybody would", () => {
    execFileSync("git", ["-C", hostile.dir, "status"], { stdio: "pipe" });
    execFileSync("git", ["-C", hostile.dir, "diff", "HEAD"], { stdio: "pipe" });
    expect(ran()).toContain("evil.sh");
  });

  it.each(readings)("%s runs nothing", async (_, read) => {
    await read(hostile.dir);
    expect(ran()).toBe("");
  });

  it("runs its filters when files are checked out, as git checkout does, and nothing else", async () => {
    rmSync(join(hostile.dir, "lib"), { recursive: true });
    mkdirSync(join(hostile.dir, "lib"));
    hostile.git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "reset", "--quiet", "--hard");
    rmSync(mark, { force: true });
    await restoreTo(await findWorkingTree(hostile.dir), "HEAD~1");
    expect(
      ran()
        .split("\n")
        .filter((line) => line !== "" && !/evil\.sh ?$/.test(line)),
    ).toEqual([]);
  });

  it("still says where its hooks are", async () => {
    expect(await findHooksPlace(hostile.dir)).toMatchObject({
      state: "found",
      dir: join(hostile.dir, ".git/evil-hooks"),
    });
    expect(makeNewProject(hostile.dir).root).toBe(hostile.dir);
  });

  it("fetches nothing that a partial clone lacks", async () => {
    const { dir, git } = hostile;
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.url", dir);
    git("config", "remote.origin.promisor", "true");
    git("config", "remote.origin.uploadpack", program);
    rmSync(mark, { force: true });
    const absent = "1".repeat(40);
    await readGitBuffer(dir, ["cat-file", "-p", absent]).catch((error: unknown) => {
      expect(error).toBeInstanceOf(GitFailure);
    });
    expect(ran()).toBe("");
  });
});

it("a NUL in a name is a failure like any other", async () => {
  await expect(readGitText(hostile.dir, ["rev-parse", "a\0b"])).rejects.toBeInstanceOf(GitFailure);
});

it("filters of the user's own configuration run", async () => {
  const { dir, git } = hostile;
  const home = join(dir, ".git", "home");
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), `[filter "own"]\n\tclean = ${program}\n`);
  writeFileSync(join(dir, ".git/info/attributes"), "*.txt filter=own\n");
  git("config", "core.fsmonitor", "false");
  rmSync(mark, { force: true });
  await readGitBuffer(dir, ["diff", "--name-only", "HEAD"], {
    env: { GIT_CONFIG_GLOBAL: join(home, ".gitconfig") },
  });
  expect(ran()).toContain("evil.sh");
});
