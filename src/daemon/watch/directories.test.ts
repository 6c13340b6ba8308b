import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchDirectories } from "./directories.ts";

let root: string;
let seen: string[];
let subscriptions: { unsubscribe(): Promise<void> }[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-directories-"));
  seen = [];
  subscriptions = [];
});
afterEach(async () => {
  for (const { unsubscribe } of subscriptions) await unsubscribe();
  rmSync(root, { recursive: true, force: true });
});

const at = (path: string) => join(root, path);
const directory = (path: string) => mkdirSync(at(path), { recursive: true });
async function subscribe(...ignored: string[]) {
  const subscription = await watchDirectories(
    root,
    (error, events) => {
      if (error !== null) seen.push(error.message);
      for (const { path, type } of events) seen.push(`${type} ${relative(root, path)}`);
    },
    { ignore: ignored.map(at) },
  );
  subscriptions.push(subscription);
  return subscription;
}
const sees = (...events: string[]) =>
  vi.waitFor(() => expect(seen).toEqual(expect.arrayContaining(events)), { timeout: 60_000 });

/** Of this process, in all inotify instances. */
function watches(): number {
  return readdirSync("/proc/self/fd").reduce((sum, fd) => {
    try {
      return sum + (readFileSync(`/proc/self/fdinfo/${fd}`, "utf8").match(/^inotify /gm)?.length ?? 0);
    } catch {
      return sum;
    }
  }, 0);
}

describe.runIf(process.platform === "linux")("directories that are watched (needs Linux)", () => {
  it("report files that appear, change and go", async () => {
    directory("src/deep");
    await subscribe();
    writeFileSync(at("src/deep/a.ts"), "1");
    await sees("update src/deep/a.ts");
    seen.length = 0;
    appendFileSync(at("src/deep/a.ts"), "2");
    await sees("update src/deep/a.ts");
    rmSync(at("src/deep/a.ts"));
    await sees("delete src/deep/a.ts");
  });

  it("report nothing for what was there", async () => {
    directory("src/deep");
    await subscribe();
    writeFileSync(at("last.ts"), "1");
    await sees("update last.ts");
    expect(seen).toEqual(["update last.ts"]);
  });

  it("include those that appear, with those in them", async () => {
    await subscribe();
    directory("one/two/three");
    await sees("create one", "create one/two", "create one/two/three");
    writeFileSync(at("one/two/three/a.ts"), "1");
    await sees("update one/two/three/a.ts");
  });

  it("are told by their new names after they were moved", async () => {
    directory("old/inner");
    await subscribe();
    renameSync(at("old"), at("new"));
    await sees("delete old", "create new", "create new/inner");
    seen.length = 0;
    writeFileSync(at("new/inner/a.ts"), "1");
    await sees("update new/inner/a.ts");
    expect(seen.filter((event) => event.includes("old"))).toEqual([]);
  });

  it("are watched again when they are made again at once", async () => {
    directory("src");
    await subscribe();
    rmSync(at("src"), { recursive: true });
    directory("src");
    await sees("create src");
    await vi.waitFor(() => {
      writeFileSync(at("src/a.ts"), "1");
      expect(seen).toContain("update src/a.ts");
    }, 60_000);
  });

  it("leave out what is ignored, and links", async () => {
    directory("node_modules/a");
    directory("src");
    symlinkSync(at("src"), at("link"));
    await subscribe("node_modules", "later");
    writeFileSync(at("node_modules/a/b.ts"), "1");
    directory("later/a");
    writeFileSync(at("later/a/b.ts"), "1");
    writeFileSync(at("src/a.ts"), "1");
    await sees("update src/a.ts");
    expect(seen.every((event) => event.endsWith("src/a.ts"))).toBe(true);
  });

  it("say when the root goes", async () => {
    await subscribe();
    rmSync(root, { recursive: true });
    await sees("delete ");
  });

  it("leave nothing watched in the end", async () => {
    const before = watches();
    for (let i = 0; i < 50; i++) directory(`many/${i}/inner`);
    const subscription = await subscribe();
    expect(watches()).toBe(before + 102);
    rmSync(at("many/7"), { recursive: true });
    await sees("delete many/7");
    expect(watches()).toBe(before + 100);
    await subscription.unsubscribe();
    expect(watches()).toBe(before);
  });

  it("are refused when they are not there", async () => {
    rmSync(root, { recursive: true });
    await expect(subscribe()).rejects.toThrow("ENOENT");
  });
});
