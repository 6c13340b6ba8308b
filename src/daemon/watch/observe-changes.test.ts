import { utimesSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { computeLineKey } from "../../attribution/lines/line-keys.ts";
import { silentLog } from "../../base/log.ts";
import { listObservationsOfFile } from "../../store/memory/observations.ts";
import { KeysOfFiles } from "./keys-of-files.ts";
import { ChangeObserver } from "./observe-changes.ts";

let stored: ReturnType<typeof temporaryMemory>;
let repository: ReturnType<typeof newRepository>;
let observer: ChangeObserver;

beforeEach(() => {
  stored = temporaryMemory();
  repository = newRepository();
});
afterEach(async () => {
  await observer.close();
  stored.remove();
});

function begin(root = repository.dir): void {
  observer = new ChangeObserver({ root, memory: () => stored.memory, log: silentLog, debounceMs: 60_000 });
}

type Files = Parameters<typeof repository.write>[0];
async function save(files: Files): Promise<void> {
  repository.write(files);
  await saw(...Object.keys(files));
}
async function saw(...paths: string[]): Promise<void> {
  observer.observe(paths);
  await observer.waitUntilSettled();
}

/** The lines of `of` that were seen to show up in a file, in order. */
function seen(path: string, of: readonly string[]): string[] {
  const all = { since: 0, until: Date.now() + 60_000 };
  const names = new Map(of.map((line) => [computeLineKey(line), line]));
  return listObservationsOfFile(stored.memory, path, all).flatMap(({ keys }) =>
    keys.map((key) => names.get(key) ?? "?"),
  );
}

test("lines are noted when they show up, compared with the commit first and with what was seen then", async () => {
  repository.commit("one", { "a.ts": "one\ntwo\n" });
  begin();
  const lines = ["one", "two", "three", "four"];
  await save({ "a.ts": "one\n\nthree\ntwo\n" });
  expect(seen("a.ts", lines)).toEqual(["three"]);
  await save({ "a.ts": "one\ntwo\n" });
  expect(seen("a.ts", lines)).toEqual(["three"]);
  await save({ "a.ts": "one\nthree\nfour\none\n" });
  expect(seen("a.ts", lines)).toEqual(["three", "three", "four", "one"]);
  await save({ "new.ts": "one\n" });
  expect(seen("new.ts", lines)).toEqual(["one"]);
});

test("they count from the file's modification time, unless that is long ago", async () => {
  repository.commit("one");
  begin();
  repository.write({ "a.ts": "one\n", "old.ts": "one\n" });
  const before = Date.now();
  utimesSync(join(repository.dir, "a.ts"), before / 1000 - 5, before / 1000 - 5);
  utimesSync(join(repository.dir, "old.ts"), 1, 1);
  await saw("a.ts", "old.ts");
  const of = (path: string) =>
    listObservationsOfFile(stored.memory, path, { since: 0, until: Date.now() })[0]!.at;
  expect(Math.abs(of("a.ts") - (before - 5000))).toBeLessThan(3);
  expect(of("old.ts")).toBeGreaterThanOrEqual(before);
});

test("uncommitted lines from before the daemon began, or lost track, do not count as new later", async () => {
  repository.commit("one", { "a.ts": "one\n", "sub/b.ts": "" });
  repository.write({ "a.ts": "one\nbefore\n", "new.ts": "before\n" });
  begin();
  await observer.takeStock();
  const lines = ["one", "before", "after", "missed", "then"];
  await save({ "a.ts": "one\nbefore\nafter\n", "new.ts": "before\nafter\n", "sub/b.ts": "after\n" });
  expect(["a.ts", "new.ts", "sub/b.ts"].map((path) => seen(path, lines))).toEqual([
    ["after"],
    ["after"],
    ["after"],
  ]);
  repository.write({ "a.ts": "one\nmissed\n" });
  await observer.takeStock();
  await save({ "a.ts": "one\nmissed\nthen\n" });
  expect(seen("a.ts", lines)).toEqual(["after", "then"]);
  await observer.close();
  begin(join(repository.dir, "sub"));
  await observer.takeStock();
  repository.write({ "sub/b.ts": "after\nthen\n" });
  await saw("b.ts");
  expect(seen("b.ts", lines)).toEqual(["then"]);
});

test("a commit in between does not hide what was written before it", async () => {
  repository.commit("one", { "a.ts": "one\n" });
  begin();
  repository.commit("two", { "a.ts": "one\ntwo\n" });
  await saw("a.ts");
  expect(seen("a.ts", ["one", "two"])).toEqual(["two"]);
});

test("files from a checkout do not count as written", async () => {
  const { git, commit } = repository;
  commit("one", { "a.ts": "one\n" });
  git("checkout", "--quiet", "-b", "side");
  commit("two", { "a.ts": "one\nside\n" });
  begin();
  await save({ "a.ts": "one\nside\nmine\n" });
  git("checkout", "--quiet", "a.ts");
  git("checkout", "--quiet", "main");
  await saw("a.ts");
  const lines = ["one", "side", "mine", "more"];
  expect(seen("a.ts", lines)).toEqual(["mine"]);
  await save({ "a.ts": "one\nmore\n" });
  expect(seen("a.ts", lines)).toEqual(["mine", "more"]);
});

test("many files at once do not count as written, nor does their content at the next change", async () => {
  repository.commit("one");
  begin();
  const names = Array.from({ length: 51 }, (_, n) => `${n}.ts`);
  await save(Object.fromEntries(names.map((name) => [name, "generated\n"])));
  await save({ "1.ts": "generated\nthen\n" });
  const lines = ["generated", "then", "now"];
  expect(seen("1.ts", lines)).toEqual([]);
  await save({ "1.ts": "generated\nthen\nnow\n" });
  expect(seen("1.ts", lines)).toEqual(["now"]);
});

test("leaves out what is never written by hand, and what is not a file", async () => {
  repository.commit("one", { "d/e": "" });
  begin();
  await save({
    "big.ts": "one\n".repeat(300_000),
    "b.bin": Uint8Array.of(97, 0, 10, 98),
    link: { link: "d/e" },
    "-odd\nname": "one\n",
  });
  await saw("d", "gone.ts");
  expect(stored.memory.prepare("SELECT count(*) AS n FROM observations").get()).toEqual({ n: 0 });
});

test("works in a directory of a repository, before its first commit, and not without one", async () => {
  repository.write({ "sub/a.ts": "" });
  begin(join(repository.dir, "sub"));
  repository.write({ "sub/a.ts": "one\n" });
  await saw("a.ts");
  expect(seen("a.ts", ["one"])).toEqual(["one"]);
  await observer.close();
  repository.commit("one", { "sub/b.ts": "one\n" });
  begin(join(repository.dir, "sub"));
  repository.write({ "sub/b.ts": "one\ntwo\n" });
  await saw("b.ts");
  expect(seen("b.ts", ["one", "two"])).toEqual(["two"]);
  await observer.close();
  begin(stored.dir);
  await saw("memory.db");
  expect(seen("memory.db", [])).toEqual([]);
});

test("lines that a file has more often than before are new, whatever other files have", () => {
  const keys = fc.array(fc.nat({ max: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), keys)), (saves) => {
      const files = new KeysOfFiles();
      const model = new Map<string, number[]>();
      for (const [path, now] of saves) {
        const count = (list: readonly number[], key: number) => list.filter((other) => other === key).length;
        const before = model.get(path) ?? [];
        const fresh = files.replace(path, now);
        for (const key of [1, 2, 3, 4]) {
          expect(count(fresh, key)).toBe(Math.max(0, count(now, key) - count(before, key)));
        }
        expect(fresh).not.toContain(0);
        model.set(path, now);
      }
    }),
  );
});

test("memory is limited to the files that changed last", () => {
  const files = new KeysOfFiles(30);
  files.replace("a", [1, 2]);
  files.replace(
    "b",
    Array.from({ length: 20 }, (_, n) => n),
  );
  files.replace("a", [1, 2, 3]);
  files.replace("c", [1, 2, 3, 4, 5, 6, 7, 8]);
  expect(["a", "b", "c"].map((path) => files.has(path))).toEqual([true, false, true]);
});
