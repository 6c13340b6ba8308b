import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestRepository, temporaryGit } from "../../../test/support/repository-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { readFileId } from "../../base/files/file-id.ts";
import { findRemote, readCheckoutIdentity } from "./identity.ts";
import { normalizeAddress, withoutCredentials } from "./remote-address.ts";

const secret = `ghp_${"x".repeat(36)}`;

describe("the address of a remote", () => {
  it.each([
    ["https://example.com/a/b.git", "example.com/a/b"],
    [`https://me:${secret}@example.com/a/b`, "example.com/a/b"],
    [`https://example.com/a/b.git?token=${secret}`, "example.com/a/b"],
    ["https://EXAMPLE.com:443/a/b/", "example.com/a/b"],
    ["ssh://git@example.com:22/a/b.git", "example.com/a/b"],
    ["ssh://git@example.com:2222/a/b.git", "example.com:2222/a/b"],
    ["git@example.com:a/b.git", "example.com/a/b"],
    ["example.com:a/b", "example.com/a/b"],
    ["git@example.com:/a/b.git", "example.com/a/b"],
    ["git://example.com//a/b.git/", "example.com/a/b"],
    ["  https://example.com/A/b.git\n", "example.com/A/b"],
    ["/srv/git/a@b:c.git", "/srv/git/a@b:c"],
    ["/srv/git/b", "/srv/git/b"],
    ["../b.git", "../b"],
  ])("%j is %s", (url, address) => {
    expect(normalizeAddress(url)).toBe(address);
  });

  const word = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,10}[a-z0-9]$/);
  const host = fc.tuple(word, word).map((parts) => parts.join("."));
  const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const user = fc.oneof(fc.constant(""), fc.constant("git@"), fc.constant(`u:${secret}@`));

  it("is the same in every form that git accepts", () => {
    fc.assert(
      fc.property(host, path, user, (place, within, who) => {
        const name = `${place}/${within}`;
        const login = who.includes(":") ? "git@" : who;
        const forms = [
          ...["https", "http", "ssh", "git", "git+ssh"].map((scheme) => `${scheme}://${who}${name}`),
          `https://${who}${place.toUpperCase()}:443/${within}`,
          `ssh://${who}${place}:22/${within}`,
          `${login}${place}:${within}`,
        ];
        for (const form of forms)
          for (const end of ["", "/", ".git", ".git/"]) expect(normalizeAddress(form + end)).toBe(name);
      }),
    );
  });

  it("is the address of itself, and never holds what comes before the host", () => {
    const text = fc.string().filter((some) => !/[@/\s?#]/.test(some) && some !== "");
    fc.assert(
      fc.property(host, path, text, (place, within, password) => {
        const address = normalizeAddress(`https://me:pw-${password}@${place}/${within}`);
        expect(address).toBe(`${place}/${within}`);
        expect(normalizeAddress(`https://${address}`)).toBe(address);
      }),
    );
  });

  it("is another one for another host or path", () => {
    fc.assert(
      fc.property(host, path, host, path, (place, within, otherPlace, otherWithin) => {
        const [one, other] = [`${place}/${within}`, `${otherPlace}/${otherWithin}`];
        expect(normalizeAddress(`https://${one}`) === normalizeAddress(`ssh://git@${other}`)).toBe(
          one === other,
        );
      }),
    );
  });

  it("fails for no text", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof normalizeAddress(text) === "string"));
  });
});

it("keeps no credentials of an address", () => {
  expect(withoutCredentials(`https://u:${secret}@example.com:8443/a/b.git`)).toBe(
    "https://example.com:8443/a/b.git",
  );
  expect(withoutCredentials(`https://u:p@ss@example.com/a@b.git?token=${secret}`)).toBe(
    "https://example.com/a@b.git",
  );
  expect(withoutCredentials("ssh://git@example.com/a.git")).toBe("ssh://example.com/a.git");
  expect(withoutCredentials("git@example.com:a/b.git")).toBe("example.com:a/b.git");
  expect(withoutCredentials("/srv/git/a@b:c.git")).toBe("/srv/git/a@b:c.git");
});

