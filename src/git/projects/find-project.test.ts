import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type TestRepository, temporaryGit } from "../../../test/support/repository-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { makeNewProject, type Project, placeInProject } from "../../base/paths.ts";
import { type KnownCheckout, type KnownProject, Registry } from "../../store/registry.ts";
import {
  chooseFreeId,
  completeIdentity,
  findKnownProject,
  findMatchingProject,
  findProject,
  findProjectIfAny,
  isRemembered,
  lookUpProject,
  rememberProject,
  takeNotice,
} from "./find-project.ts";
import type { CheckoutIdentity } from "./identity.ts";
import { isCwdInProject } from "./roots.ts";

let home: ReturnType<typeof temporaryHome>;
let repository: TestRepository & { remove(): void };
let code: string;
/** A known project: a repository with a commit. */
let main: Project;
beforeEach(async () => {
  // However busy the machine is, git has the time that it takes.
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
  home = temporaryHome();
  code = join(home.dir, "code");
  repository = temporaryGit(directory("main"));
  repository.commit("first", { "src/a.ts": "", "packages/a/b.ts": "", "packages/b/b.ts": "" });
  main = await known("main");
});
afterEach(() => {
  vi.restoreAllMocks();
  home.remove();
});

const at = (name: string) => join(code, name);
const directory = (name: string) => {
  mkdirSync(at(name), { recursive: true });
  return at(name);
};
const git = (name: string, ...args: string[]) => repository.git("-C", at(name), ...args);
const clone = (from: string, to: string, ...args: string[]) =>
  execFileSync("git", ["clone", "--quiet", ...args, from, at(to)], { stdio: "pipe" });
const findAt = (name: string) => findProject(at(name));
/** The project that is found there, and remembered, as by its first use. */
async function known(name: string): Promise<Project> {
  const project = await findAt(name);
  expect(await rememberProject(project, { timeoutMs: null })).toBe(true);
  return project;
}

describe("a look at a directory", () => {
  it("recognises a checkout as a use of it would, and remembers nothing", async () => {
    git("main", "worktree", "add", "--quiet", at("linked"));
    directory("new");
    const known = () => Registry.open().listCheckouts();
    const before = known();
    expect(await lookUpProject(at("linked"))).toMatchObject({ id: main.id, root: at("linked") });
    expect(isRemembered(await lookUpProject(at("linked")))).toBe(true);
    expect(isRemembered(await lookUpProject(at("new")))).toBe(false);
    expect(known()).toEqual(before);
    await findAt("linked");
    expect(known().map(({ root }) => root)).toContain(at("linked"));
  });
});

describe("a checkout whose first commits git could not say in time", () => {
  it("becomes the project that it holds, and its user hears of it once", async () => {
    cpSync(main.root, at("copy"), { recursive: true });
    const late = makeNewProject(at("copy"));
    await rememberProject(late, { timeoutMs: 0 });
    forgetRoots(late.id);
    await completeIdentity(late);
    expect((await findAt("copy")).id).toBe(main.id);
    expect(takeNotice(at("copy"))).toContain(main.root);
    expect(takeNotice(at("copy"))).toBeNull();
  });

  it("stays a project of its own once it remembers something, and says how to join them", async () => {
    cpSync(main.root, at("copy"), { recursive: true });
    const late = makeNewProject(at("copy"));
    await rememberProject(late, { timeoutMs: 0 });
    forgetRoots(late.id);
    mkdirSync(late.dataDir, { recursive: true });
    writeFileSync(late.memoryDb, "");
    await completeIdentity(late);
    expect((await findAt("copy")).id).toBe(late.id);
    expect(takeNotice(at("copy"))).toContain(`pm projects join . ${main.id}`);
  });

  it("stays turned off when that was done while git was asked, and is not joined", async () => {
    cpSync(main.root, at("copy"), { recursive: true });
    const late = makeNewProject(at("copy"));
    await rememberProject(late, { timeoutMs: 0 });
    forgetRoots(late.id);
    const settled = completeIdentity(late);
    const registry = Registry.open();
    registry.saveProject({ ...registry.findProjectById(late.id)!, isOff: true });
    await settled;
    expect(registry.findProjectById(late.id)).toMatchObject({
      isOff: true,
      roots: registry.findProjectById(main.id)!.roots,
    });
    expect((await findAt("copy")).id).toBe(late.id);
  });

  function forgetRoots(id: string): void {
    const registry = Registry.open();
    registry.saveProject({ ...registry.findProjectById(id)!, roots: [] });
  }
});

