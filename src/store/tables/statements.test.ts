import { describe, expect, it } from "vitest";
import { memorySchema, memoryTables } from "../memory/schema.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import {
  addColumns,
  createTable,
  emptyRow,
  insertInto,
  mergeRows,
  readRow,
  selectColumns,
  storeRow,
  upsertInto,
} from "./statements.ts";
import { flag, integer, nullable, numbers, rowId, table, text, time } from "./table.ts";

const visits = table({
  name: "visits",
  columns: {
    id: rowId(),
    uid: text("uid", { isUnique: true }),
    firstSeen: nullable(time({ merge: "least" })),
    lastSeen: nullable(time({ merge: "greatest" })),
    place: nullable(text("place")),
    author: nullable(text("author", { merge: "latest" })),
    isOver: flag({ default: "0" }),
    rooms: numbers({ default: "'[]'" }),
    title: nullable(text("title", { together: "title" })),
    floor: nullable(integer({ since: 2 })),
  },
  indexes: { visits_by_place: "(place) WHERE place IS NOT NULL" },
});

const opened = (): Sqlite => new Sqlite(":memory:", { mode: "create", timeoutMs: 0, key: null });

const visit = {
  uid: "a",
  firstSeen: 1,
  lastSeen: null,
  place: "x",
  author: null,
  isOver: true,
  rooms: [1, 2],
  title: "t",
  floor: 3,
};

describe("a described table", () => {
  it("is made as described, and gets what a later schema adds", () => {
    expect(createTable(visits)).toBe(`CREATE TABLE visits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  first_seen INTEGER,
  last_seen INTEGER,
  place TEXT,
  author TEXT,
  is_over INTEGER NOT NULL DEFAULT 0,
  rooms TEXT NOT NULL DEFAULT '[]',
  title TEXT
) STRICT;
CREATE INDEX visits_by_place ON visits (place) WHERE place IS NOT NULL;
`);
    expect(addColumns(visits, 2)).toBe("ALTER TABLE visits ADD COLUMN floor INTEGER;\n");
    expect(addColumns(visits, 3)).toBe("");
  });

  it("gives back the rows that were stored, those from before a column with null", () => {
    const db = opened();
    db.exec(createTable(visits));
    db.exec("INSERT INTO visits (uid) VALUES ('old')");
    db.exec(addColumns(visits, 2));
    db.prepare(insertInto(visits)).run(storeRow(visits, visit));
    const changed = { ...visit, isOver: false, rooms: [3] };
    db.prepare(upsertInto(visits, ["uid"])).run(storeRow(visits, changed));
    const rows = db.prepare(`SELECT ${selectColumns(visits, { of: "v" })} FROM visits v ORDER BY id`).all();
    expect(rows.map((row) => readRow(visits, row as object))).toEqual([
      { ...emptyRow(visits), id: 1, uid: "old", isOver: false, rooms: [] },
      { ...changed, id: 2 },
    ]);
    db.close();
  });

  it("merges what is new of a row column by column", () => {
    const known = { ...visit, id: 1 };
    expect(
      mergeRows(visits, known, { firstSeen: 5, lastSeen: 5, place: "y", author: "ann", title: "u" }),
    ).toEqual({ ...known, lastSeen: 5, author: "ann" });
    expect(mergeRows(visits, { ...known, place: "" }, { firstSeen: 0, place: "y" })).toEqual({
      ...known,
      firstSeen: 0,
      place: "y",
    });
    expect(mergeRows(visits, { ...known, author: "ann" }, { author: null }).author).toBeNull();
  });
});

describe("every table of a memory", () => {
  it("has statements that SQLite takes", () => {
    const db = opened();
    for (const step of memorySchema.steps) db.exec(step);
    for (const described of memoryTables) {
      db.prepare(`SELECT ${selectColumns(described)} FROM ${described.name}`).all();
      db.prepare(insertInto(described));
      const key = described.key ?? described.unique ?? [];
      const others = Object.keys(described.columns).filter((field) => field !== "id" && !key.includes(field));
      if (key.length > 0 && others.length > 0) db.prepare(upsertInto(described, key));
    }
    db.close();
  });
});
