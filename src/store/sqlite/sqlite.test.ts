import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getErrorCode } from "../../base/errors.ts";
import { Sqlite } from "./sqlite.ts";

let dir: string;
let file: string;
let db: Sqlite;

/** Both drivers keep the same contract: the one for plain files, and the one for encrypted ones. */
describe.each([
  ["plain", null],
  ["encrypted", "ab".repeat(32)],
])("%s", (_, key) => {
  const openAny = (name: string, options: { mode: "create" | "write" | "read"; timeoutMs: number }) =>
    new Sqlite(name, { ...options, key });

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "pommel-sqlite-"));
    file = join(dir, "a b?c#d%e.db");
    db = openAny(file, { mode: "create", timeoutMs: 0 });
    db.exec("CREATE TABLE t (x)");
  });

  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const insert = (value: unknown) => db.prepare("INSERT INTO t VALUES (?)").run(value);
  const values = () => db.prepare("SELECT x FROM t ORDER BY rowid").pluck().all();

  function codeOfFailing(work: () => unknown): string {
    try {
      work();
    } catch (error) {
      return getErrorCode(error);
    }
    throw new Error("it did not fail");
  }

  describe("a statement", () => {
    it("gives rows, the first row, one by one, or the first column", () => {
      insert("a");
      insert("b");
      const rows = [{ x: "a" }, { x: "b" }];
      expect(db.prepare("SELECT x FROM t").all()).toEqual(rows);
      expect(db.prepare("SELECT x FROM t").get()).toEqual(rows[0]);
      expect([...db.prepare("SELECT x FROM t").iterate()]).toEqual(rows);
      expect([...db.prepare("SELECT x FROM t").pluck().iterate()]).toEqual(["a", "b"]);
      expect(db.prepare("SELECT x FROM t WHERE x = 'c'").get()).toBeUndefined();
      expect(db.prepare("SELECT x FROM t WHERE x = 'c'").pluck().get()).toBeUndefined();
    });

    it("keeps null, text, blobs and numbers", () => {
      const given = [null, "", "ü", Uint8Array.of(0, 255), new Uint8Array(0), 1.5, 2 ** 40, -1];
      given.forEach(insert);
      expect(values()).toEqual(given);
    });

    it("keeps text behind a NUL", () => {
      insert("a\0b");
      db.prepare("INSERT INTO t VALUES (@x)").run({ x: "\0c", n: 1 });
      expect(values()).toEqual(["a\uFFFDb", "\uFFFDc"]);
      expect(db.prepare("SELECT count(*) FROM t WHERE x = ?").pluck().get("a\0b")).toBe(1);
    });

    it("takes named values, more than it names included", () => {
      const named = db.prepare("SELECT @a AS a, @b AS b");
      expect(named.get({ a: 1, b: "two", c: 3 })).toEqual({ a: 1, b: "two" });
    });

    it("says what it changed", () => {
      expect(insert("a")).toEqual({ changes: 1, lastInsertRowid: 1 });
      expect(insert("b")).toEqual({ changes: 1, lastInsertRowid: 2 });
      expect(db.prepare("UPDATE t SET x = 'c'").run().changes).toBe(2);
    });

    it("deletes full-text rows, whose own row ids are no safe numbers", () => {
      db.exec("CREATE VIRTUAL TABLE f USING fts5(x, content='', contentless_delete=1)");
      db.prepare("INSERT INTO f (rowid, x) VALUES (1, 'word')").run();
      expect(db.prepare("DELETE FROM f WHERE rowid = 1").run().changes).toBe(1);
      expect(db.prepare("SELECT count(*) FROM f").pluck().get()).toBe(0);
    });
  });

  it("to read, it makes temporary tables and copies, and writes nothing", () => {
    db.exec("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('one two')");
    const reading = openAny(file, { mode: "read", timeoutMs: 0 });
    try {
      reading.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.counts USING fts5vocab(main, f, row)");
      expect(reading.prepare("SELECT doc FROM temp.counts WHERE term = 'two'").pluck().get()).toBe(1);
      reading.prepare("VACUUM INTO ?").run(join(dir, "copy"));
      for (const work of [() => reading.exec("DELETE FROM t"), () => reading.prepare("DELETE FROM t").run()])
        expect(codeOfFailing(work)).toBe("SQLITE_READONLY");
    } finally {
      reading.close();
    }
  });

  describe("a transaction", () => {
    it("is all or nothing", () => {
      expect(() =>
        db.transaction("immediate", () => {
          insert(1);
          throw new Error("no");
        }),
      ).toThrow("no");
      expect(db.transaction("immediate", () => insert(2).changes)).toBe(1);
      expect(values()).toEqual([2]);
      expect(db.inTransaction).toBe(false);
    });

    it("within another is undone alone", () => {
      db.transaction("immediate", () => {
        insert(1);
        expect(() =>
          db.transaction("exclusive", () => {
            insert(2);
            db.transaction("deferred", () => insert(3));
            throw new Error("no");
          }),
        ).toThrow("no");
        db.transaction("deferred", () => insert(4));
      });
      expect(values()).toEqual([1, 4]);
    });

    it("that SQLite has rolled back by itself passes its error on", () => {
      const code = codeOfFailing(() =>
        db.transaction("immediate", () => {
          insert(1);
          db.exec("INSERT OR ROLLBACK INTO sqlite_schema VALUES (1, 2, 3, 4, 5)");
        }),
      );
      expect(code).toBe("SQLITE_ERROR");
      expect(values()).toEqual([]);
    });
  });

  describe("an error", () => {
    it("has SQLite's name of it", () => {
      expect(codeOfFailing(() => db.prepare("SELECT * FROM nowhere"))).toBe("SQLITE_ERROR");
      expect(codeOfFailing(() => db.exec("nonsense"))).toBe("SQLITE_ERROR");
      db.exec("CREATE UNIQUE INDEX one ON t (x)");
      insert(1);
      expect(codeOfFailing(() => insert(1))).toBe("SQLITE_CONSTRAINT");
      const other = openAny(file, { mode: "write", timeoutMs: 0 });
      other.exec("BEGIN EXCLUSIVE");
      expect(codeOfFailing(() => insert(2))).toBe("SQLITE_BUSY");
      other.close();
    });

    it.each(["read", "write"] as const)("says that there is no file to %s", (mode) => {
      const open = () => openAny(join(dir, "none.db"), { mode, timeoutMs: 0 });
      expect(codeOfFailing(open)).toBe("SQLITE_CANTOPEN");
    });

    it("says that a file is no database, and that one may only be read", () => {
      writeFileSync(join(dir, "text.db"), "no database at all\n".repeat(100));
      const open = (name: string) => openAny(name, { mode: "read", timeoutMs: 0 });
      expect(codeOfFailing(() => open(join(dir, "text.db")).prepare("SELECT * FROM t").all())).toBe(
        "SQLITE_NOTADB",
      );
      const read = open(file);
      expect(codeOfFailing(() => read.exec("DELETE FROM t"))).toBe("SQLITE_READONLY");
      read.close();
    });
  });

  it.skipIf(key !== null)("protects shadow tables of virtual tables from SQL by default", () => {
    db.exec("CREATE VIRTUAL TABLE f USING fts5(x)");
    const spoil = () => db.exec("UPDATE f_data SET block = x'00' WHERE id = 1");
    expect(codeOfFailing(spoil)).toBe("SQLITE_ERROR");
  });

  it.each(["create", "write", "read"] as const)("does not trust what a file's schema says (%s)", (mode) => {
    const other = openAny(file, { mode, timeoutMs: 0 });
    expect(other.pragma("trusted_schema")).toBe(0);
    other.close();
  });

  it("can be closed twice", () => {
    db.close();
    db.close();
  });
});
