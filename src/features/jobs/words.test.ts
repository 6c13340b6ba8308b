import { expect, it } from "vitest";
import { describeWaiting, describeWork } from "./words.ts";

const idle = { waiting: [], running: [] };
const indexed = { code_is_idle: true, done: 0, total: 0 };
const history = { kind: "history", subject: "commits", done: 0, total: 1281, waits_for: null };

it("says what goes before a job", () => {
  const said = (kind: string, jobs: number) => describeWaiting({ waits_for: { kind, jobs } });
  expect(said("transcript", 12)).toBe("waits for 12 transcripts, which go first");
  expect(said("commit", 1)).toBe("waits for 1 new commit, which goes first");
  expect(said("recut", 2)).toBe("waits for 2 jobs, which go first");
  expect(describeWaiting({ waits_for: null })).toBe("");
});

it("says what is done, and nothing where nothing is", () => {
  expect(describeWork(indexed, idle)).toEqual([]);
  expect(describeWork({ code_is_idle: false, done: 0, total: 0 }, idle)).toEqual([
    "looking for files to index",
  ]);
  const waiting = { ...history, waits_for: { kind: "transcript", jobs: 12 } };
  expect(
    describeWork(
      { code_is_idle: false, done: 412, total: 2032 },
      { waiting: [{ kind: "transcript", jobs: 12 }], running: [waiting] },
    ),
  ).toEqual([
    "indexing: 412 of 2,032 files",
    "reading sessions: 12 transcripts to go",
    "analysing commits: 0 of 1,281, waits for 12 transcripts, which go first",
  ]);
  expect(describeWork(indexed, { waiting: [], running: [history] })).toEqual([
    "analysing commits: 0 of 1,281",
  ]);
  // A look at the history that is due later is nothing to wait for.
  expect(describeWork(indexed, { waiting: [{ kind: "history", jobs: 1 }], running: [] })).toEqual([]);
});
