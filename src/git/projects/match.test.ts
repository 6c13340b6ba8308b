import { describe, expect, it } from "vitest";
import type { KnownCheckout, KnownProject } from "../../store/registry.ts";
import type { CheckoutIdentity } from "./identity.ts";
import { matchingProject } from "./match.ts";

const project = (id: string, more: Partial<KnownProject> = {}): KnownProject => ({
  ...{ id, name: id, roots: ["r1"], remotes: [], within: "", isNamed: false, isOff: false },
  ...{ createdAt: 1, lastUsedAt: 1, ...more },
});
const checkout = (root: string, of: string, more: Partial<KnownCheckout> = {}): KnownCheckout => ({
  ...{ root, project: of, rootId: `root of ${root}`, gitId: `git of ${root}`, notice: null },
  ...{ lastUsedAt: 1, ...more },
});
const identity = (more: Partial<CheckoutIdentity> = {}): CheckoutIdentity => ({
  ...{ rootId: "root of /new", gitId: "git of /new", roots: ["r1"], remote: null, clonedFrom: null },
  ...{ within: "", ...more },
});

/** The project that a checkout at /new holds. @param gone directories that are not there any more */
function match(
  found: CheckoutIdentity,
  projects: readonly KnownProject[],
  checkouts: readonly KnownCheckout[],
  gone: readonly string[] = [],
) {
  const known = { projects, checkouts, isThere: (root: string) => !gone.includes(root) };
  return matchingProject("/new", found, known);
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