describe("where upper and lower case are one file", () => {
  beforeEach(() => {
    // As macOS and Windows do: any case finds the directory, and the system gives the case that it has on the disk.
    const { native } = realpathSync;
    vi.spyOn(realpathSync, "native").mockImplementation(((path: string) =>
      native(
        path.replace(/(?<=\/)(?:CODE|MAIN|SRC)(?=\/|$)/g, (name) => name.toLowerCase()),
      )) as typeof native);
  });

  it.each(["MAIN", "MAIN/SRC", "../CODE/main/src"])("%s is the same checkout", async (path) => {
    expect(await findAt(path)).toEqual(main);
    expect(findKnownProject(at(path))).toEqual(main);
    expect(placeInProject(main, at(path))).toBe(/src/i.test(path) ? "src" : "");
    expect(Registry.open().listCheckouts()).toHaveLength(1);
    expect(takeNotice(at(path))).toBeNull();
  });

  it("sessions that were started there by another case belong to it", () => {
    expect(isCwdInProject([main.root], at("MAIN/SRC"))).toBe(true);
    expect(isCwdInProject([main.root], at("MAIN-OTHER"))).toBe(false);
  });

  it("a name that only looks alike, as case matters for it, is another checkout", async () => {
    directory("Main");
    expect((await findAt("Main")).root).toBe(at("Main"));
  });
});

describe("a directory", () => {
  it("is a project of its own without git, and as large as the directory", async () => {
    directory("plain/inside");
    const plain = await known("plain");
    expect(plain.root).toBe(at("plain"));
    expect(plain.id).not.toBe(main.id);
    expect((await findAt("plain/inside")).root).toBe(at("plain"));
  });

  it("belongs to the repository around it", async () => {
    expect(await findAt("main/src")).toEqual(main);
    expect(findKnownProject(at("main/src"))).toEqual(main);
  });

  it("is found by a link to it", async () => {
    symlinkSync(main.root, at("link"));
    expect(await findAt("link/src")).toEqual(main);
  });

  it("is not remembered before it is used", async () => {
    directory("new");
    const project = await findAt("new");
    expect(Registry.open().findCheckoutAt(project.root)).toBeNull();
    expect(findKnownProject(project.root)).toBeNull();
    expect(await findAt("new")).toEqual(project);
  });

  it("is none if it is the home directory, the root of all, or gone", async () => {
    const before = process.env.HOME;
    process.env.HOME = code;
    try {
      for (const place of [code, "/", at("gone")]) {
        await expect(findProject(place)).rejects.toMatchObject({ code: "not_initialised" });
        expect(await findProjectIfAny(place)).toBeNull();
      }
      // Even with dotfiles in a repository.
      directory(".git");
      await expect(findProject(code)).rejects.toMatchObject({ code: "not_initialised" });
      expect((await findProject(directory("notes"))).root).toBe(at("notes"));
    } finally {
      process.env.HOME = before;
    }
  });
});

