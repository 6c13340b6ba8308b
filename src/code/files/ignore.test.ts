import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
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
  createIgnoreRules(root, { ...makeDefaultConfig(), ...config });
/** Of these paths (a directory ends with "/"), the ones that are ignored. */
function ignored(paths: string[], rules = rulesWith()): string[] {
  return paths.filter((path) => rules.ignores(path.replace(/\/$/, ""), path.endsWith("/")));
}

describe("git's rules", () => {
  const plain = fc.constantFrom("a", "b", "a.c");
  const strange = fc.constantFrom("b [x]", "#a", "!b", "a ", "né", ".h", "ab*");
  const name = fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: strange });
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
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  const tree = fc.record({
    files: fc.array(path, { minLength: 3, maxLength: 12 }),
    /** Each goes into the directory `depth` levels down on the way to one of the files. */
    ignoreFiles: fc.array(fc.record({ file: fc.nat(11), depth: fc.nat(3), text: ignoreText }), {
      maxLength: 5,
    }),
    exclude: ignoreText,
  });

  it("agree with `git check-ignore` on any tree", () => {
    git(["init", "-q"]);
    fc.assert(
      fc.property(tree, ({ files, ignoreFiles, exclude }) => {
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
        for (const parts of files) tryWrite(parts.join("/"), "");
        for (const { file, depth, text } of ignoreFiles) {
          const parts = files[file % files.length]!.slice(0, -1).slice(0, depth);
          tryWrite([...parts, ".gitignore"].join("/"), text);
        }
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
      { numRuns: runs(15), seed: 1 },
    );
  });
});

describe("Pommel's own home", () => {
  it("is not looked at where it lies in the project", () => {
    vi.stubEnv("POMMEL_HOME", join(root, "home"));
    write("home/state/daemon.lock");
    write(".pommelignore", "!home/state/");
    expect(ignored(["home/", "home/state/", "home/state/daemon.lock", "home/data/", "home/a.ts"])).toEqual([
      "home/state/",
      "home/state/daemon.lock",
      "home/data/",
    ]);
  });

  it("is not listed among the files of a working tree", async () => {
    vi.stubEnv("POMMEL_HOME", join(root, "home"));
    git(["init", "-q"]);
    write("home/state/daemon.lock");
    write("a.ts");
    expect(await listWorkingFiles(root)).toEqual(["a.ts"]);
  });
});

describe("where git's patterns come from", () => {
  it("a directory's name is not a pattern", () => {
    write("b [x]/.gitignore", "out\n/top/a");
    write("a*/.gitignore", "*");
    expect(ignored(["b [x]/out", "b [x]/c/out", "b [x]/top/a", "b x/out", "ab/file", "a*/file"])).toEqual([
      "b [x]/out",
      "b [x]/c/out",
      "b [x]/top/a",
      "a*/file",
    ]);
  });

  it("without a repository, .gitignore holds all the same", () => {
    write(".gitignore", "*.log");
    expect(ignored(["a.log", "a.ts"])).toEqual(["a.log"]);
  });

  it("a linked worktree shares info/exclude; a submodule has its own", () => {
    git(["init", "-q", "main"]);
    git([
      "-C",
      "main",
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "x",
    ]);
    git(["-C", "main", "worktree", "add", "-q", "../linked"]);
    write("main/.git/info/exclude", "secret");
    const rules = createIgnoreRules(join(root, "linked"), makeDefaultConfig());
    expect(rules.ignores("secret", false)).toBe(true);

    write("outer/.git/modules/sub/info/exclude", "private");
    write("outer/sub/.git", "gitdir: ../.git/modules/sub\n");
    const subRules = createIgnoreRules(join(root, "outer", "sub"), makeDefaultConfig());
    expect(subRules.ignores("private", false)).toBe(true);
    expect(subRules.outsideFiles.at(-1)).toBe(join(root, "outer/.git/modules/sub/info/exclude"));
  });

  it("the user's own: the default file, or what core.excludesFile names; the repository has precedence", () => {
    vi.stubEnv("HOME", join(root, "home"));
    vi.stubEnv("XDG_CONFIG_HOME", join(root, "config"));
    vi.stubEnv("GIT_CONFIG_GLOBAL", undefined);
    write("config/git/ignore", "*.swp\n");
    expect(ignored(["a.swp", "a.bak"])).toEqual(["a.swp"]);
    write("home/.gitconfig", '[user]\n\texcludesFile = no\n[core]\n\texcludesfile = "~/my ignore"\n');
    write("home/my ignore", "*.bak\n*.keep\n");
    write(".gitignore", "!*.keep");
    expect(ignored(["a.swp", "a.bak", "a.keep"])).toEqual(["a.bak"]);
  });
});

