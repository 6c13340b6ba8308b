import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { mergeRows } from "../../store/tables/statements.ts";
import { nullable, table, text, time } from "../../store/tables/table.ts";
import { compareParts } from "../codec/codec.ts";
import { importRow, type SharedRow } from "../records/shared-rows.ts";
import { chooseJoins, type Fields, joinFields, listNamesTogether, type Together } from "./join.ts";

const places = table({
  name: "places",
  columns: {
    uid: text("uid", { shared: true }),
    lastAt: nullable(time({ merge: "greatest", together: "where", shared: true })),
    room: nullable(text("words", { together: "where", shared: true, since: 2 })),
    mood: nullable(text("words", { merge: "latest", shared: true, since: 2 })),
    since: nullable(time({ merge: "least", shared: true, since: 2 })),
  },
});
const where: Together = {
  fields: listNamesTogether(places, "where"),
  compare: (a, b) => compareParts([a.last_at as number | null], [b.last_at as number | null]),
};
const join = (a: Fields, b: Fields) => joinFields(a, b, chooseJoins(places), [where]);

const word = fc.constantFrom(null, "x", "y");
/** Versions of one record, some by an older Pommel, which lack what it does not know. */
const version: fc.Arbitrary<Fields> = fc
  .record(
    {
      uid: fc.constant("p1"),
      last_at: fc.constantFrom(null, 1, 2),
      room: word,
      mood: word,
      since: fc.constantFrom(null, 1, 2),
    },
    { requiredKeys: ["uid", "last_at"] },
  )
  .map((fields) => ({ ...fields }));

it("versions are joined in any order and as often as one likes, also where one lacks a field", () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(join(a, b)).toEqual(join(b, a));
      expect(join(join(a, b), c)).toEqual(join(a, join(b, c)));
      expect(join(a, a)).toEqual(a);
    }),
    { numRuns: runs(200) },
  );
});

it("a field that an older version lacks erases nothing that is known here", () => {
  const known = { uid: "p1", lastAt: 1, room: "x", mood: "glad", since: 1 };
  fc.assert(
    fc.property(version, version, (a, b) => {
      const joined = join(a, b);
      const row = mergeRows(places, known, importRow(places, joined as SharedRow<typeof places>));
      for (const [field, name] of Object.entries({ room: "room", mood: "mood", since: "since" }))
        if (!(name in a) && !(name in b))
          expect(row).toHaveProperty(field, known[field as keyof typeof known]);
      // Nobody has said that there is none.
      for (const name of ["room", "mood", "since"])
        if (joined[name] === null) expect([a[name], b[name]]).toContain(null);
    }),
    { numRuns: runs(200) },
  );
});