describe("the same project", () => {
  it("is in a linked worktree, also of a bare repository", async () => {
    git("main", "worktree", "add", "--quiet", at("linked"));
    const linked = await findAt("linked");
    expect(linked).toMatchObject({ id: main.id, root: at("linked"), memoryDb: main.memoryDb });
    expect(linked.indexDb).not.toBe(main.indexDb);
    expect(Registry.open().findCheckoutAt(linked.root)).toMatchObject({
      project: main.id,
      notice: expect.any(String),
    });

    clone(main.root, "bare.git", "--bare");
    repository.git(
      "--git-dir",
      at("bare.git"),
      "remote",
      "set-url",
      "origin",
      "https://example.com/bare.git",
    );
    git("main", "remote", "add", "origin", "https://example.com/main.git");
    await known("main");
    repository.git("--git-dir", at("bare.git"), "worktree", "add", "--quiet", at("one"));
    repository.git("--git-dir", at("bare.git"), "worktree", "add", "--quiet", at("two"));
    const one = await known("one");
    expect(one.id).not.toBe(main.id);
    expect((await findAt("two")).id).toBe(one.id);
  });

  it("is in a further clone with the same remote, or of a directory, or of a clone", async () => {
    clone(main.root, "clone");
    expect((await known("clone")).id).toBe(main.id);
    clone(at("clone"), "second");
    expect((await findAt("second")).id).toBe(main.id);
    git("main", "remote", "add", "origin", "git@example.com:ann/app.git");
    await known("main");
    clone(main.root, "third");
    git("third", "remote", "set-url", "origin", "https://example.com/ann/app");
    expect((await findAt("third")).id).toBe(main.id);
  });

  it("is in a copy, with an index of its own", async () => {
    cpSync(main.root, at("copy"), { recursive: true });
    const copy = await findAt("copy");
    expect(copy).toMatchObject({ id: main.id, root: at("copy") });
    expect(copy.indexDb).not.toBe(main.indexDb);
    expect(await findAt("main")).toEqual(main);
  });

  it("is where its directory was moved to, with its index, and without git as well", async () => {
    directory("plain");
    for (const name of ["main", "plain"]) {
      const before = await known(name);
      mkdirSync(before.cacheDir, { recursive: true });
      writeFileSync(before.indexDb, name);
      renameSync(at(name), at(`${name}-moved`));
      const moved = await findAt(`${name}-moved`);
      expect(moved).toMatchObject({ id: before.id, root: at(`${name}-moved`) });
      expect(existsSync(moved.indexDb)).toBe(true);
      expect(existsSync(before.cacheDir)).toBe(false);
      expect(Registry.open().findCheckoutAt(before.root)).toBeNull();
      expect(Registry.open().findCheckoutAt(moved.root)).toMatchObject({ notice: null });
    }
  });

  it("is in a new clone where the old one was removed", async () => {
    cpSync(main.root, at("origin"), { recursive: true });
    rmSync(main.root, { recursive: true });
    clone(at("origin"), "main");
    expect(await findAt("main")).toEqual(main);
    expect(Registry.open().findCheckoutAt(main.root)).toMatchObject({ notice: null });
  });

  it("is in a shallow clone with the same remote", async () => {
    git("main", "remote", "add", "origin", `file://${at("origin.git")}`);
    await known("main");
    repository.commit("second");
    clone(main.root, "origin.git", "--bare");
    clone(`file://${at("origin.git")}`, "shallow", "--depth", "1");
    expect((await findAt("shallow")).id).toBe(main.id);
  });

  it("is in the same subdirectory of another worktree, if that is a project", async () => {
    repository.commit("team", { "packages/a/.pommel/config.toml": "" });
    const a = await known("main/packages/a");
    expect(a.id).not.toBe(main.id);
    git("main", "worktree", "add", "--quiet", at("linked"));
    expect((await findAt("linked/packages/a")).id).toBe(a.id);
    expect((await findAt("linked/packages/b")).id).toBe(main.id);
  });
});

describe("another project", () => {
  it("is a fork, and what was made of a template", async () => {
    git("main", "remote", "add", "origin", "https://example.com/ann/app.git");
    await known("main");
    clone(main.root, "fork");
    git("fork", "remote", "set-url", "origin", "https://example.com/ben/app.git");
    const fork = await known("fork");
    expect(fork.id).not.toBe(main.id);
    expect((await findAt("fork")).id).toBe(fork.id);
  });

  it("is a repository with another history, whatever it is called", async () => {
    temporaryGit(directory("other/main")).commit("another first");
    expect((await findAt("other/main")).id).not.toBe(main.id);
  });

  it("is another repository where one was", async () => {
    rmSync(main.root, { recursive: true });
    temporaryGit(directory("main")).commit("another first");
    const other = await known("main");
    expect(other.id).not.toBe(main.id);
    expect(other.root).toBe(main.root);
    expect(await findAt("main")).toEqual(other);
    expect(Registry.open().findProjectById(main.id)).not.toBeNull();
  });

  it("is a submodule, and a repository or a known project within another", async () => {
    temporaryGit(directory("library")).commit("library");
    git("main", "submodule", "--quiet", "add", at("library"), "sub");
    const sub = await findAt("main/sub");
    expect(sub).toMatchObject({ root: at("main/sub") });
    expect(sub.id).not.toBe(main.id);
    temporaryGit(directory("main/nested")).commit("nested");
    const nested = await findAt("main/nested");
    expect(nested.id).not.toBe(main.id);
    expect(await findAt("main/src")).toEqual(main);
  });

  it("is a subdirectory that its team configured", async () => {
    repository.commit("team", { "packages/a/.pommel/config.toml": "" });
    const a = await known("main/packages/a");
    expect(a.root).toBe(at("main/packages/a"));
    directory("main/packages/a/deep");
    expect(await findAt("main/packages/a/deep")).toEqual(a);
    expect(await findAt("main/packages/b")).toEqual(main);
  });
});