describe("what Pommel adds", () => {
  it("version control's and its own state are never read", () => {
    write(".pommelignore", "!.git\n!.pommel/");
    const paths = [".git/", ".git/config", "sub/.git", ".pommel/", "sub/.pommel/index.db"];
    expect(ignored(paths)).toEqual(paths);
  });

  it(".pommelignore has the last word, over deeper .gitignore files too", () => {
    write(".gitignore", "dist/");
    write("src/.gitignore", "*.gen.ts");
    write(".pommelignore", "!dist/\n!*.gen.ts\nfixtures/");
    write("src/.pommelignore", "!fixtures/");
    expect(ignored(["dist/", "dist/a.js", "src/a.gen.ts", "fixtures/", "src/fixtures/"])).toEqual([
      "fixtures/",
    ]);
  });

  it("index.exclude: globs of files or directories, without a slash at any depth", () => {
    const rules = rulesWith({ "index.exclude": ["*.snap", "docs/", "src/**/old", "./top.ts", "a{1,2}/*"] });
    const paths = [
      "x/y.snap",
      "docs/",
      "docs/a/b.md",
      "x/docs/",
      "src/a/b/old/",
      "src/old",
      "top.ts",
      "a2/.h",
    ];
    expect(ignored([...paths, "src/new", "a3/x", "top.tsx"], rules)).toEqual(paths);
  });

  it("index.include: nothing else, and only the directories on the way are entered", () => {
    const rules = rulesWith({ "index.include": ["src/lib/**/*.ts", "Makefile", "docs"] });
    const kept = ["src/", "src/lib/", "src/lib/a/", "src/lib/a/x.ts", "x/Makefile", "docs/a/b.md"];
    expect(ignored([...kept, "src/x.ts", "src/lib/a/x.js", "x/y.ts"], rules)).toEqual([
      "src/x.ts",
      "src/lib/a/x.js",
      "x/y.ts",
    ]);
    const narrow = rulesWith({ "index.include": ["src/lib/**"] });
    expect(ignored(["src/", "src/lib/", "src/other/", "test/"], narrow)).toEqual(["src/other/", "test/"]);
  });
});

describe("vendored directories", () => {
  it("by unambiguous names, with everything below", () => {
    const rules = rulesWith();
    expect(rules.check("node_modules", true)).toBe("vendored");
    expect(rules.check("a/node_modules/b/c.js", false)).toBe("vendored");
    expect(rules.check("third_party", true)).toBe("vendored");
    expect(rules.check("node_modules", false)).toBeNull();
  });

  it("an ordinary word only where a package manager put it", () => {
    write("go/go.mod");
    write("rust/vendor/modules.txt");
    const rules = rulesWith();
    expect(rules.check("go/vendor", true)).toBe("vendored");
    expect(rules.check("rust/vendor", true)).toBe("vendored");
    expect(rules.check("shop/vendor", true)).toBeNull();
  });

  it("by the marks in them: virtual environments, caches", () => {
    write("my-env/pyvenv.cfg");
    write("target/CACHEDIR.TAG");
    const rules = rulesWith();
    expect(rules.check("my-env/lib/a.py", false)).toBe("vendored");
    expect(rules.check("target", true)).toBe("vendored");
  });

  it("ignored ones are just ignored; a .pommelignore can include one again, a .gitignore cannot", () => {
    write(".gitignore", "node_modules\n!bower_components");
    write(".pommelignore", "!third_party/");
    const rules = rulesWith();
    expect(rules.check("node_modules", true)).toBe("ignored");
    expect(rules.check("bower_components", true)).toBe("vendored");
    expect(rules.check("third_party/a.c", false)).toBeNull();
  });
});

it("reads the files again after reload, and knows which they are", () => {
  write(".gitignore", "a");
  const rules = rulesWith();
  expect(ignored(["a", "b"], rules)).toEqual(["a"]);
  write(".gitignore", "b");
  write("sub/.pommelignore", "c");
  expect(ignored(["a", "b"], rules)).toEqual(["a"]);
  rules.reload();
  expect(ignored(["a", "b", "sub/c"], rules)).toEqual(["b", "sub/c"]);
  expect(rules.isIgnoreFile("sub/.pommelignore")).toBe(true);
  expect(rules.isIgnoreFile(".gitignore")).toBe(true);
  expect(rules.isIgnoreFile("b/.gitignore")).toBe(false);
  expect(rules.isIgnoreFile("gitignore")).toBe(false);
});
