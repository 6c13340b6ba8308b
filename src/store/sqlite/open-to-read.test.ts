import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PommelError } from "../../base/errors.ts";
import { openToRead } from "./open-to-read.ts";
import { Sqlite } from "./sqlite.ts";

let dir: string;
let file: string;
let opened: string[];
const unreadable = new PommelError("unreadable", "SQLite may not write beside it.", "");

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-open-to-read-"));
  file = join(dir, "some.db");
  opened = [];
  const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  db.exec("CREATE TABLE t (x); INSERT INTO t VALUES (7)");
  db.close();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Opens copies only. @param atCopy what a copy fails with */
const openCopies = (atCopy?: unknown) => (path: string) => {
  opened.push(path);
  if (path === file) throw unreadable;
  if (atCopy !== undefined) throw atCopy;
  return new Sqlite(path, { mode: "read", timeoutMs: 0 });
};
const readNumber = (db: Sqlite) => db.prepare("SELECT x FROM t").pluck().get();

it("a database that cannot be opened where it is, is read from a copy, which is gone afterwards", async () => {
  expect(await openToRead(file, openCopies(), readNumber)).toBe(7);
  expect(opened).toHaveLength(2);
  expect(existsSync(dirname(opened[1]!))).toBe(false);
});

it.each([new Error("no such file"), new PommelError("unreadable", "The copy neither.", "")])(
  "a copy that fails with %s says why the database itself could not be opened",
  async (error) => {
    await expect(openToRead(file, openCopies(error), readNumber)).rejects.toBe(unreadable);
    expect(existsSync(dirname(opened[1]!))).toBe(false);
  },
);

it("a copy that fails for a reason of its own says that", async () => {
  const newer = new PommelError("usage", "It is of a newer Pommel.", "");
  await expect(openToRead(file, openCopies(newer), readNumber)).rejects.toBe(newer);
});

it("a database that can be opened is not copied, whatever its use fails with", async () => {
  const open = (path: string) => {
    opened.push(path);
    return new Sqlite(path, { mode: "read", timeoutMs: 0 });
  };
  const failure = new Error("asked for too much");
  const use = () => {
    throw failure;
  };
  await expect(openToRead(file, open, use)).rejects.toBe(failure);
  expect(opened).toEqual([file]);
});
