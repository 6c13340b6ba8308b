import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import type { AttributionRecord, CommitRecord } from "../memory-records.ts";
import {
  findAnalysedCommits,
  findRangeAtLine,
  findReplacedCommits,
  formatCommitPathKey,
  readAttributionsByPath,
  readAuthoredLines,
  saveAttributions,
} from "./attributions.ts";
import { saveCommit } from "./commits.ts";

let kept: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  kept = temporaryMemory();
});
afterEach(() => kept.remove());

function commit(hash: string, at: number, more: Partial<CommitRecord> = {}): CommitRecord {
  const facts = {
    hash,
    tree: "t",
    parents: [],
    branch: null,
    author: "Ann",
    authoredAt: at,
    committedAt: at,
  };
  const counts = { insertions: 0, deletions: 0, seen: "hook" as const, attributed: 1 };
  const record = { ...facts, ...counts, subject: "s", patchId: null, rewrittenFrom: [], ...more };
  return saveCommit(kept.memory, record, []);
}

const range = (
  path: string,
  firstLine: number,
  lastLine: number,
  session: string | null,
): AttributionRecord => ({
  path,
  firstLine,
  lastLine,
  basis: null,
  author: session === null ? "human" : "agent",
  sessionUid: session,
  turn: session === null ? null : 1,
  toolUse: null,
  model: session === null ? null : "m",
  confidence: 1,
  how: session === null ? "absence" : "edit",
});

it("gives the ranges of exactly the files that are asked for, in order", () => {
  const [one, two] = [commit("1", 10), commit("2", 20)];
  saveAttributions(kept.memory, one.id, [
    range("a", 5, 6, null),
    range("a", 1, 4, "s"),
    range("b", 1, 1, null),
  ]);
  saveAttributions(kept.memory, two.id, [range("a", 1, 1, "s"), range("b:c", 2, 2, "s")]);
  const asked = [
    { hash: "1", path: "a" },
    { hash: "2", path: "b:c" },
    { hash: "2", path: "gone" },
    { hash: "3", path: "a" },
  ];
  const found = readAttributionsByPath(kept.memory, asked);
  expect([...found.keys()].sort()).toEqual(["1:a", "2:b:c"]);
  expect(found.get(formatCommitPathKey(asked[0]!))).toEqual([range("a", 1, 4, "s"), range("a", 5, 6, null)]);
});

it("finds the range of a line as looking through all of them does", () => {
  const gaps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 4 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 150 }), (pieces, line) => {
      let end = 0;
      const ranges = pieces.map(([gap, length]) => {
        const firstLine = end + gap + 1;
        end = firstLine + length - 1;
        return { firstLine, lastLine: end };
      });
      expect(findRangeAtLine(ranges, line)).toBe(
        ranges.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine),
      );
    }),
  );
});

it("sums up lines by commit, file and author, within a time", () => {
  const [one, two] = [commit("1", 10), commit("2", 20, { rewrittenFrom: ["1"] })];
  commit("3", 30, { attributed: 0 });
  saveAttributions(kept.memory, one.id, [
    range("a", 1, 4, "s"),
    range("a", 5, 5, null),
    range("a", 6, 7, "s"),
  ]);
  saveAttributions(kept.memory, two.id, [range("a", 1, 1, null)]);
  const brief = (since: number | null, until: number | null) =>
    [...readAuthoredLines(kept.memory, { since, until })].map(
      ({ hash, author, lines }) => `${hash} ${author} ${lines}`,
    );
  expect(brief(null, null).sort()).toEqual(["1 agent 6", "1 human 1", "2 human 1"]);
  expect(brief(15, null)).toEqual(["2 human 1"]);
  expect(brief(null, 19).sort()).toEqual(["1 agent 6", "1 human 1"]);
  expect(findAnalysedCommits(kept.memory, { since: null, until: null })).toEqual(new Set(["1", "2"]));
  expect(findReplacedCommits(kept.memory)).toEqual(new Set(["1"]));
});
