import { describe, expect, it } from "vitest";
import {
  change,
  fileOfDiff,
  run,
  type WriteDetails,
  write,
} from "../../../test/support/attribution-fixture.ts";
import {
  addCheckpoint,
  binding,
  linesOfSession as range,
} from "../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import type { Delegation, ShellRun, Write } from "../evidence/writes.ts";
import type { FileToAttribute } from "../lines/file-lines.ts";
import type { AuthorVerdict, ChangeToAttribute } from "../lines/verdict.ts";
import { findBindings, isOfAnother, type WeightOfSession, weigh } from "./bind.ts";

type BindingEvidence = Parameters<typeof findBindings>[3];

const line = (i: number) => `const valueNumber${i} = compute(${i});`;
/** A file with this many new lines; each weighs 1. */
const fileOf = (lines: number) => fileOfDiff(Array.from({ length: lines }, (_, i) => `+${line(i)}`));

/** By place in the file, as ranges say it. */
function verdictsIn(
  { lines }: FileToAttribute,
  ranges: readonly AttributionRecord[],
): Map<number, AuthorVerdict> {
  const verdicts = new Map<number, AuthorVerdict>();
  for (const [i, { line, isAdded }] of lines.entries()) {
    const range = ranges.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
    if (isAdded && range) verdicts.set(i, { ...range, basis: range.basis ?? null });
  }
  return verdicts;
}

/** The sessions that a commit is bound to, when these lines of it are theirs. */
function bound(
  ranges: readonly AttributionRecord[],
  {
    of = change(),
    files = [fileOf(20)],
    runs = [],
    delegations = [],
    writes = [],
    recentlyTouched = [],
    branchOf = () => null,
  }: {
    of?: ChangeToAttribute;
    files?: FileToAttribute[];
    runs?: ShellRun[];
    delegations?: Delegation[];
    writes?: Write[];
    recentlyTouched?: { sessionUid: string; turn: number }[];
    branchOf?: () => string | null;
  } = {},
) {
  const weighed = new Map<string, WeightOfSession>();
  for (const file of files) weigh(file, verdictsIn(file, ranges), weighed);
  const evidence: BindingEvidence = {
    attributionEvidence: {
      runs,
      delegations,
      period: { freshSince: 50_000 },
      branchOf,
      recentlyTouched: () => recentlyTouched,
    },
    writes,
    files,
  };
  return findBindings(of, ranges, weighed, evidence);
}

const fresh = (sessionUid: string, lines: string[] = [], more: WriteDetails = {}) =>
  write(lines, { sessionUid, at: 60_000, ...more });
const hash = change().hash!;
const [short, elsewhere] = [hash.slice(0, 8), "feedbee"];
const committing = (sessionUid: string, hashes: string[] = [], more: Partial<ShellRun> = {}) =>
  run('git commit -qm "Add values"', {
    sessionUid,
    commits: hashes.map((each) => ({ hash: each, subject: "Add values" })),
    startedAt: 99_000,
    endedAt: 101_000,
    ...more,
  });

