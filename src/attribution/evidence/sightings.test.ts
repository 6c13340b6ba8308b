import { expect, it } from "vitest";
import { memoryOfFile } from "../../../test/support/attribution-fixture.ts";
import { saveObservation } from "../../store/memory/observations.ts";
import { Sightings } from "./sightings.ts";

const memory = memoryOfFile();

const showUp = (path: string, at: number, ...keys: number[]) => saveObservation(memory, { path, at, keys });
const sightings = () => new Sightings(memory, { since: 0, until: 1000 });

it("lines that come back together, as from a stash, did not show up again", () => {
  showUp("a.ts", 1, 10, 11);
  showUp("a.ts", 2, 12, 13);
  showUp("a.ts", 9, 10, 11, 12, 13, 14);
  expect([...sightings().getFreshSightings("a.ts")]).toEqual([
    ...[10, 11].map((key) => [key, [1]]),
    ...[12, 13].map((key) => [key, [2]]),
    [14, [9]],
  ]);
  expect(sightings().getSightings("a.ts").get(10)).toEqual([1, 9]);
});

it("a line or two that are there once more, or a few among others, showed up again", () => {
  showUp("a.ts", 1, 10, 11, 12);
  showUp("a.ts", 2, 10, 11);
  showUp("a.ts", 3, 10, 11, 12, 20, 21, 22);
  expect(sightings().getFreshSightings("a.ts").get(10)).toEqual([1, 2, 3]);
});

it("lines that were together in another file come from there", () => {
  showUp("old.ts", 1, 10, 11);
  showUp("old.ts", 2, 12, 13);
  showUp("new.ts", 5, 10, 11, 12, 13, 14);
  showUp("copy-of-one.ts", 6, 10, 30, 31);
  showUp("old.ts", 7, 14);
  const before = (path: string, at: number, key: number) => sightings().findEarlierSighting(path, at, key);
  expect([before("new.ts", 5, 10), before("new.ts", 5, 13)]).toEqual([
    { path: "old.ts", at: 1 },
    { path: "old.ts", at: 2 },
  ]);
  expect([before("new.ts", 5, 14), before("copy-of-one.ts", 6, 10), before("old.ts", 1, 10)]).toEqual([
    null,
    null,
    null,
  ]);
});

it("a file was formatted where much of it came in the place of other lines, and not where somebody only added lines", () => {
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  showUp("a.ts", 1, ...range(10, 12));
  showUp("a.ts", 5, ...range(100, 12));
  const isReformed = (...kept: number[]) =>
    new Sightings(memory, { since: 0, until: 1000 }, () => new Set(kept)).isReformed("a.ts", 5);
  expect(isReformed(...range(100, 12))).toBe(true);
  expect(isReformed(...range(10, 10), ...range(100, 12))).toBe(true);
  expect(isReformed(...range(10, 11), ...range(100, 12))).toBe(false);
  expect(isReformed(...range(10, 12), ...range(100, 12))).toBe(false);
});
