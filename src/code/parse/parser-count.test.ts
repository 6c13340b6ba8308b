import { describe, expect, test } from "vitest";
import { countParsers, type ParserCircumstances, watchParserCount } from "./parser-count.ts";

const mib = 2 ** 20;
/** A quiet machine, and more of everything than is needed. */
const plenty: ParserCircumstances = {
  cores: 16,
  load: 0,
  files: 100_000,
  running: 0,
  freeBytes: 4000 * mib,
  isCrowded: false,
  writerShare: 0.3,
};
const count = (now: Partial<ParserCircumstances>) => countParsers({ ...plenty, ...now });

describe("how many threads parse", () => {
  test.each([
    [1, 2],
    [2, 2],
    [3, 2],
    [4, 3],
    [6, 5],
    [8, 7],
    [64, 7],
  ])("on %i quiet cores: %i", (cores, threads) => {
    expect(count({ cores })).toBe(threads);
  });

  test.each([
    [0, 1],
    [299, 1],
    [300, 2],
    [899, 3],
    [1800, 7],
  ])("for %i files: %i", (files, threads) => {
    expect(count({ files })).toBe(threads);
  });

  test.each([
    [0, 7],
    [0.4, 6],
    [3, 4],
    [5, 2],
    [40, 2],
  ])("on eight cores of which others use %d: %i", (load, threads) => {
    expect(count({ cores: 8, load })).toBe(threads);
  });

  test.each([
    [0, 250, 3],
    [2, 99, 2],
    [2, 100, 3],
    [2, 220, 5],
    [2, 20, 2],
    [3, 19, 2],
    [1, -50, 1],
    [0, -50, 1],
  ])("while %i run and %i MiB are free: %i", (running, free, threads) => {
    expect(count({ running, freeBytes: free * mib })).toBe(threads);
  });

  test.each([
    [1, 0.9, 7],
    [2, 0.7, 7],
    [2, 0.9, 2],
    [4, 0.9, 4],
  ])("while %i run and the writer works for %d of its time: %i", (running, writerShare, threads) => {
    expect(count({ running, writerShare })).toBe(threads);
  });

  test("while many sessions are read as well: 1", () => {
    expect(count({ isCrowded: true, running: 4 })).toBe(1);
  });
});

test("on this machine, few files take one thread, and many no more than seven", () => {
  const ask = watchParserCount();
  expect(ask({ files: 10, running: 0 })).toBe(1);
  expect(ask({ files: 1e6, running: 0 })).toBeLessThanOrEqual(7);
});
