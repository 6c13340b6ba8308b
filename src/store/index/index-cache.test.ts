import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateHome } from "../../base/home.ts";
import { decryptHome, encryptHome } from "../encryption/convert.ts";
import { forgetKeys } from "../encryption/keys.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import { hashPlace, IndexCache } from "./index-cache.ts";

let dir: string;
let file: string;
let today: number;
const caches: IndexCache[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-cache-"));
  file = join(dir, "cache", "index-cache.db");
  today = 20_000;
});

afterEach(() => {
  for (const cache of caches.splice(0)) cache.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(maxBytes?: number): IndexCache {
  const cache = new IndexCache({ file, today: () => today, ...(maxBytes && { maxBytes }) });
  caches.push(cache);
  return cache;
}

const place = hashPlace("test", 1);
const name = (n: number) => String(n).padStart(32, "0");
const entry = (n: number, bytes = 1, value = n) => ({
  place,
  name: name(n),
  data: new Uint8Array(bytes).fill(value),
});
const held = (cache: IndexCache, count: number) =>
  [
    ...cache
      .get(
        place,
        Array.from({ length: count }, (_, n) => name(n)),
      )
      .keys(),
  ].map(Number);

it("gives what was added, to other connections as well, and nothing of other places", () => {
  open().add([entry(1), entry(2, 3)]);
  const other = open();
  expect(other.get(place, [name(1), name(2), name(3)])).toEqual(
    new Map([
      [name(1), Uint8Array.of(1)],
      [name(2), Uint8Array.of(2, 2, 2)],
    ]),
  );
  expect(other.listNamesAt(place)).toEqual([name(2), name(1)]);
  expect(other.listNamesAt(hashPlace("test", 2))).toEqual([]);
  open().add([entry(1, 2, 9)]);
  expect(other.get(place, [name(1)]).get(name(1))).toEqual(Uint8Array.of(9, 9));
});

it("is private, and opens again after it was closed", () => {
  const cache = open();
  cache.add([entry(1)]);
  if (process.platform !== "win32") {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "cache")).mode & 0o777).toBe(0o700);
  }
  cache.close();
  expect(held(cache, 3)).toEqual([1]);
});

describe("where there is no room", () => {
  it("entries go that were not used for longest", () => {
    const cache = open(400_000);
    for (let n = 0; n < 6; n++) {
      cache.add([entry(n, 100_000)]);
      today++;
      // Used every day.
      cache.get(place, [name(0)]);
    }
    const left = held(cache, 6);
    expect(left).toContain(0);
    expect(left).toContain(5);
    expect(left).not.toContain(1);
    // The room is used again.
    for (let n = 6; n < 30; n++) {
      cache.add([entry(n, 100_000)]);
      today++;
    }
    cache.close();
    expect(statSync(file).size).toBeLessThan(900_000);
  });

  it("none of today goes: what does not fit is left out", () => {
    const cache = open(400_000);
    for (let n = 0; n < 10; n++) cache.add([entry(n, 100_000)]);
    const left = held(cache, 10);
    expect(left.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(left.length).toBeLessThan(7);
  });
});

describe("it never fails:", () => {
  it("a damaged one is dropped, and made anew by who comes next", () => {
    mkdirSync(join(dir, "cache"));
    writeFileSync(file, "this is no database, but long enough to look like one".repeat(100));
    const first = open();
    expect(first.listNamesAt(place)).toEqual([]);
    first.add([entry(1)]);
    const next = open();
    next.add([entry(1)]);
    expect(held(open(), 2)).toEqual([1]);
  });

  it("one that lost its table is dropped", () => {
    open().add([entry(1)]);
    caches.splice(0)[0]!.close();
    const db = new Sqlite(file, { mode: "write", timeoutMs: 0 });
    db.exec("DROP TABLE entries");
    db.close();
    expect(held(open(), 2)).toEqual([]);
    open().add([entry(2)]);
    expect(held(open(), 3)).toEqual([2]);
  });

  it("one of a newer Pommel is left as it is", () => {
    open().add([entry(1)]);
    caches.splice(0)[0]!.close();
    const db = new Sqlite(file, { mode: "write", timeoutMs: 0 });
    db.exec("PRAGMA user_version = 99");
    db.close();
    const before = readFileSync(file);
    const cache = open();
    cache.add([entry(2)]);
    expect(held(cache, 3)).toEqual([]);
    expect(readFileSync(file)).toEqual(before);
  });

  it("where another process writes for long, entries are left out", () => {
    const cache = open();
    cache.add([entry(1)]);
    const db = new Sqlite(file, { mode: "write", timeoutMs: 0 });
    db.begin("immediate");
    cache.add([entry(2)]);
    expect(held(cache, 3)).toEqual([1]);
    db.end("ROLLBACK");
    db.close();
    cache.add([entry(2)]);
    expect(held(cache, 3)).toEqual([1, 2]);
  });

  it("where it cannot be written, it is empty", () => {
    writeFileSync(join(dir, "cache"), "a file");
    const cache = open();
    cache.add([entry(1)]);
    expect(held(cache, 2)).toEqual([]);
    cache.close();
    expect(existsSync(file)).toBe(false);
  });
});

describe("where the home is encrypted", () => {
  beforeEach(() => {
    process.env.POMMEL_HOME = dir;
    file = join(locateHome().cacheDir, "index-cache.db");
  });
  afterEach(() => {
    delete process.env.POMMEL_HOME;
    forgetKeys();
  });

  const isPlain = () => readFileSync(file).includes("SQLite format 3");

  it("it is encrypted, and what was plain before is gone", () => {
    open().add([entry(1)]);
    caches.splice(0)[0]!.close();
    expect(isPlain()).toBe(true);
    const plain = readFileSync(file);
    encryptHome(`file:${join(dir, "keys", "our.key")}`, { backups: [] });
    expect(existsSync(file)).toBe(false);
    // What a process left that had it open meanwhile.
    writeFileSync(file, plain);
    const cache = open();
    cache.add([entry(2)]);
    expect(held(cache, 3)).toEqual([2]);
    cache.close();
    expect(isPlain()).toBe(false);
    decryptHome({ backups: [] });
    expect(held(open(), 3)).toEqual([]);
    open().add([entry(3)]);
    expect(held(open(), 4)).toEqual([3]);
  });

  it("it is empty while the key is not there", () => {
    const keyFile = join(dir, "keys", "our.key");
    encryptHome(`file:${keyFile}`, { backups: [] });
    open().add([entry(1)]);
    caches.splice(0)[0]!.close();
    const key = readFileSync(keyFile);
    rmSync(keyFile);
    forgetKeys();
    expect(held(open(), 2)).toEqual([]);
    writeFileSync(keyFile, key, { mode: 0o600 });
    expect(held(open(), 2)).toEqual([1]);
  });
});
