import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { createIgnoreRules } from "./ignore.ts";
import { listIgnoredDirectories, listNestedDirectories, scanProject } from "./scan.ts";

type ScanItem = ReturnType<typeof scanProject> extends AsyncGenerator<infer Item> ? Item : never;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scan-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
const rules = () => createIgnoreRules(root, makeDefaultConfig());
async function scan(below = ""): Promise<ScanItem[]> {
  const items: ScanItem[] = [];
  for await (const item of scanProject(root, rules(), below)) items.push(item);
  return items;
}
const shown = (item: ScanItem) => (item.kind === "file" ? item.stamp.path : `${item.reason}: ${item.path}`);
const paths = async (below = "") => (await scan(below)).map(shown);

it("yields stamps, a directory's files before those below it, in a stable order", async () => {
  write("b/z.ts", "12345");
  write("b/a/x.ts");
  write("c.ts");
  write("a.ts");
  utimesSync(join(root, "b/z.ts"), 1_700_000_000, 1_700_000_000.9876);
  const items = await scan();
  expect(items.map(shown)).toEqual(["a.ts", "c.ts", "b/z.ts", "b/a/x.ts"]);
  expect(items[2]).toEqual({ kind: "file", stamp: { path: "b/z.ts", size: 5, mtimeMs: 1_700_000_000_987 } });
});

it("omits ignored entries, and reports vendored directories once", async () => {
  write(".gitignore", "*.log\nbuild/");
  write("a.log");
  write("build/x.ts");
  write("node_modules/a/index.js");
  write("src/x.ts");
  expect(await paths()).toEqual([".gitignore", "vendored: node_modules", "src/x.ts"]);
  const leftOut = await listIgnoredDirectories(root, rules());
  expect(leftOut.sort()).toEqual([join(root, "build"), join(root, "node_modules")]);
});

it("lets others take their turn while it looks for what is left out", async () => {
  for (let i = 0; i < 1500; i++) mkdirSync(join(root, `d${i}`));
  let isDone = false;
  let turns = 0;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await listIgnoredDirectories(root, rules());
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});

it("scans below one directory, which may be vendored or gone", async () => {
  write("a/b/x.ts");
  write("a/y.ts");
  write("node_modules/z.js");
  expect(await paths("a")).toEqual(["a/y.ts", "a/b/x.ts"]);
  expect(await paths("node_modules")).toEqual(["vendored: node_modules"]);
  expect(await paths("nothing")).toEqual([]);
});

it("follows no links, and so has no loops", async () => {
  write("dir/x.ts");
  symlinkSync("..", join(root, "dir/up"));
  symlinkSync(".", join(root, "self"));
  symlinkSync("x.ts", join(root, "dir/link.ts"));
  symlinkSync("nowhere", join(root, "broken.ts"));
  expect(await paths()).toEqual(["dir/x.ts"]);
});

it.skipIf(process.platform === "win32")("skips pipes and sockets", async () => {
  execFileSync("mkfifo", [join(root, "pipe.ts")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, "socket.ts"), resolve));
  write("x.ts");
  expect(await paths()).toEqual(["x.ts"]);
  await new Promise((resolve) => server.close(resolve));
});

it("takes names of any kind", async () => {
  const names = [
    "with space.ts",
    "quote'\".ts",
    "new\nline.ts",
    "🦊.ts",
    "-rf",
    "ünï.ts",
    "[id].ts",
    "..a.ts",
    "a\\b.ts",
  ];
  for (const name of names) write(`in ${name}/${name}`);
  expect((await paths()).sort()).toEqual(names.map((name) => `in ${name}/${name}`).sort());
});

it.skipIf(process.platform !== "linux")("reports names that are not UTF-8, and continues", async () => {
  writeFileSync(Buffer.concat([Buffer.from(join(root, "bad-")), Buffer.from([0xff])]), "");
  mkdirSync(Buffer.concat([Buffer.from(join(root, "dir-")), Buffer.from([0xfe])]));
  write("good.ts");
  expect((await paths()).sort()).toEqual(["good.ts", "unreadable: bad-\ufffd", "unreadable: dir-\ufffd"]);
});

it("tolerates entries that disappear meanwhile", async () => {
  for (const name of ["a.ts", "b.ts", "dir/c.ts"]) write(name);
  const seen: string[] = [];
  for await (const item of scanProject(root, rules())) {
    seen.push(shown(item));
    rmSync(join(root, "b.ts"), { force: true });
    rmSync(join(root, "dir"), { recursive: true, force: true });
  }
  expect(seen).toEqual(["a.ts"]);
});

it.skipIf(process.getuid?.() === 0)(
  "reports a directory that may not be read (root may read all)",
  async () => {
    write("secret/x.ts");
    write("y.ts");
    chmodSync(join(root, "secret"), 0o000);
    try {
      expect(await paths()).toEqual(["y.ts", "unreadable: secret"]);
    } finally {
      chmodSync(join(root, "secret"), 0o700);
    }
  },
);

it("rejects a missing root instead of finding nothing", async () => {
  rmSync(root, { recursive: true });
  await expect(scan()).rejects.toMatchObject({ code: "unreadable" });
});

it("indexes what is in nested repositories, without their or Pommel's state", async () => {
  write("sub/.git", "gitdir: ../.git/modules/sub");
  write("sub/x.ts");
  write("other/.git/HEAD");
  write("other/.pommel/index.db");
  write("other/y.ts");
  expect(await paths()).toEqual(["other/y.ts", "sub/x.ts"]);
});

it("finds the files that git finds", async () => {
  for (const dir of ["", "a/", "a/b/", "c/"]) {
    for (const file of ["x.ts", "x.log", "tmp/y.ts", "keep.log"]) write(dir + file);
  }
  write(".gitignore", "*.log\n/a/tmp");
  write("a/b/.gitignore", "!keep.log\ntmp/*\n");
  execFileSync("git", ["init", "-q"], { cwd: root });
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  });
  expect((await paths()).sort()).toEqual(listed.split("\0").filter(Boolean).sort());
});

it("leaves out projects inside this one and worktrees of its repository, and names them", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      stdio: "ignore",
    });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "-m", "x");
  git("worktree", "add", "--quiet", "trees/one");
  write("trees/one/a.ts");
  write("tools/app/.pommel/config.toml");
  write("tools/app/src/a.ts");
  write("lib/sub/a.ts");
  execFileSync("git", ["init", "--quiet", join(root, "lib/sub")]);
  write("a.ts");
  expect((await paths()).sort()).toEqual(
    ["a.ts", "lib/sub/a.ts", "nested_project: tools/app", "worktree: trees/one"].sort(),
  );
  expect(listNestedDirectories(root, rules()).sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: "lib/sub", kind: "repository" },
    { path: "tools/app", kind: "nested_project" },
    { path: "trees/one", kind: "worktree" },
  ]);
  write(".pommelignore", "!/tools/app/\n");
  expect(await paths()).toContain("tools/app/src/a.ts");
  expect(rules().isIgnoreFile("lib/sub/.pommel")).toBe(true);
  expect(rules().isIgnoreFile(".pommel")).toBe(false);
});
