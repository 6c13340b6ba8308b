import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subscribeInTurn } from "./subscribe.ts";

let dirs: string[];
beforeEach(() => {
  dirs = ["a", "b"].map((name) => mkdtempSync(join(tmpdir(), `pommel-subscribe-${name}-`)));
});
afterEach(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const subscribe = (dir: string) => subscribeInTurn(dir, () => {}, { ignore: [] });

/** Of this process; also zombies, which ended and whose end nobody asked for. */
const children = () =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );

const inotifyInstances = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === "anon_inode:inotify";
    } catch {
      return false;
    }
  }).length;

describe.runIf(process.platform === "linux")("a subscription (needs Linux)", () => {
  it("starts no process, and leaves none behind", async () => {
    const before = children();
    const subscription = await subscribe(dirs[0]!);
    expect(children()).toEqual(before);
    await subscription.unsubscribe();
  });

  it("leaves nothing open, whenever another one ends", async () => {
    const before = inotifyInstances();
    let current = await subscribe(dirs[0]!);
    // One of hundreds meets the moment in which the library gives up what it watches with.
    for (let i = 1; i < 400; i++) {
      const [, next] = await Promise.all([current.unsubscribe(), subscribe(dirs[i % 2]!)]);
      current = next;
    }
    await current.unsubscribe();
    expect(inotifyInstances()).toBe(before);
  });
});
