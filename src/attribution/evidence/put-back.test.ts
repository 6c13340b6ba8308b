import { expect, it } from "vitest";
import { write } from "../../../test/support/attribution-fixture.ts";
import { stripFormatting } from "../lines/line-keys.ts";
import { withoutPutBack } from "./put-back.ts";
import type { Write } from "./writes.ts";

/** What is left as new of the last write. */
const fresh = (...writes: Write[]) =>
  withoutPutBack(writes, new Set(writes))
    .at(-1)!
    .hunks.flatMap(({ lines }) => lines.filter(({ isNew }) => isNew).map(({ bare }) => bare));

const long = "const rounded = Math.round(totalOf(cart));";

it("what a session took out and writes again is not new, where it can be nothing else", () => {
  expect(fresh(write([], { removed: [long] }), write(["before();", long]))).toEqual(["before()"]);
  const block = ["import { totalOf } from 'cart';", "import { limitOf } from 'cart';"];
  expect(fresh(write([], { removed: block }), write(["before();", ...block]))).toEqual(["before()"]);
  // In its own hunk a line only changed its place or its form.
  const wrapped = ["if (a) {", "return null;", "}"];
  expect(fresh(write(wrapped, { removed: ["return null;"] }))).toEqual(["if(a){", "}"]);
});

it("a few short lines that only look like what was taken out are new", () => {
  const taken = write([], { removed: ["return null;", "try:", "steps:"] });
  const made = ["if (cart === undefined) {", "return null;", "}", "const all = itemsOf(cart);", "steps:"];
  expect(fresh(taken, write(made))).toHaveLength(made.length);
  // They are still out: a block that comes back whole is.
  const block = ["return null;", long];
  expect(fresh(write([], { removed: block }), write(["return null;", "other();"]), write(block))).toEqual([]);
});

it("short lines of a block that was written anew are new, unless much of what was there comes back", () => {
  const before = [
    "try {",
    "return null;",
    ...Array.from({ length: 8 }, (_, i) => `const was${i} = before(${i});`),
  ];
  const after = ["const total = totalOf(cart);", "return null;", "const most = limitOf(cart);", "try {"];
  const anew = (removed: string[], lines: string[]) => fresh(write(lines, { removed }));
  expect(anew(before, after)).toHaveLength(after.length);
  // Beside others of them they are of what was there.
  expect(anew([...before, long], [...after, "return null;", long])).not.toContain(stripFormatting(long));
  expect(anew(before.slice(0, 8), after)).toHaveLength(after.length - 2);
  expect(anew(before, [...after, before[9]!])).toHaveLength(after.length - 2);
});