describe("by its lines", () => {
  it("a session of the time since the commit before is bound by a few", () => {
    expect(
      bound([range("s", 3, 4, { turn: 2 }), range("s", 9, 9, { turn: 1 })], { writes: [fresh("s")] }),
    ).toEqual([{ sessionUid: "s", turns: [1, 2], lines: 3, how: "lines", confidence: 0.98 }]);
    expect(bound([range("s", 3, 4)], { writes: [fresh("s")] })).toMatchObject([{ confidence: 0.9 }]);
  });

  it("one line of many does not bind, the only one does", () => {
    expect(bound([range("s", 3, 3)], { writes: [fresh("s")] })).toEqual([]);
    expect(bound([range("s", 1, 1)], { writes: [fresh("s")], files: [fileOf(1)] })).toMatchObject([
      { lines: 1 },
    ]);
    expect(bound([range("s", 1, 3)], { writes: [fresh("s")], files: [fileOf(500)] })).toEqual([]);
  });

  it("one of before needs more", () => {
    const stale = [fresh("s", [], { at: 40_000 })];
    expect(bound([range("s", 1, 2)], { writes: stale })).toEqual([]);
    expect(bound([range("s", 1, 2)], { writes: [] })).toEqual([]);
    expect(bound([range("s", 1, 5)], { writes: stale })).toMatchObject([
      { sessionUid: "s", confidence: 0.9 },
    ]);
    expect(bound([range("s", 1, 5)], { writes: stale, files: [fileOf(70)] })).toEqual([]);
    expect(bound([range("s", 1, 1)], { writes: stale, files: [fileOf(2)] })).toMatchObject([{ lines: 1 }]);
  });

  it("what it wrote into a plan or a task counts as that of one of before, whenever it did", () => {
    const planned = { how: "moved", basis: "elsewhere" } as const;
    const writes = [fresh("s")];
    expect(bound([range("s", 1, 2, planned)], { writes })).toEqual([]);
    expect(bound([range("s", 1, 5, planned)], { writes: [] })).toMatchObject([{ sessionUid: "s", lines: 5 }]);
    expect(bound([range("s", 1, 5, { ...planned, basis: "replied" })], { writes })).toHaveLength(1);
  });

  it("copies of what stands in the file bind one of before no more than one line of many", () => {
    const twice = [1, 2, 3, 4, 5].flatMap((i) => [` ${line(i)}`]);
    const files = [fileOfDiff([...twice, ...twice.map((each) => each.replace(" ", "+"))])];
    const copies = [range("s", 6, 10)];
    expect(bound(copies, { files, writes: [] })).toEqual([]);
    expect(bound(copies, { files, writes: [fresh("s")] })).toMatchObject([{ lines: 5 }]);
  });

  it("two at once have theirs each, the one with more first", () => {
    const ranges = [range("one", 1, 2), range(null, 3, 3), range("two", 4, 8, { turn: 7 })];
    expect(bound(ranges, { writes: [fresh("one"), fresh("two")] })).toMatchObject([
      { sessionUid: "two", turns: [7], lines: 5 },
      { sessionUid: "one", turns: [1], lines: 2 },
    ]);
  });

  it("lines that were there before do not bind, nor do a human's", () => {
    const there = { how: "moved", basis: "moved" } as const;
    const ranges = [range("s", 1, 9, there), range(null, 10, 20, { author: "human" })];
    expect(bound(ranges, { writes: [fresh("s")] })).toEqual([]);
  });
});