describe("the identity of a checkout", () => {
  let home: ReturnType<typeof temporaryHome>;
  let repository: TestRepository & { remove(): void };
  let root: string;
  beforeEach(() => {
    home = temporaryHome();
    repository = temporaryGit();
    root = repository.dir;
  });
  afterEach(() => {
    repository.remove();
    home.remove();
  });
  const clone = (...args: string[]) => {
    const dir = join(home.dir, "clone");
    repository.git("clone", "--quiet", ...args, dir);
    return dir;
  };
  /** However long git takes here. */
  const identity = (dir: string) => readCheckoutIdentity(dir, null);

  it("without git is the directory's own", async () => {
    const plain = join(home.dir, "plain");
    mkdirSync(plain);
    expect(await identity(plain)).toEqual({
      rootId: readFileId(plain),
      gitId: null,
      roots: [],
      remote: null,
      clonedFrom: null,
      within: "",
    });
  });

  it("has no first commits before there are any, and then each of them", async () => {
    expect(await identity(root)).toMatchObject({
      gitId: readFileId(join(root, ".git")),
      roots: [],
      remote: null,
    });
    const first = repository.commit("first");
    repository.commit("second");
    expect((await identity(root)).roots).toEqual([first]);
    repository.git("checkout", "--quiet", "--orphan", "other");
    const second = repository.commit("another first");
    repository.git("merge", "--quiet", "--allow-unrelated-histories", "-m", "both", "main");
    expect((await identity(root)).roots?.sort()).toEqual([first, second].sort());
  });

  it("has the remote called origin, or the only one, without credentials", async () => {
    repository.git("remote", "add", "upstream", `https://me:${secret}@example.com/up.git`);
    expect(await identity(root)).toMatchObject({ remote: "example.com/up", clonedFrom: null });
    expect(await findRemote(root)).toBe("https://example.com/up.git");
    repository.git("remote", "add", "origin", "git@example.com:ann/app.git");
    expect((await identity(root)).remote).toBe("example.com/ann/app");
    repository.git("remote", "rename", "origin", "ann");
    // Neither says what the repository is.
    expect((await identity(root)).remote).toBeNull();
  });

  it("says which directory it was cloned from", async () => {
    const first = repository.commit("first");
    const dir = clone(root);
    expect(await identity(dir)).toMatchObject({ roots: [first], remote: root, clonedFrom: root });
    repository.git("-C", dir, "remote", "set-url", "origin", `file://${root}/.git`);
    expect(await identity(dir)).toMatchObject({ remote: root, clonedFrom: root });
  });

  it("of a shallow clone has no first commits that could be told", async () => {
    for (const message of ["one", "two"]) repository.commit(message);
    const dir = clone("--depth", "1", `file://${root}`);
    expect(await identity(dir)).toMatchObject({ roots: null, clonedFrom: root });
  });

  it("of a linked worktree has the same git directory", async () => {
    repository.commit("first");
    const linked = join(home.dir, "linked");
    repository.git("worktree", "add", "--quiet", linked);
    const [one, other] = [await identity(root), await identity(linked)];
    expect(other.gitId).toBe(one.gitId);
    expect(other.rootId).not.toBe(one.rootId);
  });

  it("of a subdirectory says which one, also in a worktree", async () => {
    repository.commit("first", { "packages/a/index.js": "" });
    expect(await identity(join(root, "packages/a"))).toMatchObject({ within: "packages/a" });
    const linked = join(home.dir, "linked");
    repository.git("worktree", "add", "--quiet", linked);
    expect(await identity(join(linked, "packages/a"))).toMatchObject({ within: "packages/a" });
  });

  it("does not wait for the first commits of a large repository", async () => {
    repository.commit("first");
    expect(await readCheckoutIdentity(root, 0)).toMatchObject({
      roots: null,
      gitId: readFileId(join(root, ".git")),
    });
  });
});