describe("a repository without commits", () => {
  it("is a project, and the same one after its first commit", async () => {
    const empty = temporaryGit(directory("empty"));
    const before = await known("empty");
    empty.commit("first");
    expect(await findAt("empty")).toEqual(before);
    temporaryGit(directory("second"));
    expect((await findAt("second")).id).not.toBe(before.id);
  });
});

it("a registry that cannot be used fails nothing", async () => {
  Registry.close();
  rmSync(join(home.dir, "data"), { recursive: true });
  writeFileSync(join(home.dir, "data"), "");
  expect((await findAt("main")).root).toBe(main.root);
  expect(findKnownProject(main.root)).toBeNull();
  expect(await rememberProject(main)).toBe(false);
});

it("keeps what was recorded of a project that is used again: its name, and whether it is named or off", async () => {
  await rememberProject(main, { named: true });
  await rememberProject(main, { off: true });
  await rememberProject(main);
  expect(Registry.open().findProjectById(main.id)).toMatchObject({
    name: "main",
    isNamed: true,
    isOff: true,
  });
  expect(chooseFreeId(main.root, Registry.open())).toBe(`${main.id}-2`);
});

const project = (id: string, more: Partial<KnownProject> = {}): KnownProject => ({
  id,
  name: id,
  roots: ["r1"],
  remotes: [],
  within: "",
  isNamed: false,
  isOff: false,
  createdAt: 1,
  lastUsedAt: 1,
  ...more,
});
const checkout = (root: string, of: string, more: Partial<KnownCheckout> = {}): KnownCheckout => ({
  root,
  project: of,
  rootId: `root of ${root}`,
  gitId: `git of ${root}`,
  notice: null,
  lastUsedAt: 1,
  ...more,
});
const identity = (more: Partial<CheckoutIdentity> = {}): CheckoutIdentity => ({
  rootId: "root of /new",
  gitId: "git of /new",
  roots: ["r1"],
  remote: null,
  clonedFrom: null,
  within: "",
  ...more,
});

/** The project that a checkout at /new holds. @param gone directories that are not there any more */
function match(
  found: CheckoutIdentity,
  projects: readonly KnownProject[],
  checkouts: readonly KnownCheckout[],
  gone: readonly string[] = [],
) {
  const known = { projects, checkouts, isThere: (root: string) => !gone.includes(root) };
  return findMatchingProject("/new", found, known);
}
const app = project("app", { remotes: ["example.com/app"] });

