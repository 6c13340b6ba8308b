import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { locateDaemonFiles } from "../../src/base/home.ts";
import type { GitHookItem } from "../../src/protocol/spool-items.ts";
import { until } from "./daemon-fixture.ts";
import { callPm, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

const who = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "a@b.c",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
};

let cwd: string;
let env: NodeJS.ProcessEnv;
const { spoolDir: spool } = locateDaemonFiles();
beforeEach(async () => {
  rmSync(spool, { recursive: true, force: true });
  cwd = temporaryRepository();
  const bin = temporaryDir();
  symlinkSync(pmFile, join(bin, "pommel"));
  env = { ...who, PATH: bin + delimiter + dirname(process.execPath) + delimiter + process.env.PATH };
  git("checkout", "--quiet", "-b", "main");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  git("add", "a.txt");
  // Repositories with the same first commit are one project.
  git("commit", "--quiet", "-m", "one", "-m", cwd);
  expect(await callPm(["init"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
});

/** Runs git to its end and to the end of its output: a hook that keeps it open would be waited for. */
function gitIn(dir: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", dir, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  expect({ args, status, stderr: status === 0 ? "" : stderr }).toEqual({ args, status: 0, stderr: "" });
  return stdout.trim();
}
const git = (...args: string[]) => gitIn(cwd, ...args);
const commit = (message: string, dir = cwd) => {
  gitIn(dir, "commit", "--quiet", "--allow-empty", "-m", message);
  return gitIn(dir, "rev-parse", "HEAD");
};

/** What the hooks left that is about a directory. */
const items = (dir = cwd): GitHookItem[] => {
  const names = existsSync(spool) ? readdirSync(spool).filter((name) => !name.startsWith(".")) : [];
  const all: GitHookItem[] = names.map((name) => JSON.parse(readFileSync(join(spool, name), "utf8")));
  return all.filter(({ place }) => place === dir).sort((a, b) => a.received_at - b.received_at);
};
const spooled = (count: number, dir = cwd) => until(() => (items(dir).length >= count ? items(dir) : null));

/** After this, whatever was on its way has arrived. */
async function settled(dir = cwd): Promise<GitHookItem[]> {
  await runPm(["hook", "git-pre-push", "last"], { cwd: dir, env });
  return (
    await until(() => (items(dir).some(({ payload }) => payload.remote === "last") ? items(dir) : null))
  ).filter(({ payload }) => payload.remote !== "last");
}

describe("git, with hooks", () => {
  it("reports each commit with its branch, however fast they follow each other", async () => {
    const heads = ["one", "two", "three"].map((message) => commit(message));
    git("checkout", "--quiet", "-b", "topic/x");
    heads.push(commit("four"));
    git("checkout", "--quiet", "--detach");
    heads.push(commit("five"));
    const all = await spooled(5);
    expect(all).toHaveLength(5);
    const branches = Object.fromEntries(all.map(({ payload }) => [payload.head, payload.branch]));
    const [one, two, three, four, five] = heads as [string, string, string, string, string];
    expect(branches).toEqual({
      [one]: "main",
      [two]: "main",
      [three]: "main",
      [four]: "topic/x",
      [five]: null,
    });
    expect(all[0]).toEqual({
      kind: "git-hook",
      hook: "post-commit",
      received_at: expect.any(Number),
      place: cwd,
      payload: { cwd, head: expect.any(String), branch: expect.anything() },
    });
    const [name] = readdirSync(spool);
    expect(statSync(join(spool, name!)).mode & 0o777).toBe(0o600);
  });

  it("reports what an amended commit became", async () => {
    const old = commit("two");
    git("commit", "--quiet", "--amend", "--allow-empty", "-m", "too");
    const now = git("rev-parse", "HEAD");
    const all = await spooled(3);
    expect(all.filter(({ hook }) => hook === "post-rewrite").map(({ payload }) => payload)).toEqual([
      { cwd, command: "amend", rewritten: [[old, now]] },
    ]);
    expect(
      all
        .filter(({ hook }) => hook === "post-commit")
        .map(({ payload }) => payload.head)
        .sort(),
    ).toEqual([old, now].sort());
  });

  it("reports a rebase once, at its end", async () => {
    git("checkout", "--quiet", "-b", "topic");
    const olds = ["a", "b", "c"].map((message) => commit(message));
    git("checkout", "--quiet", "main");
    commit("elsewhere");
    await spooled(4);
    for (const name of readdirSync(spool)) rmSync(join(spool, name));
    git("rebase", "--quiet", "--keep-empty", "main", "topic");
    const news = git("rev-list", "--reverse", "main..topic").split("\n");
    await spooled(1);
    const all = await settled();
    expect(all.map(({ hook, payload }) => ({ hook, payload }))).toEqual([
      {
        hook: "post-rewrite",
        payload: { cwd, command: "rebase", rewritten: olds.map((old, i) => [old, news[i]]) },
      },
    ]);
  });

  it("reports to which remote it pushes, and never a URL", async () => {
    const remote = temporaryDir();
    execFileSync("git", ["init", "--quiet", "--bare", remote]);
    git("remote", "add", "my/origin", remote);
    git("push", "--quiet", "my/origin", "main");
    await spooled(1);
    git("push", "--quiet", remote, "main:other");
    const all = await spooled(2);
    expect(all.map(({ hook, payload }) => ({ hook, payload }))).toEqual([
      { hook: "pre-push", payload: { cwd, remote: "my/origin" } },
      { hook: "pre-push", payload: { cwd } },
    ]);
    expect(git("ls-remote", remote)).toContain("refs/heads/other");
  });

  it("says in which worktree or submodule a commit was made", async () => {
    const linked = join(temporaryDir(), "linked");
    git("worktree", "add", "--quiet", "-b", "wt", linked);
    mkdirSync(join(linked, "sub"));
    const head = commit("there", join(linked, "sub"));
    expect((await spooled(1, linked))[0]!.payload).toEqual({ cwd: linked, head, branch: "wt" });
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", linked, "module");
    const module = join(cwd, "module");
    commit("unheard", module);
    expect((await callPm(["init"], { cwd: module, env })).code).toBe(0);
    const submoduleHead = commit("heard", module);
    expect((await spooled(1, module))[0]!.payload).toMatchObject({ cwd: module, head: submoduleHead });
    expect((await settled()).filter(({ payload }) => payload.cwd === module)).toEqual([]);
  });

  it("reports to a project in a subdirectory, and not to the one around the repository", async () => {
    expect((await callPm(["disable"], { cwd, env })).code).toBe(0);
    const below = join(cwd, "packages/it's ä");
    mkdirSync(join(below, ".pommel"), { recursive: true });
    writeFileSync(join(below, ".pommel/config.toml"), "");
    expect((await callPm(["init"], { cwd: below, env })).code).toBe(0);
    const head = commit("two");
    expect((await spooled(1, below))[0]!.payload).toMatchObject({ head });
    expect(items()).toEqual([]);
  });

  it("commits as ever when pm is gone, broken, or cannot write", async () => {
    const bin = env.PATH!.split(delimiter)[0]!;
    mkdirSync(dirname(spool), { recursive: true });
    writeFileSync(spool, "in the way");
    commit("two");
    rmSync(join(bin, "pommel"));
    commit("three");
    writeFileSync(join(bin, "pommel"), "#!/bin/sh\necho noise; echo noise >&2; sleep 60; exit 1\n", {
      mode: 0o755,
    });
    // It would take a minute, were it waited for.
    commit("four");
    git("commit", "--quiet", "--amend", "--allow-empty", "-m", "five");
    writeFileSync(join(bin, "pommel"), "#!/no/such/program\n");
    commit("six");
    chmodSync(join(bin, "pommel"), 0o644);
    commit("seven");
    expect(git("rev-list", "--count", "HEAD")).toBe("6");
  });

  it("is not led astray by the environment that git gives its hooks", async () => {
    const other = temporaryRepository();
    const before = readdirSync(join(other, ".git")).sort();
    const args = ["hook", "git-post-commit", "a".repeat(40), "refs/heads/main"];
    const misled = {
      GIT_DIR: join(other, ".git"),
      GIT_INDEX_FILE: join(other, ".git/index"),
      GIT_WORK_TREE: other,
    };
    await runPm(args, { cwd, env: { ...env, ...misled } });
    expect(items()).toHaveLength(1);
    expect(readdirSync(join(other, ".git")).sort()).toEqual(before);
  });
});

describe("pm hook git-...", () => {
  it.each<[string[], string, object]>([
    [["git-post-commit"], "", {}],
    [["git-post-commit", "HEAD", "HEAD"], "", { branch: null }],
    [["git-post-commit", "f".repeat(64), "refs/heads/a/b"], "", { head: "f".repeat(64), branch: "a/b" }],
    // No branch is called so, as git has it.
    [["git-post-commit", "f".repeat(64), "refs/heads/a b"], "", { head: "f".repeat(64) }],
    [["git-post-commit", "--help", "-x"], "", {}],
    [["git-post-rewrite", "other"], "x y\n\n", { rewritten: [] }],
    [
      ["git-post-rewrite", "rebase"],
      `${"a".repeat(40)} ${"b".repeat(40)} more\r\n${"c".repeat(40)} ${"d".repeat(40)}`,
      {
        command: "rebase",
        rewritten: [
          ["a".repeat(40), "b".repeat(40)],
          ["c".repeat(40), "d".repeat(40)],
        ],
      },
    ],
    [["git-pre-push", "https://u:p@example.com/x"], "", {}],
    [["git-pre-push", "git@example.com:x"], "", {}],
    [["git-pre-push", "/path"], "", {}],
  ])("%j keeps what makes sense", async (args, input, payload) => {
    const silence = { code: 0, signal: null, stdout: "", stderr: "" };
    expect(await runPm(["hook", ...args], { cwd, env, input })).toEqual(silence);
    expect(items().map((item) => item.payload)).toEqual([{ cwd, ...payload }]);
  });

  it("exits with 0 and prints nothing on stdout, whatever its arguments", async () => {
    const nonsense = await runPm(["hook", "git-post\ncommit"], { cwd, env });
    expect(nonsense).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^[^\n]*unknown hook[^\n]*\n$/),
    });
    expect(await runPm(["--json", "hook", "git-post-commit", "-x", "y"], { cwd, env })).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect(items()).toHaveLength(1);
    rmSync(spool, { recursive: true });
    writeFileSync(spool, "in the way");
    expect(await runPm(["hook", "git-post-commit"], { cwd, env })).toMatchObject({ code: 0, stdout: "" });
  });

  it("takes twenty at once", async () => {
    const heads = Array.from({ length: 20 }, (_, n) => n.toString(16).padStart(40, "0"));
    const run = promisify(execFile);
    await Promise.all(
      heads.map((head) => run(process.execPath, [pmFile, "hook", "git-post-commit", head], { cwd })),
    );
    expect(
      items()
        .map(({ payload }) => payload.head)
        .sort(),
    ).toEqual(heads);
  });
});

