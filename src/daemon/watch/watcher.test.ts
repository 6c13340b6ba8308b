import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { createIgnoreRules } from "../../code/files/ignore.ts";
import type { Subscribe, WatchEvent } from "./directories.ts";
import { type Watcher, watchProject } from "./watcher.ts";

type WatchOptions = Parameters<typeof watchProject>[0];

let root: string;
let watcher: Watcher | null = null;
/** Everything delivered so far, in order. */
let changes: string[];
let rescans: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "watcher-")));
  changes = [];
  rescans = [];
});
afterEach(async () => {
  await watcher?.close();
  watcher = null;
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, content = "x"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function watch(options: Partial<WatchOptions> = {}): Promise<Watcher> {
  watcher = await watchProject({
    root,
    rules: createIgnoreRules(root, makeDefaultConfig()),
    debounceMs: 10,
    pollSeconds: 0.02,
    onChange: (paths) => changes.push(...paths),
    onRescan: (reason) => rescans.push(reason),
    log: silentLog,
    ...options,
  });
  return watcher;
}

const delivered = (...paths: string[]) =>
  vi.waitFor(() => expect(changes).toEqual(expect.arrayContaining(paths)), { timeout: 60_000, interval: 10 });
const rescanned = (reason: RegExp) =>
  vi.waitFor(() => expect(rescans.join()).toMatch(reason), { timeout: 60_000, interval: 10 });

/** Changes a file until the change arrives: what went before in the same stream has then arrived as well. */
async function settle(): Promise<void> {
  await vi.waitFor(
    () => {
      write("settle.txt", String(Math.random()));
      expect(changes).toContain("settle.txt");
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe("by notifications", () => {
  it("delivers what was added, changed and removed, in any directory", async () => {
    write("a/changed.ts");
    write("gone.ts");
    const { mode, note } = await watch();
    expect([mode, note]).toEqual(["native", null]);
    write("a/came with 'odd\" 🦊 name.ts");
    appendFileSync(join(root, "a/changed.ts"), "y");
    rmSync(join(root, "gone.ts"));
    await delivered("a/came with 'odd\" 🦊 name.ts", "a/changed.ts", "gone.ts");
  });

  it("sees an atomic save as a change of the file", async () => {
    write("a.ts", "old");
    await watch();
    write(".a.ts.tmp", "new");
    renameSync(join(root, ".a.ts.tmp"), join(root, "a.ts"));
    await delivered("a.ts");
  });

  it("drops what is ignored, vendored or Pommel's own", async () => {
    write(".gitignore", "*.log\nout/\n");
    write("node_modules/a.js");
    write("out/x.ts");
    mkdirSync(join(root, ".pommel"));
    mkdirSync(join(root, ".git"));
    await watch();
    write("b.log");
    write("out/y.ts");
    write("node_modules/b.js");
    write("bower_components/c/c.js");
    write(".pommel/index.db");
    write(".git/index");
    await settle();
    expect([...new Set(changes)]).toEqual(["settle.txt"]);
    expect(rescans).toEqual([]);
  });

  it("delivers a new directory, and what happens in it from then on", async () => {
    await watch();
    write("new/deep/er/a.ts");
    await delivered("new");
    await vi.waitFor(
      () => {
        write("new/deep/er/a.ts", String(Math.random()));
        expect(changes).toContain("new/deep/er/a.ts");
      },
      { timeout: 60_000, interval: 50 },
    );
  });

  it("delivers a renamed directory under both names, and later changes below the new one", async () => {
    write("old/sub/a.ts");
    await watch();
    renameSync(join(root, "old"), join(root, "new"));
    await delivered("old", "new");
    write("new/sub/a.ts", "changed");
    await delivered("new/sub/a.ts");
    expect(changes).not.toContain("old/sub/a.ts");
  });

  it("delivers a deleted directory", async () => {
    write("dir/sub/a.ts");
    await watch();
    rmSync(join(root, "dir"), { recursive: true });
    await delivered("dir");
  });

  it("has the project scanned when an ignore file changes, and follows the new rules", async () => {
    write(".gitignore", "lib/\n");
    write("lib/a.ts");
    await watch();
    write(".gitignore", "*.tmp\n");
    await rescanned(/ignore rules changed/);
    write("b.tmp");
    write("lib/a.ts", "now watched");
    await delivered("lib/a.ts");
    await settle();
    expect(changes).not.toContain("b.tmp");
  });

  it("requests a scan when .git/info/exclude appears", async () => {
    mkdirSync(join(root, ".git/info"), { recursive: true });
    await watch();
    await settle();
    expect(rescans).toEqual([]);
    write(".git/info/exclude", "*.tmp");
    await rescanned(/ignore rules changed/);
  });

  it("keeps watching after a checkout of many files", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: root,
        stdio: "pipe",
      });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "empty");
    git("checkout", "-q", "-b", "full");
    for (let i = 0; i < 1500; i++) write(`pkg${i % 30}/src/f${i}.ts`, `export const f${i} = ${i};\n`);
    git("add", ".");
    git("commit", "-q", "-m", "full");
    git("checkout", "-q", "main");
    expect(existsSync(join(root, "pkg0"))).toBe(false);
    await watch();
    git("checkout", "-q", "full");
    // By then every directory is known: either scanned for, or delivered and watched.
    await vi.waitFor(() => expect(rescans.length + changes.length).toBeGreaterThan(0), { timeout: 60_000 });
    await vi.waitFor(
      () => {
        write("pkg29/src/f29.ts", String(Math.random()));
        expect(changes).toContain("pkg29/src/f29.ts");
      },
      { timeout: 60_000, interval: 50 },
    );
  });

  it("stays alive when the root is moved away, and sees it return", async () => {
    write("a.ts");
    await watch();
    renameSync(root, `${root}-moved`);
    await rescanned(/moved or deleted/);
    expect(rescans).toHaveLength(1);
    await vi.waitFor(() => expect(watcher?.mode).toBe("polling"), 60_000);
    renameSync(`${root}-moved`, root);
    write("b.ts");
    await delivered("b.ts");
  });
});

/** Runs a command as a user without free inotify instances, as root of a namespace of its own. */
const withoutInotify = [
  "-Ur",
  "sh",
  "-c",
  'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"',
  "sh",
];
const canLimitInotify = spawnSync("unshare", [...withoutInotify, "true"]).status === 0;

it.skipIf(!canLimitInotify)("polls where no inotify instance is left (needs Linux user namespaces)", () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { watchProject } = await import(${url("./watcher.ts")});
    const { silentLog } = await import(${url("../../base/log.ts")});
    const rules = { within: () => () => null, reload() {}, outsideFiles: [] };
    const watcher = await watchProject({
      root: ${JSON.stringify(root)}, rules, debounceMs: 10, pollSeconds: 1, log: silentLog,
      onChange() {}, onRescan() {},
    });
    console.log(watcher.mode, watcher.note);
    await watcher.close();`;
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script];
  const output = execFileSync("unshare", [...withoutInotify, ...node], { encoding: "utf8", timeout: 90_000 });
  expect(output).toMatch(/^polling .*EMFILE.*max_user_instances/);
});

describe("by events made up", () => {
  let emit: (error: Error | null, events: WatchEvent[]) => void;
  let subscriptions: { ignore: string[]; isOpen: boolean }[];
  const fake: Subscribe = async (_, callback, { ignore }) => {
    const subscription = { ignore, isOpen: true };
    subscriptions.push(subscription);
    emit = callback;
    return {
      async unsubscribe() {
        subscription.isOpen = false;
      },
    };
  };
  const changed = (path: string): WatchEvent => ({ path: join(root, path), type: "update" });
  beforeEach(() => {
    subscriptions = [];
  });

  it("delivers a path once per batch", async () => {
    write("a.ts");
    await watch({ subscribe: fake });
    emit(null, [changed("a.ts"), changed("a.ts")]);
    emit(null, [changed("a.ts")]);
    await delivered("a.ts");
    expect(changes).toEqual(["a.ts"]);
  });

  it("delivers during a stream of changes", async () => {
    write("a.ts");
    await watch({ subscribe: fake, debounceMs: 60 });
    const stream = setInterval(() => emit(null, [changed("a.ts")]), 5);
    try {
      await delivered("a.ts");
    } finally {
      clearInterval(stream);
    }
  });

  it("has the project scanned once after very many changes, on a new subscription", async () => {
    await watch({ subscribe: fake });
    for (let batch = 0; batch < 3; batch++) {
      emit(
        null,
        Array.from({ length: 1000 }, (_, i) => changed(`f${batch}-${i}.ts`)),
      );
    }
    await rescanned(/many files/);
    expect(rescans).toHaveLength(1);
    expect(changes).toEqual([]);
    expect(subscriptions.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });

  it("requests a scan when the system lost track, and keeps watching", async () => {
    write("a.ts");
    await watch({ subscribe: fake });
    emit(new Error("Events were dropped by the FSEvents client. File system must be re-scanned."), []);
    await rescanned(/lost track.*FSEvents/);
    emit(null, [changed("a.ts")]);
    await delivered("a.ts");
  });

  it("leaves out the directories that the rules leave out", async () => {
    write(".gitignore", "out/");
    write("a/out/x.ts");
    await watch({ subscribe: fake });
    expect(subscriptions[0]?.ignore).toEqual(
      expect.arrayContaining(["a/out", ".git", ".pommel", "node_modules"].map((path) => join(root, path))),
    );
  });

  it("delivers nothing after close", async () => {
    write("a.ts");
    await watch({ subscribe: fake });
    emit(null, [changed("a.ts")]);
    await watcher?.close();
    emit(null, [changed("a.ts")]);
    expect(subscriptions.map(({ isOpen }) => isOpen)).toEqual([false]);
    // What a later watcher delivers comes after anything the first one could still have.
    write("b.ts");
    await watch({ subscribe: fake });
    emit(null, [changed("b.ts")]);
    await delivered("b.ts");
    expect(changes).toEqual(["b.ts"]);
  });

  it("tries again when the tree changed while it was walked", async () => {
    let calls = 0;
    const flaky: Subscribe = async (...args) => {
      if (++calls < 3) throw new Error("No such file or directory");
      return fake(...args);
    };
    expect(await watch({ subscribe: flaky })).toMatchObject({ mode: "native", note: null });
  });

  it("polls from then on when watching anew fails", async () => {
    let calls = 0;
    const failing: Subscribe = async (...args) => {
      if (++calls > 1) throw new Error("inotify_add_watch failed: No space left on device");
      return fake(...args);
    };
    await watch({ subscribe: failing });
    emit(new Error("overflow"), []);
    await rescanned(/overflow/);
    expect(watcher).toMatchObject({ mode: "polling", note: expect.stringContaining("No space left") });
    write("a.ts");
    await delivered("a.ts");
  });
});

describe("by polling", () => {
  const noNotifications: Subscribe = async () => {
    throw new Error("inotify_add_watch on '/' failed: No space left on device");
  };

  it("reports why, and delivers what was added, changed and removed", async () => {
    write("changed.ts");
    write("dir/gone.ts");
    write(".gitignore", "*.log");
    const warnings: string[] = [];
    await watch({ subscribe: noNotifications, log: { ...silentLog, warn: (msg) => warnings.push(msg) } });
    expect(watcher).toMatchObject({ mode: "polling", note: expect.stringContaining("No space left") });
    expect(warnings).toEqual([watcher?.note]);
    write("new/came.ts");
    write("b.log");
    write("changed.ts", "longer");
    rmSync(join(root, "dir"), { recursive: true });
    symlinkSync("changed.ts", join(root, "link.ts"));
    await delivered("new/came.ts", "changed.ts", "dir/gone.ts");
    expect(changes.sort()).toEqual(["changed.ts", "dir/gone.ts", "new/came.ts"]);
  });

  it("has the project scanned when an ignore file changes", async () => {
    await watch({ subscribe: noNotifications });
    write(".gitignore", "*.log");
    await rescanned(/ignore rules changed/);
  });

  it("does not take a root that is away for one that is empty", async () => {
    write("a.ts");
    let failedPolls = 0;
    await watch({ subscribe: noNotifications, log: { ...silentLog, debug: () => failedPolls++ } });
    renameSync(root, `${root}-moved`);
    await vi.waitFor(() => expect(failedPolls).toBeGreaterThan(1), { timeout: 60_000 });
    renameSync(`${root}-moved`, root);
    write("b.ts");
    await delivered("b.ts");
    expect(changes).toEqual(["b.ts"]);
  });
});