describe("a checkout that is new", () => {
  it("is a project of its own where nothing is known", () => {
    expect(match(identity(), [], [])).toBeNull();
  });

  it("is the directory that was moved there, and nothing that is still where it was", () => {
    const known = [checkout("/old", "app", { rootId: "root of /new" })];
    const moved = identity({ roots: ["other"], gitId: null });
    expect(match(moved, [app], known, ["/old"])).toEqual({ project: "app", movedFrom: "/old" });
    // Another file system may give the same number.
    expect(match(moved, [app], known)).toBeNull();
    expect(
      match({ ...moved, rootId: null }, [app], [checkout("/old", "app", { rootId: null })], ["/old"]),
    ).toBeNull();
  });

  it("is the project of the repository whose worktree it is", () => {
    const known = [checkout("/main", "app", { gitId: "git of /new" })];
    const worktree = identity({ roots: ["other"], remote: "example.com/other" });
    expect(match(worktree, [app], known)).toEqual({ project: "app", movedFrom: null });
  });

  it("is the project of the directory that it was cloned from, if it has its history", () => {
    const known = [checkout("/source", "app")];
    const clone = identity({ clonedFrom: "/source", remote: "/source" });
    expect(match(clone, [app], known)?.project).toBe("app");
    expect(match({ ...clone, roots: ["other"] }, [app], known)).toBeNull();
    expect(match({ ...clone, clonedFrom: "/unknown" }, [app], known)).toBeNull();
    // Its history is not known (yet).
    expect(match({ ...clone, roots: null }, [app], known)?.project).toBe("app");
  });

  it("is the project with the same first commit and the same remote, or that has no remote to tell them apart", () => {
    const known = [checkout("/one", "app")];
    expect(match(identity({ remote: "example.com/app" }), [app], known)?.project).toBe("app");
    // Whoever hands out a copy without its remote may have put anything into it.
    expect(match(identity(), [app], known)).toBeNull();
    const local = project("local");
    expect(match(identity(), [local], [])?.project).toBe("local");
    expect(match(identity({ remote: "example.com/app" }), [local], [])?.project).toBe("local");
  });

  it("is another project with another remote: a fork, a template", () => {
    expect(match(identity({ remote: "example.com/fork" }), [app], [checkout("/one", "app")])).toBeNull();
  });

  it("is another project with another history, whatever its remote", () => {
    expect(match(identity({ roots: ["r2"], remote: "example.com/app" }), [app], [])).toBeNull();
    expect(match(identity({ roots: [] }), [project("empty", { roots: [] })], [])).toBeNull();
  });

  it("is known by its remote alone where git does not know the first commits", () => {
    const shallow = identity({ roots: null, remote: "example.com/app" });
    expect(match(shallow, [app], [])?.project).toBe("app");
    expect(match({ ...shallow, remote: "example.com/fork" }, [app], [])).toBeNull();
    expect(match({ ...shallow, remote: null }, [app, project("local")], [])).toBeNull();
  });

  it("is the one with its remote of several with the same history, then the one used last", () => {
    const several = [
      project("older", { lastUsedAt: 2 }),
      project("local", { lastUsedAt: 9 }),
      project("fork", { remotes: ["example.com/fork"] }),
    ];
    expect(match(identity({ remote: "example.com/fork" }), several, [])?.project).toBe("fork");
    expect(match(identity({ remote: "example.com/new" }), several, [])?.project).toBe("local");
  });

  it("without git is nobody's but its own", () => {
    const plain = identity({ gitId: null, roots: [] });
    expect(
      match(plain, [project("plain", { roots: [] })], [checkout("/one", "plain", { gitId: null })]),
    ).toBeNull();
  });
});

describe("another subdirectory of a repository", () => {
  it("is another project, and the same one of another clone is the same", () => {
    const a = project("a", { within: "packages/a" });
    const known = [checkout("/main/packages/a", "a", { gitId: "git of /new" })];
    expect(match(identity({ within: "packages/b" }), [a], known)).toBeNull();
    expect(match(identity(), [a], known)).toBeNull();
    expect(match(identity({ within: "packages/a" }), [a], known)?.project).toBe("a");
    expect(match(identity({ within: "packages/a", gitId: "another" }), [a], known)?.project).toBe("a");
  });
});

describe("a directory whose path is known", () => {
  it("without git is still the same project when it was made anew", () => {
    const plain = project("plain", { roots: [] });
    const here = [checkout("/new", "plain", { rootId: "gone", gitId: null })];
    expect(match(identity({ gitId: null, roots: [] }), [plain], here)?.project).toBe("plain");
  });

  it("stays with its project when the same repository is cloned there again", () => {
    const here = [checkout("/new", "local", { rootId: "gone", gitId: "gone" })];
    const others = [project("local", { lastUsedAt: 1 }), project("other", { lastUsedAt: 9 })];
    expect(match(identity(), others, here)?.project).toBe("local");
  });

  it("is another project when another repository is there", () => {
    const here = [checkout("/new", "app", { rootId: "gone", gitId: "gone" })];
    expect(match(identity({ roots: ["r2"] }), [app], here)).toBeNull();
    expect(match(identity({ remote: "example.com/fork" }), [app], here)).toBeNull();
  });
});
