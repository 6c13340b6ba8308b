import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { newRepository, type TestRepository } from "../../../test/support/repository-fixture.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { gitHookNames } from "../../protocol/hooks.ts";
import { installGitHooks, removeGitHooks } from "./install.ts";
import { readGitHooksState, readRecord } from "./state.ts";

let repository: TestRepository;
let project: Project;
beforeEach(() => {
  repository = newRepository("--template=");
  project = namedProject(repository.dir);
});
afterEach(() => rmSync(repository.dir, { recursive: true, force: true }));

function put(path: string, content: string | Buffer, mode = 0o755): string {
  const file = join(repository.dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

/** Everything below a directory: modes, links and bytes, without times. */
function snapshot(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" }).sort()) {
    const file = join(dir, name);
    const stat = lstatSync(file);
    const content = stat.isSymbolicLink()
      ? `-> ${readlinkSync(file)}`
      : stat.isFile()
        ? readFileSync(file, "latin1")
        : "";
    found[name] = `${stat.mode.toString(8)} ${content}`;
  }
  return found;
}

/** Excludes objects and files that git itself updates. */
const hooksSnapshot = (dir = ".git/hooks") =>
  existsSync(join(repository.dir, dir)) ? snapshot(join(repository.dir, dir)) : null;

/** Runs git with a silent `pm`, and returns the hooks' output. */
function commit(dir = repository.dir): { status: number | null; stderr: string } {
  const result = spawnSync("git", ["-C", dir, "commit", "--quiet", "--allow-empty", "-m", "x"], {
    encoding: "utf8",
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "a@b.c",
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "a@b.c",
    },
  });
  return { status: result.status, stderr: result.stderr };
}

const all = (outcome: string, dir = ".git/hooks") =>
  gitHookNames.map((hook) => ({ hook, file: `${dir}/${hook}`, outcome }));

