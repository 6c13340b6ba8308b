import { expect, it } from "vitest";
import { type StoredSegment, toMerge, worthMerging } from "./loaded-segments.ts";

/** Segments of so many chunks, one behind the other. */
function segmentsOf(sizes: readonly number[]): StoredSegment[] {
  let last = 0;
  return sizes.map((chunks, i) => {
    const first = last + 1;
    last += chunks;
    return { id: i, chunks, gone: 0, first, last };
  });
}

const merged = (sizes: readonly number[], by = worthMerging.atRest) =>
  toMerge(segmentsOf(sizes), by)?.map(({ chunks }) => chunks) ?? null;

const alike = (count: number, size: number) => new Array<number>(count).fill(size);

it("as many segments of about a size as are worth it are merged", () => {
  expect(merged(alike(16, 17_000))).toEqual(alike(16, 17_000));
  expect(merged(alike(15, 17_000))).toBeNull();
  expect(merged([1_000_000, ...alike(4, 20)])).toEqual(alike(4, 20));
});

it("a large segment is not written again for the few that follow it", () => {
  expect(merged([1_080_000, ...alike(15, 17_000)])).toBeNull();
  expect(merged([1_080_000, 270_000, ...alike(15, 17_000)])).toBeNull();
  expect(merged([200_000, ...alike(15, 17_000)])).toEqual([200_000, ...alike(15, 17_000)]);
});
