import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { runs } from "../../../test/support/runs.ts";
import { PommelError } from "../../base/errors.ts";
import { findWorkingTree } from "./repository.ts";
import { restoreTo } from "./restore.ts";

type Repository = ReturnType<typeof temporaryGit>;

const restore = async (dir: string, commit: string) => restoreTo(await findWorkingTree(dir), commit);

/** Everything on disk except git's own files; names and contents as latin1. */
function onDisk(dir: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const raw of readdirSync(join(dir, below), { encoding: "buffer" })) {
    const name = raw.toString("latin1");
    if (name === ".git") continue;
    const file = Buffer.concat([Buffer.from(`${join(dir, below)}/`), raw]);
    const stat = lstatSync(file);
    const path = `${below}${name}`;
    if (stat.isDirectory()) Object.assign(found, onDisk(dir, `${path}/`));
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(file)}`;
    else found[path] = `${(stat.mode & 0o111) === 0 ? "" : "x "}${readFileSync(file, "latin1")}`;
  }
  return found;
}

const refs = ({ git }: Repository) => `${git("for-each-ref")}\n${git("symbolic-ref", "-q", "HEAD")}`;

/** Restores, checks that nothing else changed, undoes it, and checks the original state. */
async function thereAndBack(repository: Repository, commit: string, between = () => {}) {
  const { dir, git } = repository;
  const [before, status, heads] = [onDisk(dir), git("status", "--porcelain", "--ignored"), refs(repository)];
  const done = await restore(dir, commit);
  expect(done.changed).toBe(true);
  expect(git("write-tree")).toBe(git("rev-parse", `${commit}^{tree}`));
  expect(git("diff", "--ignore-submodules=all")).toBe("");
  expect(refs(repository)).toBe(heads);
  expect(await restore(dir, commit)).toMatchObject({ changed: false, comeBack: null });
  between();
  git(...done.comeBack!.split(" ").slice(1));
  expect(onDisk(dir)).toEqual(before);
  expect(git("status", "--porcelain", "--ignored")).toBe(status);
  expect(refs(repository)).toBe(heads);
  return done;
}

async function refused(repository: Repository, commit: string) {
  const { dir, git } = repository;
  const before = [onDisk(dir), git("status", "--porcelain", "--ignored"), refs(repository)];
  const error: unknown = await restore(dir, commit).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PommelError);
  const after = [onDisk(dir), git("status", "--porcelain", "--ignored"), refs(repository)];
  expect(after).toEqual(before);
  const { code, message, hint, exitCode } = error as PommelError;
  if (code === "uncommitted_changes") {
    expect({ message, exitCode }).toEqual({ message: "Commit or stash your changes first.", exitCode: 1 });
  }
  return { code, hint };
}

describe("a restore", () => {
  it("restores files, directories, links, modes and line endings, and can be undone", async () => {
    const repository = temporaryGit();
    const { dir, commit } = repository;
    symlinkSync("a.ts", join(dir, "link"));
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.of(0x66, 0xff)]), "bytes");
    const first = commit("First", {
      "a.ts": "1\n",
      "gone.ts": "g\n",
      "becomes-dir": "f\n",
      "becomes/file/x.ts": "x\n",
      "odd \n\"name'.ts": "odd\n",
      ".gitattributes": "*.txt text eol=crlf\n",
      "lines.txt": "a\r\nb\r\n",
      "run.sh": "#!\n",
    });
    chmodSync(join(dir, "run.sh"), 0o755);
    const head = commit("Head", {
      "a.ts": "2\n",
      "gone.ts": null,
      "becomes-dir": null,
      becomes: null,
      link: null,
      "odd \n\"name'.ts": "even\n",
      ".gitattributes": null,
      "lines.txt": "c\n",
      "new/deep/file.ts": "n\n",
    });
    commit("More", { "becomes-dir/y.ts": "y\n", "becomes/file": "file\n" });
    writeFileSync(join(dir, "mine.txt"), "untracked");
    expect((await thereAndBack(repository, first)).files).toBe(12);
    await thereAndBack(repository, head);
  });

  it("of the checked-out commit does nothing", async () => {
    const { dir, commit } = temporaryGit();
    const head = commit("Head", { "a.ts": "1" });
    expect(await restore(dir, head)).toEqual({ changed: false, files: 0, comeBack: null, submodules: [] });
  });

  it("treats a touched file with the same content as unchanged", async () => {
    const repository = temporaryGit();
    const first = repository.commit("First", { "a.ts": "1" });
    repository.commit("Second", { "a.ts": "2", "b.ts": "b" });
    writeFileSync(join(repository.dir, "b.ts"), "b");
    await thereAndBack(repository, first);
  });

  it("works in a linked worktree, detached, with SHA-256 and from a subdirectory", async () => {
    const repository = temporaryGit(undefined, ["--object-format=sha256"]);
    const first = repository.commit("First", { "sub/a.ts": "1" });
    repository.commit("Second", { "sub/a.ts": "2", "sub/b.ts": "b" });
    const worktree = join(mkdtempSync(join(tmpdir(), "pommel-tree-")), "w");
    repository.git("worktree", "add", "--quiet", "--detach", worktree);
    expect(await restore(join(worktree, "sub"), first)).toMatchObject({ changed: true, files: 2 });
    expect(onDisk(worktree)).toEqual({ "sub/a.ts": "1" });
    expect(onDisk(repository.dir)).toEqual({ "sub/a.ts": "2", "sub/b.ts": "b" });
  });

  it("onto an unborn branch can be undone, too", async () => {
    const repository = temporaryGit();
    const { dir, git, commit } = repository;
    const first = commit("First", { "a.ts": "1", "d/b.ts": "2" });
    git("checkout", "--quiet", "--orphan", "fresh");
    git("rm", "-r", "-f", "--quiet", ".");
    await thereAndBack(repository, first);
    expect(readdirSync(dir)).toEqual([".git"]);
  });

  it("respects a sparse checkout", async () => {
    const repository = temporaryGit();
    const { dir, git, commit } = repository;
    const first = commit("First", { "in/a.ts": "1", "out/b.ts": "1", "out/only.ts": "o" });
    commit("Second", { "in/a.ts": "2", "out/b.ts": "2", "out/only.ts": null, "out/new.ts": "n" });
    git("sparse-checkout", "set", "--cone", "in");
    await thereAndBack(repository, first, () => expect(onDisk(dir)).toEqual({ "in/a.ts": "1" }));
  });

  it("leaves submodules alone, and names those whose commit differs", async () => {
    const module = temporaryGit();
    const old = module.commit("One", { "m.ts": "1" });
    module.commit("Two", { "m.ts": "2" });
    const repository = temporaryGit();
    const { dir, git, commit } = repository;
    const none = commit("None", { "a.ts": "0" });
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.dir, "sub");
    git("-C", "sub", "checkout", "--quiet", old);
    const first = commit("First", { "a.ts": "1" });
    git("-C", "sub", "checkout", "--quiet", "main");
    commit("Second", { "a.ts": "2" });
    expect((await thereAndBack(repository, first)).submodules).toEqual(["sub"]);
    writeFileSync(join(dir, "sub/m.ts"), "changed");
    expect(await refused(repository, first)).toMatchObject({
      code: "uncommitted_changes",
      hint: "Not committed: sub.",
    });
    git("-C", "sub", "checkout", "--quiet", ".");
    await restore(dir, none);
    expect(readFileSync(join(dir, "sub/m.ts"), "utf8")).toBe("2");
  });
});

describe("a restore is refused", () => {
  function twoCommits() {
    const repository = temporaryGit();
    const first = repository.commit("First", {
      "a.ts": "1\n",
      ".env": "of the tree",
      "dir/x.ts": "x",
      "f/g": "g",
    });
    repository.commit("Second", {
      "a.ts": "2\n",
      ".env": null,
      dir: null,
      f: null,
      ".gitignore": ".env\ndir\nf\n",
    });
    return { ...repository, first };
  }

  it("while something is changed, staged or added", async () => {
    const { first, ...repository } = twoCommits();
    const { git, write } = repository;
    write({ "a.ts": "3\n" });
    expect(await refused(repository, first)).toMatchObject({ hint: "Not committed: a.ts." });
    git("add", "a.ts");
    expect(await refused(repository, first)).toMatchObject({ hint: "Not committed: a.ts." });
    git("reset", "--quiet", "--hard");
    write({ "b.ts": "b\n" });
    git("add", "--intent-to-add", "b.ts");
    expect(await refused(repository, first)).toMatchObject({ hint: "Not committed: b.ts." });
  });

  it("while a file marked assume-unchanged is changed", async () => {
    const { first, ...repository } = twoCommits();
    const { dir, git, write } = repository;
    const date = () => utimesSync(join(dir, "a.ts"), 1_600_000_000, 1_600_000_000);
    git("config", "core.trustctime", "false");
    date();
    git("update-index", "--refresh");
    git("update-index", "--assume-unchanged", "a.ts");
    // As long and as old as before: for git the same file.
    write({ "a.ts": "3\n" });
    date();
    expect((await refused(repository, first)).code).toBe("uncommitted_changes");
  });

  it.each<[string, string, Record<string, string>]>([
    ["an ignored file", ".env", { ".env": "mine" }],
    ["a file where a directory is to be", "dir", { dir: "mine" }],
    ["a directory with files where a file is to be", ".env/mine", { ".env/mine": "mine" }],
    ["a file below a directory that is to be", "dir/x.ts", { "dir/x.ts": "mine" }],
    ["another repository where a directory is to be", "f", { "f/.git/HEAD": "ref: x", "f/own": "mine" }],
  ])("when it would overwrite %s", async (_, named, files) => {
    const { first, ...repository } = twoCommits();
    repository.write(files);
    expect((await refused(repository, first)).hint).toMatch(
      `Not tracked by git, and would be overwritten: ${named}; move`,
    );
  });

  it("when it would overwrite a link's target, or a file with an invalid UTF-8 name", async () => {
    const { first, ...repository } = twoCommits();
    const elsewhere = mkdtempSync(join(tmpdir(), "pommel-else-"));
    symlinkSync(elsewhere, join(repository.dir, "dir"));
    expect((await refused(repository, first)).hint).toMatch("overwritten: dir;");
    const other = temporaryGit();
    const file = Buffer.concat([Buffer.from(`${other.dir}/`), Buffer.of(0xff, 0x61)]);
    writeFileSync(file, "of the tree");
    const before = other.commit("First");
    other.git("rm", "-r", "--quiet", ".");
    other.commit("Second", { ".gitignore": "*a\n" });
    writeFileSync(file, "mine");
    expect((await refused(other, before)).hint).toMatch("overwritten: \ufffda;");
  });

  it("not for an empty directory, nor for other files that git does not track", async () => {
    const { first, ...repository } = twoCommits();
    mkdirSync(join(repository.dir, ".env"));
    repository.write({ "other.txt": "mine", "deep/other.txt": "mine" });
    await restore(repository.dir, first);
    expect(onDisk(repository.dir)).toMatchObject({ ".env": "of the tree", "deep/other.txt": "mine" });
  });

  it("in the middle of a merge, even one without conflicts", async () => {
    const { first, ...repository } = twoCommits();
    const { git, commit } = repository;
    git("checkout", "--quiet", "-b", "side");
    commit("Side", {});
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "--no-commit", "side");
    expect(await refused(repository, first)).toEqual({
      code: "uncommitted_changes",
      hint: "git is in the middle of a merge: finish or abort it first.",
    });
  });

  it("in a bare repository", async () => {
    const { first, dir } = twoCommits();
    const bare = temporaryGit(undefined, ["--bare"]);
    bare.git("fetch", "--quiet", dir, "main:main");
    await expect(restore(bare.dir, first)).rejects.toMatchObject({ code: "usage" });
  });

  it("while another git process locks the index", async () => {
    const { first, ...repository } = twoCommits();
    const lock = join(repository.dir, ".git/index.lock");
    writeFileSync(lock, "");
    expect((await refused(repository, first)).code).toBe("locked");
    expect(existsSync(lock)).toBe(true);
  });
});

describe("a restore that was killed", () => {
  /** A filter that kills git while it writes files, as long as `armed` exists. */
  function deadly() {
    const repository = temporaryGit();
    const { dir, git, commit } = repository;
    const armed = join(mkdtempSync(join(tmpdir(), "pommel-armed-")), "armed");
    git("config", "filter.deadly.clean", "cat");
    git("config", "filter.deadly.smudge", `test -e ${armed} && kill -9 $PPID; cat`);
    const first = commit("First", {
      ".gitattributes": "m.* filter=deadly\n",
      "a.ts": "1",
      "m.ts": "1",
      "z.ts": "1",
    });
    git("rm", "--quiet", "z.ts");
    commit("Second", { "a.ts": "2", "m.ts": "2", "new.ts": "n" });
    const before = onDisk(dir);
    const kill = async () => {
      writeFileSync(armed, "");
      await expect(restore(dir, first)).rejects.toMatchObject({ code: "unreadable" });
      await expect(restore(dir, first)).rejects.toMatchObject({ code: "locked" });
      repository.git("-c", "alias.x=!rm .git/index.lock", "x");
    };
    const disarm = () => git("-c", `alias.x=!rm ${armed}`, "x");
    return { ...repository, first, before, kill, disarm };
  }

  it("continues when repeated, as often as needed, and can then be undone", async () => {
    const { dir, git, first, before, kill, disarm } = deadly();
    await kill();
    expect(git("status", "--porcelain")).not.toBe("");
    await kill();
    disarm();
    const done = await restore(dir, first);
    expect(onDisk(dir)).toMatchObject({ "a.ts": "1", "m.ts": "1", "z.ts": "1" });
    expect(git("write-tree")).toBe(git("rev-parse", `${first}^{tree}`));
    git(...done.comeBack!.split(" ").slice(1));
    expect(onDisk(dir)).toEqual(before);
    expect(git("status", "--porcelain")).toBe("");
  });

  it("does not continue over later changes, nor to another commit", async () => {
    const { first, kill, disarm, ...repository } = deadly();
    const { write, dir, git } = repository;
    await kill();
    disarm();
    const hint = new RegExp(
      `A restore to ${first.slice(0, 8)} was interrupted; .pm checkpoint rewind ${first.slice(0, 8)} --restore`,
    );
    write({ "a.ts": "of a person" });
    expect((await refused(repository, first)).hint).toMatch(hint);
    write({ "a.ts": "1", "z.ts": "of a person" });
    expect((await refused(repository, first)).hint).toMatch(hint);
    write({ "z.ts": "" });
    expect((await refused(repository, git("rev-parse", "HEAD"))).hint).toMatch(hint);
    expect(await restore(dir, first)).toMatchObject({ changed: true });
  });
});

it("restoring arbitrary trees over arbitrary files loses nothing and can be undone", async () => {
  const name = fc.constantFrom("a", "b", "a/b", "a/c", "b/a/c", "c", ".env", "d/e");
  const tree = fc.dictionary(name, fc.constantFrom("1\n", "2\n", ""), { maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(tree, tree, tree, fc.boolean(), async (first, second, own, isIgnored) => {
      const repository = temporaryGit();
      const { dir, git, commit, remove } = repository;
      const place = (files: Record<string, string>) => {
        const positioned = new Set<string>();
        for (const [path, text] of Object.entries(files)) {
          try {
            repository.write({ [path]: text });
            positioned.add(path);
          } catch {
            // A file and a directory of the same name: the first wins.
          }
        }
        return positioned;
      };
      try {
        place(first);
        const one = commit("One");
        git("rm", "-r", "-f", "--quiet", "--ignore-unmatch", ".");
        place(second);
        const two = commit("Two");
        if (isIgnored) git("config", "core.excludesFile", join(dir, ".git/everything"));
        repository.write({ ".git/everything": "*\n" });
        const tracked = new Set(Object.keys(onDisk(dir)));
        place(Object.fromEntries(Object.entries(own).filter(([path]) => !tracked.has(path))));
        const mine = Object.fromEntries(Object.entries(onDisk(dir)).filter(([path]) => !tracked.has(path)));
        const before = onDisk(dir);
        const done = await restore(dir, one).catch((error: unknown) => {
          if (error instanceof PommelError && error.code === "uncommitted_changes") return null;
          throw error;
        });
        if (done === null) {
          expect(onDisk(dir)).toEqual(before);
          return;
        }
        expect(git("rev-parse", "HEAD")).toBe(two);
        expect(git("write-tree")).toBe(git("rev-parse", `${one}^{tree}`));
        expect(git("diff")).toBe("");
        expect(onDisk(dir)).toMatchObject(mine);
        if (done.comeBack !== null) git(...done.comeBack.split(" ").slice(1));
        expect(onDisk(dir)).toEqual(before);
      } finally {
        remove();
      }
    }),
    { numRuns: runs(5) },
  );
});