describe("by the command that made it", () => {
  it("when git reported its hash", () => {
    expect(bound([], { runs: [committing("s", [short], { turn: 4 })] })).toEqual([
      { sessionUid: "s", turns: [4], lines: 0, how: "command", confidence: 1 },
    ]);
  });

  it("adds its turn to those that wrote lines", () => {
    const runs = [committing("s", [short], { turn: 4 })];
    expect(bound([range("s", 1, 9)], { runs, writes: [fresh("s")] })).toEqual([
      { sessionUid: "s", turns: [1, 4], lines: 9, how: "lines", confidence: 1 },
    ]);
  });

  it("beside those who wrote its lines", () => {
    const runs = [committing("two", [short])];
    expect(bound([range("one", 1, 9)], { runs, writes: [fresh("one")] })).toMatchObject([
      { sessionUid: "one", how: "lines", lines: 9 },
      { sessionUid: "two", how: "command", lines: 0 },
    ]);
  });

  it("of two at the same time the one with its hash", () => {
    const runs = [committing("one", [elsewhere]), committing("two", [short])];
    expect(bound([], { runs }).map(({ sessionUid }) => sessionUid)).toEqual(["two"]);
  });

  it("when git printed nothing and no other session committed then", () => {
    expect(bound([], { runs: [committing("s")] })).toMatchObject([{ sessionUid: "s", how: "command" }]);
    expect(bound([], { runs: [committing("one"), committing("two")] })).toEqual([]);
  });

  it.each<[string, ShellRun]>([
    ["long before", committing("s", [short], { startedAt: 10_000, endedAt: 20_000 })],
    ["long after", committing("s", [short], { startedAt: 200_000, endedAt: 201_000 })],
    ["something else", committing("s", [], { command: "npm run commit-free && git status" })],
    ["what makes those of others again", committing("s", [], { command: "git pull --rebase" })],
    ["many commits, none of them this", committing("s", [elsewhere, "abcdef1"])],
  ])("not one that did %s", (_, other) => {
    expect(bound([], { runs: [other] })).toEqual([]);
  });

  it.each([
    "git add . && git commit -m 'Add values'",
    "git -C sub commit -F - <<EOF\nAdd values\n\nThey are needed.\nEOF",
    "git commit -m \"$(cat <<'EOF'\nAdd values\nEOF\n)\"",
  ])("by its message: %s", (command) => {
    expect(bound([], { runs: [committing("s", [], { command })] })).toMatchObject([{ confidence: 0.95 }]);
  });

  it.each([
    "git commit --amend --no-edit",
    "git cherry-pick x",
    "git merge x",
    "git revert x",
    "git -C sub commit",
  ])("maybe, where the command gives no message: %s", (command) => {
    const runs = [committing("s", [], { command })];
    expect(bound([], { runs })).toMatchObject([{ how: "command", confidence: 0.6 }]);
    // On another branch, with another session at it, or with no result, there is nothing.
    const of = change({ branch: "main" });
    expect(bound([], { of, runs, branchOf: () => "side" })).toEqual([]);
    expect(bound([], { of, runs, branchOf: () => "main" })).toHaveLength(1);
    expect(bound([], { runs: [...runs, committing("two", [], { command })] })).toEqual([]);
    expect(bound([], { runs: [committing("s", [], { command, isSilent: true })] })).toEqual([]);
  });

  it("not one with another message", () => {
    const command = "git commit -qm 'Remove values'";
    expect(bound([], { runs: [committing("s", [], { command })] })).toEqual([]);
  });

  it("one without a result that gave its message", () => {
    expect(bound([], { runs: [committing("s", [], { isSilent: true })] })).toMatchObject([
      { confidence: 0.95 },
    ]);
  });

  it("after a rebase the one that made the original", () => {
    const of = change({ authoredAt: 100_000, committedAt: 900_000 });
    expect(bound([], { of, runs: [committing("s", [elsewhere])] })).toMatchObject([{ sessionUid: "s" }]);
  });

  it("not for uncommitted changes", () => {
    expect(bound([], { of: change({ hash: null }), runs: [committing("s", [short])] })).toEqual([]);
  });
});

describe("by its removed lines", () => {
  const gone = [line(1), line(2)];
  const files = [fileOfDiff([" before();", ...gone.map((each) => `-${each}`), " after();"])];

  it("when a session took the same lines out, the last", () => {
    const writes = [
      fresh("one", [], { removed: gone }),
      fresh("two", [], { removed: gone, turn: 5, at: 70_000 }),
      fresh("three", [], { removed: ["something.else(entirely);"], at: 80_000 }),
      fresh("four", [], { removed: gone, path: "b.ts", at: 80_000 }),
    ];
    expect(bound([], { files, writes })).toEqual([
      { sessionUid: "two", turns: [5], lines: 0, how: "removed", confidence: 0.85 },
    ]);
  });

  it("not by lines removed before the parent commit", () => {
    expect(bound([], { files, writes: [fresh("s", [], { removed: gone, at: 40_000 })] })).toEqual([]);
  });

  it("not by a small part of what the commit removed", () => {
    const all = Array.from({ length: 30 }, (_, i) => `-${line(i + 1)}`);
    expect(bound([], { files: [fileOfDiff(all)], writes: [fresh("s", [], { removed: gone })] })).toEqual([]);
  });

  it("not by a bracket", () => {
    const bracket = [fileOfDiff([" if (a) {", "-}", " }"])];
    expect(bound([], { files: bracket, writes: [fresh("s", [], { removed: ["}"] })] })).toEqual([]);
  });

  it("of a file with another name before", () => {
    const renamed = [
      fileOfDiff(
        gone.map((each) => `-${each}`),
        { path: "b.ts", oldPath: "a.ts", status: "R" },
      ),
    ];
    expect(bound([], { files: renamed, writes: [fresh("s", [], { removed: gone })] })).toHaveLength(1);
  });

  it("only without another binding", () => {
    const writes = [fresh("one", [], { removed: gone })];
    expect(bound([], { files, writes, runs: [committing("two")] })).toMatchObject([{ sessionUid: "two" }]);
  });
});

