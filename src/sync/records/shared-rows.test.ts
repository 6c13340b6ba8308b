import { describe, expect, it } from "vitest";
import { mergeRows, storeRow } from "../../store/tables/statements.ts";
import { integer, nullable, oneOf, reference, rowId, table, text, time } from "../../store/tables/table.ts";
import { buildSharedShape, emptyRecord, exportRow, importRow, type SharedRow } from "./shared-rows.ts";

const visits = table({
  name: "visits",
  columns: {
    id: rowId(),
    uid: text("uid", { shared: true }),
    sessionId: nullable(reference("sessions", { shared: "session" })),
    lastSeen: nullable(time({ shared: true })),
    note: text("words", { shared: true, isPrivate: true }),
    kind: oneOf(["short", "long"], { shared: true }),
    branch: nullable(text("branch", { shared: true })),
    secret: text("words"),
    floor: nullable(integer({ shared: true, since: 2 })),
  },
});

const row = {
  uid: "v1",
  sessionId: 7,
  lastSeen: 5,
  note: "hello home",
  kind: "short" as const,
  branch: null,
  floor: 2,
};
const record = {
  uid: "v1",
  session: "s7",
  last_seen: 5,
  note: "hello ~",
  kind: "short" as const,
  branch: null,
  floor: 2,
};
const shape = buildSharedShape(visits, {});

describe("a row in a shared record", () => {
  it("has the shared columns alone, with private texts cleaned and uids for rows", () => {
    const clean = (words: string) => words.replace("home", "~");
    const stored = { ...row, secret: "mine" };
    expect(exportRow(visits, stored, { clean, uidOf: (id) => `s${id}` })).toEqual(record);
    expect(exportRow(visits, stored)).toEqual({ ...record, session: null, note: row.note });
  });

  it("comes back as a row, whose session may be unknown here", () => {
    const clean = (words: string) => words.replace("~", "home");
    expect(importRow(visits, record, { clean, idOf: () => 7 })).toEqual(row);
    expect(importRow(visits, record).sessionId).toBeNull();
  });

  it("is read with unknown fields, and without those that an older Pommel does not have", () => {
    const { floor: _, ...older } = record;
    const read = shape.parse({ ...older, newer: 1 });
    expect(read).toEqual({ ...older, newer: 1 });
    expect(importRow(visits, read)).not.toHaveProperty("floor");
  });

  it("changes nothing where an older Pommel's record lacks a field; null changes it, and a new row has the default", () => {
    const guests = table({
      name: "guests",
      columns: {
        uid: text("uid", { shared: true }),
        mood: nullable(text("words", { shared: true, merge: "latest", since: 2 })),
        visits: integer({ shared: true, merge: "latest", since: 2, default: "1" }),
      },
    });
    const known = { uid: "g1", mood: "glad", visits: 4 };
    const older = { uid: "g1" } as SharedRow<typeof guests>;
    expect(mergeRows(guests, known, importRow(guests, older))).toEqual(known);
    expect(mergeRows(guests, known, importRow(guests, { ...older, mood: null })).mood).toBeNull();
    expect(storeRow(guests, importRow(guests, older))).toEqual({ uid: "g1", mood: null, visits: 1 });
  });

  it("is refused with what is none of a column's kind, but for a branch, which is unknown then", () => {
    for (const odd of [
      { uid: "-x" },
      { session: "../s" },
      { last_seen: 1e300 },
      { kind: "middle" },
      { note: null },
      { floor: "2" },
    ])
      expect(shape.safeParse({ ...record, ...odd }).success).toBe(false);
    expect(shape.parse({ ...record, branch: "a..b" })).toEqual(record);
  });

  it("says nothing when it is empty", () => {
    expect(emptyRecord(visits)).toEqual({ session: null, last_seen: null, branch: null, floor: null });
  });
});