describe("installing git's hooks", () => {
  it("creates the hooks and their directory, and removes both again", async () => {
    const before = snapshot(join(repository.dir, ".git"));
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent", missing: gitHookNames });
    expect(await installGitHooks(project)).toMatchObject(all("created"));
    expect(await readGitHooksState(project)).toMatchObject({
      state: "installed",
      dir: ".git/hooks",
      missing: [],
    });
    expect(statSync(join(repository.dir, ".git/hooks/post-commit")).mode & 0o111).not.toBe(0);
    const installed = hooksSnapshot();
    expect(await installGitHooks(project)).toMatchObject(all("already"));
    expect(hooksSnapshot()).toEqual(installed);
    expect(statSync(join(project.setupDir, "git-hooks.json")).mode & 0o777).toBe(0o600);
    expect(commit()).toEqual({ status: 0, stderr: "" });
    repository.git("update-ref", "-d", "refs/heads/main");

    expect(await removeGitHooks(project)).toEqual(gitHookNames.map((hook) => `.git/hooks/${hook}`));
    expect(Object.keys(snapshot(join(repository.dir, ".git"))).filter((name) => !(name in before))).toEqual(
      expect.not.arrayContaining([expect.stringContaining("hook")]),
    );
    expect(await removeGitHooks(project)).toEqual([]);
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent", disabled: true });
    await installGitHooks(project);
    expect(await readGitHooksState(project)).toMatchObject({ state: "installed", disabled: false });
  });

  it.each<[string, string | Buffer, number]>([
    ["a script of sh", "#!/bin/sh\necho rest >&2\n", 0o755],
    ["one without a last line end", "#!/usr/bin/env bash\necho rest >&2", 0o700],
    ["a first line alone", "#!/bin/sh", 0o755],
    ["one without a first line", "echo rest >&2\n", 0o555],
    ["nothing", "", 0o755],
    ["Windows line ends", "#!/bin/sh\r\necho rest >&2\r\n", 0o755],
    ["Windows line ends without a first line", "echo rest >&2\r\n", 0o755],
    ["a program of another language", "#!/usr/bin/env perl\nprint STDERR 'rest';\n", 0o755],
    ["bytes", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]), 0o755],
    ["what git does not run", "#!/bin/sh\necho rest >&2\n", 0o644],
    ["what is not text", Buffer.from("#!/bin/sh\necho \xe9 >&2\n", "latin1"), 0o755],
  ])("leaves %s as it is for git, and afterwards byte for byte", async (_, content, mode) => {
    for (const hook of gitHookNames) put(`.git/hooks/${hook}`, content, mode);
    const before = hooksSnapshot();
    const first = commit();
    await installGitHooks(project);
    expect((await readGitHooksState(project)).state).toBe("installed");
    const second = commit();
    expect(second.status).toBe(first.status);
    const words = (text: string) => text.includes("rest");
    expect(words(second.stderr)).toBe(words(first.stderr));
    const installed = hooksSnapshot();
    expect(await installGitHooks(project)).toMatchObject(all("already"));
    expect(hooksSnapshot()).toEqual(installed);
    await removeGitHooks(project);
    expect(hooksSnapshot()).toEqual(before);
  });

  it.each(["tools/hook.sh", "tools/hook.pl", "none"])("keeps a link to %s", async (target) => {
    put("tools/hook.sh", '#!/bin/sh\n. "$(dirname "$0")/common"\n');
    put("tools/hook.pl", "#!/usr/bin/env perl\nprint STDERR 'rest of ', $0 =~ s|.*/||r;\n");
    put(".git/hooks/common", 'echo "rest of $(basename "$0")" >&2\n', 0o644);
    symlinkSync(`../../${target}`, join(repository.dir, ".git/hooks/post-commit"));
    const tools = snapshot(join(repository.dir, "tools"));
    const before = hooksSnapshot();
    await installGitHooks(project);
    const { stderr } = commit();
    expect(stderr).toContain(target === "none" ? "" : "rest of post-commit");
    await removeGitHooks(project);
    expect(hooksSnapshot()).toEqual(before);
    expect(snapshot(join(repository.dir, "tools"))).toEqual(tools);
  });

  it("removes its block from a hook that was edited since, and keeps the rest", async () => {
    const file = put(".git/hooks/post-commit", "#!/bin/sh\nold\n");
    const wrapped = put(".git/hooks/pre-push", "#!/usr/bin/env perl\n");
    await installGitHooks(project);
    writeFileSync(file, readFileSync(file, "utf8").replace("old", "mine"));
    writeFileSync(join(repository.dir, ".git/hooks/post-rewrite"), "echo more\n", { flag: "a" });
    writeFileSync(wrapped, "echo more\n", { flag: "a" });
    await removeGitHooks(project);
    expect(readFileSync(file, "utf8")).toBe("#!/bin/sh\nmine\n");
    expect(readFileSync(join(repository.dir, ".git/hooks/post-rewrite"), "utf8")).toMatch(
      /^#!\/bin\/sh\n.*\necho more\n$/,
    );
    // It still runs the earlier hook.
    expect(readFileSync(wrapped, "utf8")).toMatch(/pommel-kept\/pre-push" "\$@"; fi\necho more\n$/);
    expect(existsSync(join(repository.dir, ".git/hooks/pommel-kept/pre-push"))).toBe(true);
  });

  it("updates its block in place", async () => {
    const file = put(".git/hooks/pre-push", "#!/bin/sh\nrest\n");
    await installGitHooks(project);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/^ +\[.*\n/m, "").replace("rest", "rest\nmore"));
    expect(await installGitHooks(project)).toMatchObject([
      { outcome: "already" },
      { outcome: "already" },
      { outcome: "changed" },
    ]);
    expect(readFileSync(file, "utf8")).toBe(text.replace("rest", "rest\nmore"));
  });

  it("restores a hook that is no longer executable", async () => {
    await installGitHooks(project);
    const script = put(".git/hooks/pre-push", "#!/bin/sh\nrest\n");
    await installGitHooks(project);
    const installed = hooksSnapshot();
    chmodSync(join(repository.dir, ".git/hooks/post-commit"), 0o644);
    chmodSync(script, 0o644);
    expect(await readGitHooksState(project)).toMatchObject({ missing: ["post-commit", "pre-push"] });
    await installGitHooks(project);
    expect(hooksSnapshot()!["post-commit"]).toEqual(installed!["post-commit"]);
    expect(commit().status).toBe(0);
    await removeGitHooks(project);
    // It stays non-executable.
    expect(snapshot(join(repository.dir, ".git/hooks"))).toEqual({ "pre-push": "100644 #!/bin/sh\nrest\n" });
  });

  it("changes nothing when one hook cannot be changed", async () => {
    put(".git/hooks/post-commit", "#!/bin/sh\nrest\n");
    put(".git/hooks/post-rewrite", "#!/usr/bin/env perl\n");
    mkdirSync(join(repository.dir, ".git/hooks/pre-push"));
    const before = hooksSnapshot();
    await expect(installGitHooks(project)).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringMatching(/pre-push: it is not a file/),
    });
    expect(hooksSnapshot()).toEqual(before);
    expect(existsSync(join(project.setupDir, "git-hooks.json"))).toBe(false);
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent" });
  });

  it("reports a block without an end, with its file", async () => {
    await installGitHooks(project);
    const file = join(repository.dir, ".git/hooks/pre-push");
    writeFileSync(file, readFileSync(file, "utf8").replace("# <<< pommel <<<", ""));
    await expect(installGitHooks(project)).rejects.toMatchObject({ code: "settings_invalid" });
    await expect(removeGitHooks(project)).rejects.toMatchObject({ code: "settings_invalid" });
    expect(Object.keys(hooksSnapshot()!)).toEqual(["pre-push"]);
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent", disabled: true });
    writeFileSync(file, `${readFileSync(file, "utf8")}# <<< pommel <<<\n`);
    expect(await removeGitHooks(project)).toEqual([".git/hooks/pre-push"]);
    expect(hooksSnapshot()).toBeNull();
  });

  it("gives the same result when several run at once", async () => {
    put(".git/hooks/post-commit", "#!/usr/bin/env perl\n");
    put(".git/hooks/pre-push", "#!/bin/sh\nrest");
    const before = hooksSnapshot();
    await Promise.all(Array.from({ length: 8 }, () => installGitHooks(project)));
    expect((await readGitHooksState(project)).state).toBe("installed");
    expect(readdirSync(join(repository.dir, ".git/hooks/pommel-kept"))).toEqual(["post-commit"]);
    await Promise.all(Array.from({ length: 8 }, () => removeGitHooks(project)));
    expect(hooksSnapshot()).toEqual(before);
  });

  it("takes over a stale lock", async () => {
    const lock = put(".git/hooks/pommel.lock", "1\n");
    execFileSync("touch", ["-d", "1 minute ago", lock]);
    expect(await installGitHooks(project)).toMatchObject(all("created"));
    expect(existsSync(lock)).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)(
    "reports a directory that is not writable (root may write)",
    async () => {
      put(".git/hooks/post-commit", "#!/bin/sh\n");
      chmodSync(join(repository.dir, ".git/hooks"), 0o555);
      await expect(installGitHooks(project)).rejects.toMatchObject({ code: "unreadable" });
      chmodSync(join(repository.dir, ".git/hooks"), 0o755);
      expect(readdirSync(join(repository.dir, ".git/hooks"))).toEqual(["post-commit"]);
    },
  );

  it("restores any hook byte for byte", async () => {
    const line = fc.constantFrom(
      ..."#!/bin/sh,#!/bin/bash -e,#!/usr/bin/python3,# <<< pommel <<<,exit 1,. _/husky.sh,\0,\xff,".split(
        ",",
      ),
    );
    const end = fc.constantFrom("\n", "\n", "\r\n", "");
    const text = fc
      .array(fc.tuple(fc.oneof(line, fc.string({ maxLength: 5 })), end), { maxLength: 5 })
      .map((lines) => lines.flat().join(""));
    const hook = fc.option(fc.tuple(text, fc.constantFrom(0o755, 0o644, 0o700, 0o777)));
    await fc.assert(
      fc.asyncProperty(fc.tuple(hook, hook, hook), async (hooks) => {
        rmSync(join(repository.dir, ".git/hooks"), { recursive: true, force: true });
        for (const [i, given] of hooks.entries()) {
          if (given !== null) put(`.git/hooks/${gitHookNames[i]}`, Buffer.from(given[0], "utf8"), given[1]);
        }
        const before = hooksSnapshot();
        await installGitHooks(project);
        expect((await readGitHooksState(project)).state).toBe("installed");
        await installGitHooks(project);
        await removeGitHooks(project);
        expect(hooksSnapshot()).toEqual(before);
      }),
      { numRuns: 8 },
    );
  });
});

