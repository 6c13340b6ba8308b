import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Config, defaultConfig } from "../project/settings.ts";
import { createIgnoreRules } from "./ignore.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ignore-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

function write(path: string, content = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
const git = (args: string[], input?: string) =>
  execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
    ...(input !== undefined && { input }),
  });
const rulesWith = (config: Partial<Config> = {}) =>
  createIgnoreRules(root, { ...defaultConfig(), ...config });
/** Of these paths (a directory ends with "/"), the ones that are ignored. */
function ignored(paths: string[], rules = rulesWith()): string[] {
  return paths.filter((path) => rules.ignores(path.replace(/\/$/, ""), path.endsWith("/")));
}

describe("git's rules", () => {
  const name = fc.constantFrom("a", "b", "c", "ab", "a.c", "b [x]", "#a", "!b", "a ", "né", ".h", "ab*");
  const glob = fc.constantFrom(
    "*",
    "?",
    "**",
    "a*",
    "*.c",
    "[ab]",
    "[!a]",
    "\\#a",
    "\\!b",
    "a\\ ",
    "*b*",
    "b \\[x]",
  );
  const part = fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: glob });
  const pattern = fc
    .tuple(
      fc.constantFrom("", "", "", "!", "!"),
      fc.constantFrom("", "", "/", "**/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/", "/**", "/*", " ", "\r"),
    )
    .map(([negation, start, parts, end]) => negation + start + parts.join("/") + end);
  const odd = fc.constantFrom(
    "",
    "/",
    "!",
    "!/",
    "# x",
    "  ",
    "//",
    "\\",
    "[",
    "/ ",
    "./a",
    "../a",
    "\t",
    "/**",
    "/*",
  );
  const ignoreText = fc
    .array(fc.oneof({ weight: 12, arbitrary: pattern }, { weight: 1, arbitrary: odd }), { maxLength: 5 })
    .map((lines) => lines.join("\n"));
  const directory = fc.array(name, { maxLength: 3 }).map((parts) => parts.map((part) => `${part}/`).join(""));
  const tree = fc.record({
    files: fc.array(fc.tuple(directory, name), { minLength: 3, maxLength: 12 }),
    ignoreFiles: fc.dictionary(directory, ignoreText, { maxKeys: 4 }),
    rootIgnore: ignoreText,
    exclude: ignoreText,
  });

  it("agree with `git check-ignore` on any tree", () => {
    git(["init", "-q"]);
    fc.assert(
      fc.property(tree, ({ files, ignoreFiles, rootIgnore, exclude }) => {
        git(["clean", "-qffdx"]);
        const paths = new Set<string>();
        const tryWrite = (path: string, content: string) => {
          try {
            write(path, content);
          } catch {
            return; // A directory where the tree has a file already, or the other way round.
          }
          const parts = path.split("/");
          for (let i = 1; i < parts.length; i++) paths.add(`${parts.slice(0, i).join("/")}/`);
          paths.add(path);
        };
        for (const [directory, name] of files) tryWrite(directory + name, "");
        for (const [directory, text] of Object.entries(ignoreFiles)) tryWrite(`${directory}.gitignore`, text);
        tryWrite(".gitignore", rootIgnore);
        write(".git/info/exclude", exclude);

        // Without the slash: git looks at the disk to see what is a directory.
        const list = [...paths].map((path) => path.replace(/\/$/, ""));
        let output = "";
        try {
          output = git(["check-ignore", "--no-index", "-z", "--stdin"], list.join("\0"));
        } catch {
          // Exit code 1: none is ignored.
        }
        const expected = output.split("\0").filter((path) => path !== "");
        expect(
          ignored([...paths])
            .map((path) => path.replace(/\/$/, ""))
            .sort(),
        ).toEqual(expected.sort());
      }),
      { numRuns: Number(process.env.RUNS ?? 150), seed: Number(process.env.SEED ?? 1) },
    );
  });
});
