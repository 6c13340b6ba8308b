import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { encodeVarints } from "../../text/varint.ts";
import { Connection } from "./connection.ts";
import { correctTotals } from "./full-text-totals.ts";
import { Sqlite } from "./sqlite.ts";

/** A database with one full-text table, as those of the schemas. */
class Bench extends Connection {
  static open(file = ":memory:", options = "content = '', contentless_delete = 1"): Bench {
    const bench = new Bench(file, new Sqlite(file, { mode: "create", timeoutMs: 0 }));
    bench.exec(
      `PRAGMA journal_mode = WAL;
       CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
         title, body, ${options}, tokenize = "ascii tokenchars '_$'"
       )`,
    );
    return bench;
  }

  put(id: number, title: string, body: string): void {
    this.prepare("INSERT OR REPLACE INTO words (rowid, title, body) VALUES (?, ?, ?)").run(id, title, body);
  }

  remove(id: number): void {
    this.prepare("DELETE FROM words WHERE rowid = ?").run(id);
  }

  correct(): boolean {
    return correctTotals(this, "words");
  }

  /** Row by row, what it is worth to a query. */
  scores(query: string): unknown[] {
    return this.prepare(
      "SELECT rowid, bm25(words, 3, 1) AS score FROM words WHERE words MATCH ? ORDER BY rowid",
    ).all(query);
  }

  totals(): Uint8Array {
    const row = this.prepare("SELECT block FROM words_data WHERE id = 1").get() as { block: Uint8Array };
    return Uint8Array.from(row.block);
  }

  /** @throws when FTS5 finds fault with its tables */
  override check(): string {
    this.exec("INSERT INTO words (words) VALUES ('integrity-check')");
    return super.check();
  }

  spoil(sql: string, ...given: unknown[]): void {
    this.inOwnTransactionOnShadowTables(() => this.prepare(sql).run(...given));
  }
}

const open: { close(): void }[] = [];
const dirs: string[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function bench(...args: Parameters<typeof Bench.open>): Bench {
  const one = Bench.open(...args);
  open.push(one);
  return one;
}

function temporaryFile(): string {
  const dir = mkdtempSync(join(tmpdir(), "pommel-totals-"));
  dirs.push(dir);
  return join(dir, "words.db");
}

/** Ten rows are left of a hundred. */
function drifted(file?: string): Bench {
  const words = bench(file);
  for (let id = 1; id <= 100; id++) words.put(id, `foo bar${id % 7}`, "x ".repeat(id));
  for (let id = 1; id <= 90; id++) words.remove(id);
  return words;
}

function fresh(): Bench {
  const words = bench();
  for (let id = 91; id <= 100; id++) words.put(id, `foo bar${id % 7}`, "x ".repeat(id));
  return words;
}

const query = "foo OR bar3 OR x";

describe("totals of a full-text table", () => {
  test("without correction rows that are gone count for ever", () => {
    const words = drifted();
    expect(words.totals()).toEqual(encodeVarints([100, 200, 5050]));
    expect(words.scores(query)).not.toEqual(fresh().scores(query));
  });

  test("are those of the rows that are there", () => {
    const words = drifted();
    expect(words.correct()).toBe(true);
    expect(words.totals()).toEqual(encodeVarints([10, 20, 955]));
    expect(words.scores(query)).toEqual(fresh().scores(query));
    expect(words.check()).toBe("ok");
    expect(words.correct()).toBe(false);
  });

  const word = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const text = fc.array(word, { maxLength: 200 }).map((words) => words.join(" "));
  const id = fc.integer({ min: 1, max: 30 });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant("put" as const), id, title: text, body: text }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant("remove" as const), id }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constantFrom("correct", "optimize", "merge") }) },
  );

  test("after any changes every query ranks as in a new table", () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 8 }), (transactions) => {
        const words = Bench.open();
        const anew = Bench.open();
        const rows = new Map<number, { title: string; body: string }>();
        try {
          for (const changes of transactions) {
            words.inTransaction(() => {
              for (const one of changes) {
                if ("title" in one) {
                  words.put(one.id, one.title, one.body);
                  rows.set(one.id, one);
                } else if ("id" in one) {
                  words.remove(one.id);
                  rows.delete(one.id);
                } else if (one.what === "optimize") {
                  words.exec("INSERT INTO words (words) VALUES ('optimize')");
                } else if (one.what === "merge") {
                  words.exec("INSERT INTO words (words, rank) VALUES ('merge', 16)");
                }
              }
            });
            if (changes.some(({ what }) => what === "correct")) words.correct();
          }
          words.correct();
          for (const [id, { title, body }] of rows) anew.put(id, title, body);
          for (const query of ["a", "b", "title : c", "d AND e", "a OR b OR c OR d OR e OR f", '"a b"']) {
            expect(words.scores(query)).toEqual(anew.scores(query));
          }
          if (rows.size > 0) expect(words.totals()).toEqual(anew.totals());
          expect(words.check()).toBe("ok");
        } finally {
          words.close();
          anew.close();
        }
      }),
    );
  });

  test("go on from there when rows come and go", () => {
    const words = drifted();
    words.correct();
    words.put(101, "foo", "y");
    words.remove(91);
    expect(words.totals()).toEqual(encodeVarints([11, 21, 956]));
    expect(words.correct()).toBe(true);
    expect(words.totals()).toEqual(encodeVarints([10, 19, 865]));
  });

  test("of an emptied table are nothing, and it can be filled again", () => {
    const words = drifted();
    words.exec("DELETE FROM words");
    expect(words.correct()).toBe(true);
    expect(words.totals()).toEqual(encodeVarints([0, 0, 0]));
    expect(words.scores(query)).toEqual([]);
    for (let id = 91; id <= 100; id++) words.put(id, `foo bar${id % 7}`, "x ".repeat(id));
    expect(words.scores(query)).toEqual(fresh().scores(query));
    expect(words.check()).toBe("ok");
  });

  test("of a new table are right", () => {
    expect(bench().correct()).toBe(false);
  });

  test("other connections see the new ones, also those that asked before", () => {
    const file = temporaryFile();
    const words = drifted(file);
    const other = bench(file);
    expect(other.scores(query)).toEqual(words.scores(query));
    expect(other.correct()).toBe(true);
    const expected = fresh().scores(query);
    expect(other.scores(query)).toEqual(expected);
    expect(words.scores(query)).toEqual(expected);
    words.put(101, "foo", "y");
    words.remove(101);
    expect(other.totals()).toEqual(encodeVarints([11, 21, 956]));
  });

  test("nothing is written where nothing is wrong, not even while another process writes", () => {
    const file = temporaryFile();
    const words = bench(file);
    words.put(1, "foo", "bar");
    const version = words.version();
    const other = bench(file);
    other.inTransaction(() => {
      other.put(2, "foo", "bar");
      expect(words.correct()).toBe(false);
    });
    expect(words.version().split(".")[1]).toBe(version.split(".")[1]);
  });

  test("a correction that breaks off leaves the old ones; the next one makes up for it", () => {
    const file = temporaryFile();
    const words = drifted(file);
    const before = words.totals();
    const scores = words.scores(query);
    const prepare = words.prepare.bind(words);
    words.prepare = (sql) => {
      const statement = prepare(sql);
      if (!sql.startsWith("UPDATE")) return statement;
      return Object.assign(Object.create(statement), {
        run(...given: unknown[]) {
          statement.run(...given);
          throw new Error("killed");
        },
      });
    };
    expect(() => words.correct()).toThrow("killed");
    words.prepare = prepare;
    const later = bench(file);
    for (const one of [words, later]) {
      expect(one.totals()).toEqual(before);
      expect(one.scores(query)).toEqual(scores);
      expect(one.check()).toBe("ok");
    }
    expect(later.correct()).toBe(true);
    expect(words.scores(query)).toEqual(fresh().scores(query));
  });

  test("outside of it the table's books stay defended", () => {
    const words = drifted();
    words.correct();
    expect(() => words.exec("UPDATE words_data SET block = x'00' WHERE id = 1")).toThrow(
      "may not be modified",
    );
    expect(() => words.exec("DELETE FROM words_docsize")).toThrow("may not be modified");
  });

  test("never within a transaction, whose own totals would be written over them", () => {
    const words = drifted();
    expect(() => words.inTransaction(() => words.correct())).toThrow("transaction of their own");
    expect(words.totals()).toEqual(encodeVarints([100, 200, 5050]));
    expect(words.correct()).toBe(true);
  });
});