describe("the hooks directory", () => {
  it("follows core.hooksPath, wherever the project is in the repository", async () => {
    repository.git("config", "core.hooksPath", ".githooks");
    const below = makeNewProject(join(repository.dir, "packages/it's a"));
    mkdirSync(below.root, { recursive: true });
    expect(await installGitHooks(below)).toMatchObject(all("created", "../../.githooks"));
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent", dir: ".githooks" });
    expect(await installGitHooks(project)).toMatchObject(all("changed", ".githooks"));
    expect(await installGitHooks(below)).toMatchObject(all("already", "../../.githooks"));
    const file = join(repository.dir, ".githooks/pre-push");
    expect(readFileSync(file, "utf8")).toContain("./packages/it'\\''s a");
    // The last uninstall removes everything.
    await removeGitHooks(below);
    expect(await readGitHooksState(project)).toMatchObject({ state: "installed" });
    expect(readFileSync(file, "utf8")).not.toContain("packages");
    await removeGitHooks(project);
    expect(existsSync(file)).toBe(false);
  });

  it("is not changed when other repositories share it", async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "pommel-shared-")));
    for (const dir of [elsewhere, "/dev/null"]) {
      repository.git("config", "--global", "core.hooksPath", dir);
      try {
        await expect(installGitHooks(project)).rejects.toMatchObject({
          code: "settings_invalid",
          message: expect.stringContaining("core.hooksPath"),
          hint: expect.stringContaining("pommel hook git-post-commit"),
        });
        expect(await readGitHooksState(project)).toMatchObject({ state: "shared", dir });
      } finally {
        repository.git("config", "--global", "--unset", "core.hooksPath");
      }
    }
    expect(readdirSync(elsewhere)).toEqual([]);
    // A relative path is inside each repository.
    repository.git("config", "--global", "core.hooksPath", ".githooks");
    try {
      expect(await installGitHooks(project)).toHaveLength(gitHookNames.length);
    } finally {
      repository.git("config", "--global", "--unset", "core.hooksPath");
    }
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent", shadowed: [".githooks"] });
    await removeGitHooks(project);
    expect(existsSync(join(repository.dir, ".githooks"))).toBe(false);
  });

  it("is Husky's source directory, not the generated one", async () => {
    repository.git("config", "core.hooksPath", ".husky/_");
    const runner = `#!/usr/bin/env sh
s=$(dirname "$(dirname "$0")")/$(basename "$0")
[ -f "$s" ] || exit 0
sh -e "$s" "$@"
`;
    for (const hook of gitHookNames) put(`.husky/_/${hook}`, runner);
    put(".husky/post-commit", "echo rest >&2\n", 0o644);
    const before = hooksSnapshot(".husky");
    expect(await installGitHooks(project)).toMatchObject([
      { file: ".husky/post-commit", outcome: "changed" },
      { outcome: "created" },
      { outcome: "created" },
    ]);
    expect(commit()).toEqual({ status: 0, stderr: "rest\n" });
    expect(hooksSnapshot(".husky/_")).toEqual(
      Object.fromEntries(gitHookNames.map((hook) => [hook, expect.stringContaining(runner)])),
    );
    expect(await readGitHooksState(project)).toMatchObject({ state: "installed", dir: ".husky" });
    await removeGitHooks(project);
    expect(hooksSnapshot(".husky")).toEqual(before);
  });

  it("is shared by linked worktrees, and a submodule's own", async () => {
    repository.commit("one");
    const worktree = join(repository.dir, "wt");
    repository.git("worktree", "add", "--quiet", worktree);
    const linked = makeNewProject(worktree);
    expect(await installGitHooks(linked)).toMatchObject(all("created", "../.git/hooks"));
    expect(await readGitHooksState(project)).toMatchObject({ state: "installed" });
    await removeGitHooks(linked);
    repository.git("submodule", "add", "--quiet", repository.dir, "sub");
    const sub = makeNewProject(join(repository.dir, "sub"));
    expect(await installGitHooks(sub)).toMatchObject(all("created", "../.git/modules/sub/hooks"));
    expect(await readGitHooksState(project)).toMatchObject({ state: "absent" });
    expect(commit(sub.root)).toEqual({ status: 0, stderr: "" });
  });

  it("does not exist without git or a working tree", async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-none-")));
    const none = makeNewProject(dir);
    const nothing = { code: "not_found", message: expect.stringMatching(/^No git hooks: .*\.$/) };
    await expect(installGitHooks(none)).rejects.toMatchObject(nothing);
    expect(await removeGitHooks(none)).toEqual([]);
    execFileSync("git", ["init", "--quiet", "--bare", dir]);
    await expect(installGitHooks(none)).rejects.toMatchObject(nothing);
    const path = process.env.PATH;
    process.env.PATH = dir;
    try {
      expect(await readGitHooksState(project)).toMatchObject({
        state: "none",
        reason: "git is not installed",
      });
    } finally {
      process.env.PATH = path;
    }
  });

  it("may be taken over by other tools, whose hooks then get the block", async () => {
    await installGitHooks(project);
    const dir = join(repository.dir, ".git/hooks");
    // lefthook renames other hooks without running them; pre-commit runs them.
    const own = readFileSync(join(dir, "post-commit"), "utf8");
    put(".git/hooks/post-commit.old", own);
    put(".git/hooks/post-commit", "#!/bin/sh\n# LEFTHOOK\n");
    put(".git/hooks/pre-push.legacy", readFileSync(join(dir, "pre-push"), "utf8"));
    put(".git/hooks/pre-push", "#!/usr/bin/env bash\n# pre-commit\n");
    expect(await readGitHooksState(project)).toMatchObject({ state: "partial", missing: ["post-commit"] });
    await installGitHooks(project);
    expect(await readGitHooksState(project)).toMatchObject({ state: "installed" });
    await removeGitHooks(project);
    expect(Object.keys(hooksSnapshot()!)).toEqual(["post-commit", "pre-push"]);
    expect(readFileSync(join(dir, "post-commit"), "utf8")).toBe("#!/bin/sh\n# LEFTHOOK\n");
    expect(readRecord(project)).toEqual({ disabled: true, dirs: [], created_dirs: [], ended: [] });
  });
});