describe("pm init, enable, disable and doctor", () => {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await callPm([...args, "--json"], { cwd, env });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const doctor = async () => {
    const { stdout } = await callPm(["doctor", "--json"], { cwd, env });
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "git-hooks");
  };
  const files = ["post-commit", "post-rewrite", "pre-push"].map((hook) => `.git/hooks/${hook}`);
  const none = { file: null, changed: false, added: [] };

  it("put hooks into git, and take them out", async () => {
    expect(await doctor()).toMatchObject({ status: "ok", message: expect.stringContaining(".git/hooks") });
    expect(await json("init")).toMatchObject({ git_hooks: { state: "installed", reason: null } });
    expect((await json("init")).already).toEqual(expect.arrayContaining(files));
    expect((await json("enable")).git).toEqual({
      state: "installed",
      reason: null,
      dir: ".git/hooks",
      changed: false,
      added: [],
    });
    expect((await json("disable")).git).toEqual({ files: [...files, ".git/info/exclude"], changed: true });
    expect(files.some((file) => existsSync(join(cwd, file)))).toBe(false);
    expect(await doctor()).toMatchObject({
      status: "ok",
      message: expect.stringContaining("git hooks are off"),
    });
    expect((await json("disable")).git).toEqual({ files: [], changed: false });
    expect(await json("init")).toMatchObject({ git_hooks: { state: "skipped", reason: "pm disable" } });
    expect(await json("enable", "--claude")).toMatchObject({ changed: true, git: null });
    expect(files.some((file) => existsSync(join(cwd, file)))).toBe(false);
    expect(await json("enable", "--git")).toMatchObject({ ...none, git: { changed: true } });
    await json("disable");
    expect(await json("init", "--hooks")).toMatchObject({
      hooks: { state: "installed" },
      git_hooks: { state: "installed" },
      created: expect.arrayContaining(files),
    });
    await json("disable");
    expect(await json("init", "--no-hooks")).toMatchObject({
      git_hooks: { state: "skipped", reason: "--no-hooks" },
    });
  });

  it("say when git looks elsewhere, or when hooks are lost", async () => {
    git("config", "core.hooksPath", ".githooks");
    expect(await doctor()).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/\.githooks .*\.git\/hooks/),
    });
    expect((await json("enable", "--git")).git).toMatchObject({ dir: ".githooks", changed: true });
    expect(await doctor()).toMatchObject({ status: "ok" });
    writeFileSync(join(cwd, "lefthook.yml"), "");
    rmSync(join(cwd, ".githooks/post-commit"));
    expect(await doctor()).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/post-commit .*lefthook install/),
    });
    expect((await json("disable")).git.files).toEqual(
      expect.arrayContaining([".git/hooks/post-commit", ".githooks/pre-push"]),
    );
    expect(existsSync(join(cwd, ".githooks"))).toBe(false);
  });

  it("leave hooks alone that all repositories share, and say so", async () => {
    await json("disable");
    const shared = temporaryDir();
    const config = join(temporaryDir(), "gitconfig");
    writeFileSync(config, `[core]\n\thooksPath = ${shared}\n`);
    env.GIT_CONFIG_GLOBAL = config;
    const enable = await callPm(["enable", "--json"], { cwd, env });
    expect(enable).toMatchObject({ code: 0, stderr: expect.stringContaining("outside this repository") });
    expect(JSON.parse(enable.stdout)).toMatchObject({ changed: true, git: { state: "shared", dir: shared } });
    expect(await callPm(["enable", "--git"], { cwd, env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/core\.hooksPath.*pommel hook git-post-commit/s),
    });
    expect(await doctor()).toMatchObject({ status: "ok" });
    expect((await callPm(["init", "--hooks"], { cwd, env })).stderr).toContain("core.hooksPath");
    expect(readdirSync(shared)).toEqual([]);
  });

  it("do without git", async () => {
    const plain = temporaryDir();
    const run = (...args: string[]) => callPm(args, { cwd: plain, env });
    expect(JSON.parse((await run("init", "--json")).stdout)).toMatchObject({
      hooks: { state: "installed" },
      git_hooks: { state: "skipped", reason: "not in a git repository" },
    });
    expect(await run("enable")).toMatchObject({ code: 0, stderr: "" });
    expect(await run("enable", "--git")).toMatchObject({ code: 5 });
    expect(await run("disable")).toMatchObject({ code: 0, stderr: "" });
  });

  it("do what they can for git when Claude Code's settings are broken, and say so", async () => {
    await json("disable");
    mkdirSync(join(cwd, ".claude"), { recursive: true });
    writeFileSync(join(cwd, ".claude/settings.json"), "{");
    expect(await callPm(["enable"], { cwd, env })).toMatchObject({ code: 1 });
    expect(await doctor()).toMatchObject({ status: "ok", message: expect.stringContaining(".git/hooks") });
    expect(await callPm(["disable"], { cwd, env })).toMatchObject({ code: 1 });
    expect(files.some((file) => existsSync(join(cwd, file)))).toBe(false);
  });
});
