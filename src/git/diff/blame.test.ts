import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { GitFailure } from "../git.ts";
import { blameFile } from "./blame.ts";
import { streamChangedFiles } from "./changes.ts";

const brief = async (dir: string, path: string, options?: Parameters<typeof blameFile>[2]) =>
  (await blameFile(dir, path, options)).lines.map(({ commit, text, originalLine, originalPath }) => [
    commit,
    `${originalPath}:${originalLine}`,
    text,
  ]);

describe("blame", () => {
  it("gives each line's commit and original position, through renames", async () => {
    const { dir, commit, git } = newRepository();
    const one = commit("one", { "a.ts": "a\nb\nc\nd\ne\n" });
    git("mv", "a.ts", "b\tc.ts");
    const two = commit("two\n\nbody");
    const three = commit("drei: ü", { "b\tc.ts": "0\na\nb\nC\r\nd\ne" });
    expect(await brief(dir, "b\tc.ts")).toEqual([
      [three, "b\tc.ts:1", "0"],
      [one, "a.ts:1", "a"],
      [one, "a.ts:2", "b"],
      [three, "b\tc.ts:4", "C\r"],
      [one, "a.ts:4", "d"],
      [three, "b\tc.ts:6", "e"],
    ]);
    expect(
      await brief(dir, "b\tc.ts", {
        revision: two,
        ranges: [
          [2, 2],
          [5, 99],
        ],
      }),
    ).toEqual([
      [one, "a.ts:2", "b"],
      [one, "a.ts:5", "e"],
    ]);
    const { commits } = await blameFile(dir, "b\tc.ts");
    expect(commits.get(three)).toMatchObject({ author: "Ann", summary: "drei: ü" });
    expect(commits.get(one)!.authoredAt).toBe(1000 * Number(git("show", "-s", "--format=%at", one)));
    expect([...commits.keys()].sort()).toEqual([one, three].sort());
  });

  it("gives no commit for uncommitted lines of tracked files", async () => {
    const { dir, commit, write, git } = newRepository();
    const one = commit("one", { "a.ts": "a\n" });
    write({ "a.ts": "a\nmine\n", "staged.ts": "s\n", "untracked.ts": "u\n" });
    git("add", "staged.ts");
    const { lines, commits } = await blameFile(dir, "a.ts");
    expect(lines.map(({ commit, text }) => [commit, text])).toEqual([
      [one, "a"],
      [null, "mine"],
    ]);
    expect([...commits.keys()]).toEqual([one]);
    expect(await brief(dir, "staged.ts")).toEqual([[null, "staged.ts:1", "s"]]);
    await expect(blameFile(dir, "untracked.ts")).rejects.toBeInstanceOf(GitFailure);
  });

  it("fails for untracked, binary and missing files", async () => {
    const { dir, commit, write } = newRepository();
    write({ "a.ts": "a\n" });
    await expect(blameFile(dir, "a.ts")).rejects.toBeInstanceOf(GitFailure);
    commit("one", { "d/b.ts": "b\n", "b.bin": Uint8Array.of(97, 0, 10), "empty.ts": "" });
    for (const path of ["absent.ts", "d", "b.bin", "../outside", "--help"]) {
      await expect(blameFile(dir, path), path).rejects.toBeInstanceOf(GitFailure);
    }
    await expect(blameFile(dir, "a.ts", { ranges: [[5, 6]] })).rejects.toBeInstanceOf(GitFailure);
    await expect(blameFile(dir, "a.ts", { revision: "--contents=x" })).rejects.toBeInstanceOf(GitFailure);
    await expect(blameFile(dir, "a.ts", { revision: "nothing" })).rejects.toBeInstanceOf(GitFailure);
    expect(await brief(dir, "empty.ts")).toEqual([]);
    await expect(blameFile(mkdtempSync(join(tmpdir(), "pommel-none-")), "a.ts")).rejects.toMatchObject({
      reason: "no_repository",
    });
  });

  it("ignores commits that the user ignores, unless their list is broken", async () => {
    const { dir, commit, git } = newRepository();
    const one = commit("one", { "a.ts": "call(a,b)\n" });
    const format = commit("format", { "a.ts": "call(a, b)\n" });
    expect((await brief(dir, "a.ts"))[0]![0]).toBe(format);
    writeFileSync(join(dir, ".ignored"), `# formatting\n${format}\n`);
    git("config", "blame.ignoreRevsFile", ".ignored");
    expect((await brief(dir, "a.ts"))[0]![0]).toBe(one);
    writeFileSync(join(dir, ".ignored"), "no such thing\n");
    const { lines, note } = await blameFile(dir, "a.ts");
    expect(lines[0]!.commit).toBe(format);
    expect(note).toMatch(/^git cannot use blame\.ignoreRevsFile \(invalid object name/);
    writeFileSync(join(dir, ".ignored"), `${format}\n`);
    git("config", "--add", "blame.ignoreRevsFile", "nowhere");
    expect(await blameFile(dir, "a.ts")).toMatchObject({
      lines: [{ commit: one }],
      note: expect.stringContaining("nowhere does not exist"),
    });
    git("config", "--unset-all", "blame.ignoreRevsFile");
    const forAll = join(mkdtempSync(join(tmpdir(), "pommel-config-")), "config");
    writeFileSync(forAll, "[blame]\n\tignoreRevsFile = nowhere\n");
    process.env.GIT_CONFIG_GLOBAL = forAll;
    try {
      expect((await brief(dir, "a.ts"))[0]![0]).toBe(format);
    } finally {
      delete process.env.GIT_CONFIG_GLOBAL;
    }
  });

  it("marks the boundary of a shallow clone, but not the root of history", async () => {
    const { dir, commit } = newRepository();
    const root = commit("one", { "a.ts": "a\n" });
    const two = commit("two", { "a.ts": "a\nb\n" });
    commit("three", { "a.ts": "a\nb\nc\n" });
    const clone = mkdtempSync(join(tmpdir(), "pommel-clone-"));
    execFileSync("git", ["clone", "--quiet", "--depth=2", `file://${dir}`, clone], { stdio: "pipe" });
    const boundaries = async (where: string) =>
      (await blameFile(where, "a.ts")).lines.map(({ commit, isBoundary }) => [commit, isBoundary]);
    expect((await boundaries(clone)).slice(0, 2)).toEqual([
      [two, true],
      [two, true],
    ]);
    expect((await boundaries(dir))[0]).toEqual([root, false]);
    expect((await boundaries(clone))[2]![1]).toBe(false);
  });

  it("gives paths relative to a directory, with ../ for files outside of it", async () => {
    const { dir, commit, git } = newRepository("--object-format=sha256");
    const one = commit("one", { "a.ts": "1\n2\n3\n", "sub/c.ts": "c\n" });
    git("mv", "a.ts", "sub/b.ts");
    commit("two");
    const sub = join(dir, "sub");
    expect((await brief(sub, "b.ts"))[0]).toEqual([one, "../a.ts:1", "1"]);
    expect(await brief(sub, "c.ts")).toEqual([[one, "c.ts:1", "c"]]);
  });

  it("is independent of the user's configuration", async () => {
    const { dir, commit, git } = newRepository();
    const one = commit("one", { "ü.ts": "a\n" });
    const config = {
      "blame.showRoot": "true",
      "blame.blankBoundary": "true",
      "blame.showEmail": "true",
      "blame.date": "relative",
      "blame.coloring": "highlightRecent",
      "color.ui": "always",
      "core.quotePath": "false",
      "i18n.logOutputEncoding": "ISO-8859-1",
      "diff.up.textconv": "tr a-z A-Z <",
    };
    for (const [key, value] of Object.entries(config)) git("config", key, value);
    writeFileSync(join(dir, ".git/info/attributes"), "* diff=up\n");
    expect(await brief(dir, "ü.ts")).toEqual([[one, "ü.ts:1", "a"]]);
  });
});

it("attributes to a commit only lines that its diff adds", async () => {
  const lineArbitrary = fc.constantFrom("", "a", "b", "c", "d", "  }", "}");
  const textArbitrary = fc.array(lineArbitrary, { maxLength: 14 }).map((lines) => lines.join("\n"));
  await fc.assert(
    fc.asyncProperty(fc.array(textArbitrary, { minLength: 1, maxLength: 5 }), async (texts) => {
      const { dir, commit } = newRepository();
      const added = new Map<string, Set<string>>();
      for (const text of texts) {
        const hash = commit("next", { "a.ts": text });
        const lines = new Set<string>();
        for await (const { hunks } of streamChangedFiles(dir, { commit: hash })) {
          for (const hunk of hunks)
            for (const [n, line] of hunk.added.entries()) lines.add(`${hunk.newStart + n} ${line}`);
        }
        added.set(hash, lines);
      }
      const { lines } = await blameFile(dir, "a.ts");
      expect(lines.map(({ text }) => text).join("\n")).toBe(texts.at(-1)!.replace(/\n$/, ""));
      for (const { commit, originalLine, text } of lines) {
        expect(added.get(commit!)!.has(`${originalLine} ${text}`)).toBe(true);
      }
    }),
    { numRuns: 15 },
  );
});
