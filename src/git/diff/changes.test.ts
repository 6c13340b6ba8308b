import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { all, newRepository } from "../../../test/support/repository-fixture.ts";
import { GitFailure } from "../git.ts";
import { nameBefore, streamChangedFiles } from "./changes.ts";
import type { ChangedFile } from "./changes-types.ts";

const changes = (dir: string, commit: string) => all(streamChangedFiles(dir, { commit }));
const brief = (files: readonly ChangedFile[]) =>
  files.map(({ path, oldPath, status, isText, hunks }) => [
    `${status} ${oldPath === null ? "" : `${oldPath} -> `}${path}${isText ? "" : " (no text)"}`,
    ...hunks.map(({ oldStart, newStart, removed, added }) => [oldStart, newStart, removed, added]),
  ]);

describe("a commit's changes", () => {
  it("have line numbers, also for the root commit", async () => {
    const { dir, commit } = newRepository();
    const first = commit("one", { "a.ts": "a\nb\nc\n" });
    const second = commit("two", { "a.ts": "0\na\nC\nc\r\n", "e.ts": "" });
    const third = commit("three", { "a.ts": null });
    const empty = commit("nothing");
    expect(brief(await changes(dir, first))).toEqual([["A a.ts", [1, 1, [], ["a", "b", "c"]]]]);
    expect(brief(await changes(dir, second))).toEqual([
      ["M a.ts", [1, 1, [], ["0"]], [2, 3, ["b", "c"], ["C", "c\r"]]],
      ["A e.ts"],
    ]);
    expect(brief(await changes(dir, third))).toEqual([["D a.ts", [1, 1, ["0", "a", "C", "c\r"], []]]]);
    expect(await changes(dir, empty)).toEqual([]);
  });

  it("follow renames, and count a copy as new", async () => {
    const { dir, commit, git } = newRepository();
    const text = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");
    commit("one", { "a.ts": text, "b.ts": `b\n${text}` });
    git("mv", "a.ts", "c.ts");
    expect(brief(await changes(dir, commit("two", { "c.ts": `${text}more\n` })))).toEqual([
      ["R a.ts -> c.ts", [21, 21, [], ["more"]]],
    ]);
    const copied = await changes(dir, commit("three", { "d.ts": `b\n${text}`, "b.ts": `b\n${text}c\n` }));
    expect(copied.map(({ status, path }) => status + path)).toEqual(["Mb.ts", "Ad.ts"]);
    expect(copied[1]!.hunks[0]!.added).toHaveLength(21);
  });

  it("give a file's previous name, in a commit and in the working tree", async () => {
    const { dir, git, commit } = newRepository();
    const text = "one\ntwo\nthree\n";
    const root = commit("one", { "sub/a.ts": text, "b.ts": `b\n${text}` });
    git("mv", "sub/a.ts", "sub/ç.ts");
    git("mv", "b.ts", "sub/b.ts");
    expect(await nameBefore(dir, { from: "HEAD", to: null }, "sub/ç.ts")).toBe("sub/a.ts");
    const hash = commit("two", { "sub/new.ts": "new\n" });
    const named = (path: string, from = dir) => nameBefore(from, { commit: hash }, path);
    expect(await Promise.all(["sub/ç.ts", "sub/b.ts", "sub/new.ts"].map((path) => named(path)))).toEqual([
      "sub/a.ts",
      "b.ts",
      null,
    ]);
    // Below a directory, names are relative to it and outside files are omitted.
    expect(await named("ç.ts", join(dir, "sub"))).toBe("a.ts");
    expect(await named("b.ts", join(dir, "sub"))).toBeNull();
    expect(await nameBefore(dir, { commit: root }, "b.ts")).toBeNull();
  });

  it("have no text for binary files, links, submodules and mode-only changes", async () => {
    const { dir, commit, git, write } = newRepository();
    const other = newRepository();
    other.commit("one", { a: "1" });
    commit("one", { link: "text\n", file: { link: "a" }, "run.sh": "x\n" });
    git("submodule", "--quiet", "add", other.dir, "sub");
    write({ "b.bin": Uint8Array.of(1, 0, 2), link: { link: "elsewhere" }, file: "now a file\n" });
    chmodSync(join(dir, "run.sh"), 0o755);
    expect(brief(await changes(dir, commit("two")))).toEqual([
      ["A .gitmodules", [1, 1, [], ['[submodule "sub"]', "\tpath = sub", `\turl = ${other.dir}`]]],
      ["A b.bin (no text)"],
      ["T file", [1, 1, [], ["now a file"]]],
      ["T link (no text)"],
      ["M run.sh"],
      ["A sub (no text)"],
    ]);
  });

  it("have no text for files over the size limits, and continue with the next file", async () => {
    const { dir, commit } = newRepository();
    const found = await changes(
      dir,
      commit("one", {
        "a.ts": "a\n",
        "lines.txt": "l\n".repeat(200_001),
        "long.json": `["${"x".repeat(20_000_001)}"]\n`,
        "many.txt": "l\n".repeat(200_000),
        "z.ts": "z\n",
      }),
    );
    expect(found.filter(({ isTooLarge }) => isTooLarge).map(({ path }) => path)).toEqual([
      "lines.txt",
      "long.json",
    ]);
    expect(found.map(({ path, isText, hunks }) => [path, isText, hunks[0]?.added.length])).toEqual([
      ["a.ts", true, 1],
      ["lines.txt", false, undefined],
      ["long.json", false, undefined],
      ["many.txt", true, 200_000],
      ["z.ts", true, 1],
    ]);
  });

  it("of a merge are the lines that no parent has", async () => {
    const { dir, commit, git, write } = newRepository();
    commit("root", { "a.ts": "1\n2\n3\n4\n5\n6\n7\n8\n", "clean.ts": "1\n2\n3\n4\n5\n6\n7\n8\n" });
    git("checkout", "--quiet", "-b", "side");
    commit("side", { "a.ts": "1\nside\n3\n4\n5\n6\n7\n8\n", "clean.ts": "1\n2\n3\n4\n5\n6\n7\nside\n" });
    git("checkout", "--quiet", "main");
    commit("main", { "a.ts": "0\n1\nmain\n3\n4\n5\n6\n7\n8\n", "clean.ts": "main\n2\n3\n4\n5\n6\n7\n8\n" });
    expect(() => git("merge", "--quiet", "side")).toThrow();
    write({ "a.ts": "0\n1\nboth\n3\n4\n5\n7\n8\nend\n", "new.ts": "n\n" });
    const merge = commit("merge");
    expect(brief(await changes(dir, merge))).toEqual([
      ["M a.ts", [4, 3, [], ["both"]], [7, 7, ["6"], []], [10, 9, [], ["end"]]],
      ["A new.ts", [1, 1, [], ["n"]]],
    ]);
  });

  it("of an octopus merge are the lines that no parent has", async () => {
    const { dir, commit, git } = newRepository();
    commit("root", { a: "1\n" });
    for (const name of ["x", "y"]) {
      git("checkout", "--quiet", "-b", name, "main");
      commit(name, { [name]: `${name}\n` });
    }
    git("checkout", "--quiet", "main");
    commit("main", { main: "m\n" });
    git("merge", "--quiet", "--no-commit", "x", "y");
    const merge = commit("octopus", { x: "x\nby hand\n", evil: "e\n" });
    expect(git("show", "-s", "--format=%P").split(" ")).toHaveLength(3);
    expect(brief(await changes(dir, merge))).toEqual([
      ["A evil", [1, 1, [], ["e"]]],
      ["M x", [1, 2, [], ["by hand"]]],
    ]);
  });

  it("work in a SHA-256 repository", async () => {
    const { dir, commit } = newRepository("--object-format=sha256");
    const hash = commit("one", { "a.ts": "a\n" });
    expect(hash).toHaveLength(64);
    expect(brief(await changes(dir, hash))).toEqual([["A a.ts", [1, 1, [], ["a"]]]]);
  });

  it("are unknown at the boundary of a shallow clone", async () => {
    const { dir, commit } = newRepository();
    commit("one", { "a.ts": "a\n" });
    const cut = commit("two", { "b.ts": "b\n" });
    const clone = mkdtempSync(join(tmpdir(), "pommel-clone-"));
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${dir}`, clone], { stdio: "pipe" });
    expect(await changes(clone, cut)).toEqual([]);
    expect(await changes(clone, "HEAD")).toEqual([]);
    expect(await changes(dir, cut)).toHaveLength(1);
  });

  it("are relative to a directory and omit files outside of it", async () => {
    const { dir, commit, git } = newRepository();
    commit("one", { "a.ts": "1\n2\n3\n", "sub/b.ts": "1\n", "subway.ts": "1\n" });
    git("mv", "a.ts", "sub/a.ts");
    const hash = commit("two", { "sub/b.ts": "2\n", "subway.ts": "2\n" });
    const sub = join(dir, "sub");
    expect(brief(await changes(sub, hash))).toEqual([
      ["A a.ts", [1, 1, [], ["1", "2", "3"]]],
      ["M b.ts", [1, 1, ["1"], ["2"]]],
    ]);
    const only = all(streamChangedFiles(sub, { commit: hash }, { paths: ["b.ts"] }));
    expect((await only).map(({ path }) => path)).toEqual(["b.ts"]);
    expect(await all(streamChangedFiles(sub, { commit: hash }, { paths: [] }))).toEqual([]);
  });

  it("take paths literally, not as patterns", async () => {
    const { dir, commit } = newRepository();
    const hash = commit("one", { "*.ts": "1\n", "a.ts": "1\n", ":(top)x": "1\n" });
    const of = async (path: string) =>
      (await all(streamChangedFiles(dir, { commit: hash }, { paths: [path] }))).map((file) => file.path);
    expect(await of("*.ts")).toEqual(["*.ts"]);
    expect(await of(":(top)x")).toEqual([":(top)x"]);
  });
});

describe("the difference", () => {
  it("between two commits, and from one to the working tree", async () => {
    const { dir, commit, write, git } = newRepository();
    const from = commit("one", { "a.ts": "a\n", "same.ts": "s\n" });
    const to = commit("two", { "a.ts": "b\n" });
    write({ "a.ts": "c\n", "same.ts": "s\n", "untracked.ts": "u\n", "staged.ts": "s\n" });
    git("add", "staged.ts");
    expect(brief(await all(streamChangedFiles(dir, { from, to })))).toEqual([
      ["M a.ts", [1, 1, ["a"], ["b"]]],
    ]);
    expect(brief(await all(streamChangedFiles(dir, { from, to: null })))).toEqual([
      ["M a.ts", [1, 1, ["a"], ["c"]]],
      ["A staged.ts", [1, 1, [], ["s"]]],
    ]);
  });

  it("lists a file in conflict once", async () => {
    const { dir, commit, git } = newRepository();
    commit("root", { a: "1\n", b: "1\n" });
    git("checkout", "--quiet", "-b", "side");
    commit("side", { a: "side\n" });
    git("checkout", "--quiet", "main");
    commit("main", { a: "main\n" });
    expect(() => git("merge", "side")).toThrow();
    const found = await all(streamChangedFiles(dir, { from: "HEAD", to: null }));
    expect(found.map(({ path, status }) => status + path)).toEqual(["Ma"]);
    expect(found[0]!.hunks.flatMap(({ added }) => added)).toContain("side");
  });

  it("fails for an unknown revision", async () => {
    const { dir, commit } = newRepository();
    await expect(changes(dir, "HEAD")).rejects.toBeInstanceOf(GitFailure);
    commit("one");
    await expect(changes(dir, "f".repeat(40))).rejects.toBeInstanceOf(GitFailure);
    await expect(changes(dir, "--output=x")).rejects.toBeInstanceOf(GitFailure);
    await expect(changes(mkdtempSync(join(tmpdir(), "pommel-none-")), "HEAD")).rejects.toMatchObject({
      reason: "no_repository",
    });
  });
});

/** Applies a diff's hunks to the lines of the old file. */
function applied(old: readonly string[], file: ChangedFile): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, newStart, removed, added } of file.hunks) {
    result.push(...old.slice(at, oldStart - 1));
    expect(result.length + 1).toBe(newStart);
    expect(old.slice(oldStart - 1, oldStart - 1 + removed.length)).toEqual(removed);
    result.push(...added);
    at = oldStart - 1 + removed.length;
  }
  return [...result, ...old.slice(at)];
}

const lineArbitrary = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "a",
    "b",
    "c\r",
    "+x",
    "-x",
    "++ b/x",
    "-- a/x",
    "@@ -1 +1 @@",
    "\\ No newline",
    "diff --git a/x b/x",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\n\0]/g, "")),
);
const textArbitrary = fc
  .tuple(fc.array(lineArbitrary, { maxLength: 12 }), fc.boolean())
  .map(([lines, hasEnd]) => lines.join("\n") + (lines.length > 0 && hasEnd ? "\n" : ""));
const nameArbitrary = fc
  .oneof(
    fc.constantFrom(
      "-a",
      "--cached",
      'q"uote',
      "tab\there",
      "new\nline",
      "back\\slash",
      "a b",
      "ü",
      "@@ -1 +1 @@",
      "b/x",
      ":x",
      "*",
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  )
  .map((name) => name.replaceAll(/[/\0]/g, "_").normalize("NFC"))
  .filter(
    (name) =>
      name !== "." && name !== ".." && name.toLowerCase() !== ".git" && Buffer.from(name).toString() === name,
  );
const treeArbitrary = fc.dictionary(nameArbitrary, textArbitrary, { maxKeys: 5, noNullPrototype: true });

/** Lines as git counts them. */
const linesOfText = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

describe("changes with arbitrary contents, names and configuration", () => {
  const config: [string, string][] = [
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["diff.external", "false"],
    ["diff.renames", "copies"],
    ["diff.algorithm", "patience"],
    ["diff.context", "7"],
    ["diff.interHunkContext", "9"],
    ["diff.orderFile", ".git/order"],
    ["diff.relative", "true"],
    ["diff.submodule", "log"],
    ["diff.wordRegex", "."],
    ["diff.wsErrorHighlight", "all"],
    ["diff.colorMoved", "zebra"],
    ["diff.statGraphWidth", "3"],
    ["diff.upper.textconv", "tr a-z A-Z <"],
    ["diff.upper.command", "false"],
    ["color.ui", "always"],
    ["color.diff", "always"],
    ["core.quotePath", "false"],
    ["core.pager", "false"],
    ["log.showSignature", "true"],
    ["log.diffMerges", "off"],
    ["i18n.logOutputEncoding", "UTF-16"],
  ];
  beforeAll(() => {
    process.env.GIT_DIFF_OPTS = "--unified=5";
    process.env.GIT_EXTERNAL_DIFF = "false";
  });
  afterAll(() => {
    delete process.env.GIT_DIFF_OPTS;
    delete process.env.GIT_EXTERNAL_DIFF;
  });

  it("have hunks that turn the old text into the new one", async () => {
    const { dir, commit, git } = newRepository();
    for (const [key, value] of config) git("config", key, value);
    mkdirSync(join(dir, ".git/info"), { recursive: true });
    writeFileSync(join(dir, ".git/order"), "b*\n*\n");
    writeFileSync(join(dir, ".git/info/attributes"), "* diff=upper\n");
    let before: Record<string, string> = {};
    await fc.assert(
      fc.asyncProperty(treeArbitrary, async (after) => {
        const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
        const hash = commit("next", { ...Object.fromEntries(gone.map((name) => [name, null])), ...after });
        const seen = new Set<string>();
        for (const file of await changes(dir, hash)) {
          const old = linesOfText(own(before, file.oldPath ?? file.path) ?? "");
          expect(file.isText).toBe(true);
          expect(applied(old, file)).toEqual(linesOfText(own(after, file.path) ?? ""));
          seen.add(file.path);
          if (file.status === "R") seen.add(file.oldPath!);
        }
        const changed = [...new Set([...gone, ...Object.keys(after)])].filter(
          (name) => own(before, name) !== own(after, name),
        );
        expect([...seen].sort()).toEqual(changed.sort());
        before = after;
      }),
      { numRuns: 8 },
    );
  });

  it("accept invalid UTF-8 in names and lines", async () => {
    const { dir, git } = newRepository();
    const name = Buffer.concat([Buffer.from(`${dir}/`), Buffer.of(0x66, 0xff, 0x0a, 0x67)]);
    writeFileSync(name, Buffer.of(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0xe9, 0x0a, 0x62));
    git("add", "--all");
    git("commit", "--quiet", "-m", "one");
    expect(brief(await changes(dir, "HEAD"))).toEqual([
      ["A f\ufffd\ng", [1, 1, [], ["\ufeffa", "\ufffd", "b"]]],
    ]);
  });
});

/** A file may be named like an Object.prototype property. */
function own(texts: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