describe("an unknown format stays as it is", () => {
  test.each([
    ["a later format", "UPDATE words_config SET v = 5 WHERE k = 'version'"],
    ["no format", "DELETE FROM words_config WHERE k = 'version'"],
    ["totals of another number of columns", "UPDATE words_data SET block = x'648148' WHERE id = 1"],
    ["totals with something behind them", "UPDATE words_data SET block = x'648148a73a00' WHERE id = 1"],
    ["totals that end too early", "UPDATE words_data SET block = x'648148a7' WHERE id = 1"],
    ["totals that are no bytes", "UPDATE words_data SET block = '100' WHERE id = 1"],
    ["empty totals", "UPDATE words_data SET block = x'' WHERE id = 1"],
    ["no totals", "DELETE FROM words_data WHERE id = 1"],
    ["sizes of another number of columns", "UPDATE words_docsize SET sz = x'015b01' WHERE id = 91"],
    ["sizes that end too early", "UPDATE words_docsize SET sz = x'0281' WHERE id = 100"],
    ["sizes that are missing", "UPDATE words_docsize SET sz = NULL WHERE id = 95"],
  ])("%s", (_, sql) => {
    const words = drifted();
    words.spoil(sql);
    // Row ids of the full-text data are no safe numbers.
    const books = () => [
      words.prepare("SELECT CAST(id AS TEXT) AS id, block FROM words_data").all(),
      words.prepare("SELECT * FROM words_docsize").all(),
      words.prepare("SELECT * FROM words_config").all(),
    ];
    const before = books();
    expect(words.correct()).toBe(false);
    expect(books()).toEqual(before);
  });

  test("a table without sizes of its rows", () => {
    const words = bench(":memory:", "content = '', columnsize = 0");
    words.put(1, "foo", "bar");
    expect(words.correct()).toBe(false);
  });

  test("a table that is none", () => {
    expect(correctTotals(bench(), "nothing")).toBe(false);
  });
});