describe("by its delegations", () => {
  const working = (sessionUid: string, startedAt = 90_000, endedAt = 110_000) => ({
    sessionUid,
    turn: 2,
    startedAt,
    endedAt,
    text: `Then run: git commit -m "Add values"`,
  });

  it("when it was made meanwhile", () => {
    expect(bound([], { delegations: [working("s")] })).toEqual([
      { sessionUid: "s", turns: [2], lines: 0, how: "command", confidence: 0.75 },
    ]);
  });

  it("not before, after, of two at once, or where anything else binds it", () => {
    expect(bound([], { delegations: [working("s", 110_000, 120_000)] })).toEqual([]);
    expect(bound([], { delegations: [working("s", 10_000, 20_000)] })).toEqual([]);
    expect(bound([], { delegations: [working("s", 90_000, 2_000_000)] })).toEqual([]);
    expect(bound([], { delegations: [{ ...working("s"), text: "Look for it" }] })).toEqual([]);
    expect(bound([], { delegations: [{ ...working("s"), text: `It is ${short}.` }] })).toHaveLength(1);
    expect(bound([], { delegations: [working("one"), working("two")] })).toEqual([]);
    expect(bound([], { delegations: [working("s")], of: change({ hash: null }) })).toEqual([]);
    expect(bound([], { delegations: [working("one")], runs: [committing("two")] })).toMatchObject([
      { sessionUid: "two" },
    ]);
  });
});

describe("by the files that it touched", () => {
  const recentlyTouched = [
    { sessionUid: "s", turn: 3 },
    { sessionUid: "s", turn: 2 },
  ];

  it("if no other session touched them, and there is no other evidence", () => {
    expect(bound([], { recentlyTouched })).toEqual([
      { sessionUid: "s", turns: [2, 3], lines: 0, how: "touched", confidence: 0.6 },
    ]);
    expect(bound([], { recentlyTouched: [...recentlyTouched, { sessionUid: "two", turn: 1 }] })).toEqual([]);
    expect(bound([], { recentlyTouched, runs: [committing("two")] })).toMatchObject([
      { sessionUid: "two", how: "command" },
    ]);
  });
});

it("no evidence, no binding", () => {
  expect(bound([])).toEqual([]);
  expect(bound([], { files: [] })).toEqual([]);
  expect(bound([range(null, 1, 20)], { writes: [fresh("s")], runs: [run("npm test")] })).toEqual([]);
});

it("a commit of somebody whom no session of a home directory ever led to is another's", () => {
  const { memory, remove } = temporaryMemory();
  try {
    addSession(memory, "anns", { cwd: "/Users/ann/work/project" });
    addSession(memory, "anns-too", { cwd: "/Users/ann/other" });
    addSession(memory, "contained", { cwd: "/workspace" });
    const led = (n: number, author: string) =>
      addCheckpoint(memory, `${n}`.padStart(12, "0"), `${n}`.padStart(40, "0"), [binding("anns", [1])], {
        author,
      });
    for (let n = 1; n <= 4; n++) led(n, "Ann");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(false);
    led(5, "Ann");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(true);
    expect(isOfAnother(memory, "anns-too", "Ann")).toBe(false);
    expect(isOfAnother(memory, "contained", "Bob")).toBe(false);
    expect(isOfAnother(memory, "unknown", "Bob")).toBe(false);
    led(6, "Bob");
    expect(isOfAnother(memory, "anns-too", "Bob")).toBe(false);
  } finally {
    remove();
  }
});
