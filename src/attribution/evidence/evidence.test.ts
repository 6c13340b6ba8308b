import { describe, expect, it } from "vitest";
import {
  type Act,
  edited,
  evidenceOfChange,
  fileOfDiff,
  forgetAll,
  madeAt,
  memoryOfFile,
  minute,
  parentAt,
  ran,
  rememberTurn,
  write,
} from "../../../test/support/attribution-fixture.ts";
import { saveObservation } from "../../store/memory/observations.ts";
import type { ChangeToAttribute } from "../lines/verdict.ts";
import { KeySet } from "./writes.ts";

const memory = memoryOfFile();

const attributionEvidence = (more?: Partial<ChangeToAttribute>, before?: number | null) =>
  evidenceOfChange(memory, more, before);

const at = madeAt - 10 * minute;
/** An agent runs a command from `at` on for ten seconds. */
const running = (command: string, from = at) =>
  rememberTurn(memory, "s", [ran(command, from, from + 10_000)]);
describe("observations", () => {
  it("give the times when each line showed up, in order, up to the commit", () => {
    const days = 24 * 60 * minute;
    for (const [time, keys] of [
      [at, [1, 2]],
      [at - 5000, [2]],
      [madeAt + 1000, [3]],
      [madeAt + 3000, [4]],
      [madeAt - 14 * days, [5]],
    ] as const)
      saveObservation(memory, { path: "a.ts", at: time + 10 * days, keys: [...keys] });
    saveObservation(memory, { path: "b.ts", at: at + 10 * days, keys: [6] });
    const later = { authoredAt: madeAt + 10 * days, committedAt: madeAt + 10 * days };
    expect(attributionEvidence(later).sightings.getSightings("a.ts")).toEqual(
      new Map([
        [1, [at + 10 * days]],
        [2, [at - 5000 + 10 * days, at + 10 * days]],
        [3, [madeAt + 1000 + 10 * days]],
      ]),
    );
  });

  it("agree with a call that wrote the line, or do not", () => {
    running("npx prettier --write .", at + 5 * minute);
    const call = write(["x"], { at });
    const agrees = (...times: number[]) => attributionEvidence().compareWithSightings(times, call);
    expect(attributionEvidence().compareWithSightings(undefined, call)).toBe("yes");
    expect(attributionEvidence().compareWithSightings([at - minute], write(["x"], { at: 0 }))).toBe("yes");
    expect(agrees(at - 1000)).toBe("yes");
    expect(agrees(at + 9000)).toBe("yes");
    expect(agrees(at + 5 * minute + 1000)).toBe("yes");
    expect(agrees(at - minute)).toBe("no");
    expect(agrees(at + minute)).toBe("no");
    expect(agrees(at, at + minute)).toBe("mixed");
  });
});

it("a replacement in place is the command's, at whatever time by a clock that nothing shows to be right", () => {
  const replacing = (from: number, says = "") => {
    forgetAll(memory);
    rememberTurn(memory, "s", [ran("sed -i s/old/new/ src/a.ts", from, from + 1000, says)]);
    const of = (path: string) =>
      attributionEvidence({ hash: "abcdef1".padEnd(40, "0") }).findSubstitutionsIn(path);
    expect(of("src/b.ts")).toEqual([]);
    return of("src/a.ts").map(({ replace }) => replace("old()"));
  };
  expect(replacing(at)).toContain("new()");
  for (const other of [parentAt - 20 * minute, madeAt + 90 * minute])
    expect(replacing(other)).toEqual(["new()"]);
  // It made the commit then: its clock is right.
  expect(replacing(madeAt - 500, "[main abcdef1] Fix")).toEqual(["new()"]);
  rememberTurn(memory, "s", [ran("sed -i s/old/newer/ src/a.ts", parentAt - 20 * minute)], { number: 2 });
  const later = attributionEvidence({ hash: "abcdef1".padEnd(40, "0") }).findSubstitutionsIn("src/a.ts");
  expect(later.map(({ replace }) => replace("old()"))).toEqual(["new()"]);
});

describe("a rebased commit", () => {
  const rebased = { authoredAt: madeAt, committedAt: madeAt + 60 * minute };

  it("is not affected by actions after its first version", () => {
    running("sed -i s/a/b/ a.ts", madeAt + 10 * minute);
    const onNewer = (more: Partial<ChangeToAttribute>) =>
      attributionEvidence({ ...rebased, ...more }, madeAt + 30 * minute);
    expect(onNewer({}).period.until).toBe(madeAt);
    expect(onNewer({}).runs).toEqual([]);
    expect(onNewer({ predecessors: ["1".repeat(40)] }).period.until).toBe(rebased.committedAt);
    expect(onNewer({ predecessors: ["1".repeat(40)] }).runs).toHaveLength(1);
    expect(attributionEvidence(rebased).period.until).toBe(rebased.committedAt);
  });

  it("has an unknown base, so that a few hours count as new", () => {
    expect(attributionEvidence({}).period.freshSince).toBe(parentAt - 2000);
    expect(attributionEvidence({}, null).period.freshSince).toBeLessThanOrEqual(0);
    expect(attributionEvidence(rebased, madeAt + 30 * minute).period.freshSince).toBe(
      madeAt - 360 * minute - 2000,
    );
  });
});

it("recently touched files cover the hour before, since the parent commit first, and no uncommitted changes", () => {
  const files = [{ ...fileOfDiff(["+x"]).change, path: "b.ts", oldPath: "a.ts" }];
  const touching = (number: number, time: number): [Act[], object] => [
    [edited("/repo/a.ts", ["+x"], time)],
    { number },
  ];
  rememberTurn(memory, "s", ...touching(1, madeAt - 50 * minute));
  rememberTurn(memory, "s", ...touching(2, madeAt - 70 * minute));
  rememberTurn(memory, "s", ...touching(3, madeAt + minute));
  rememberTurn(memory, "s", [edited("/repo/c.ts", ["+x"], at)], { number: 4 });
  expect(attributionEvidence({ files }).recentlyTouched()).toEqual([{ sessionUid: "s", turn: 1 }]);
  expect(attributionEvidence({ files, hash: null }).recentlyTouched()).toEqual([]);
  // A turn that goes on may touch a file only later.
  rememberTurn(memory, "on", [ran("ls", madeAt - minute), edited("/repo/b.ts", ["+y"], madeAt + minute)]);
  expect(attributionEvidence({ files }).recentlyTouched()).toEqual([{ sessionUid: "s", turn: 1 }]);
  // What led to the parent commit counts only where nothing came after it.
  const afterParent = () => attributionEvidence({ files }, madeAt - 40 * minute).recentlyTouched();
  expect(afterParent()).toEqual([{ sessionUid: "s", turn: 1 }]);
  rememberTurn(memory, "then", [edited("/repo/b.ts", ["+z"], madeAt - 30 * minute)]);
  expect(afterParent()).toEqual([{ sessionUid: "then", turn: 1 }]);
});

describe("a call that began after the commit was authored", () => {
  const file = fileOfDiff(["+keepOrder(one)"], { path: "a.ts" });
  /** How many writes to the file may have led to it, and how many are later ones. */
  const writesOf = (more: Partial<ChangeToAttribute>) => {
    const evidence = attributionEvidence({
      committedAt: madeAt + 60 * minute,
      files: [file.change],
      ...more,
    });
    return [
      evidence.findRelevantWrites(["a.ts"], new KeySet()).length,
      evidence.findLaterWritesTo(["a.ts"]).length,
    ];
  };

  it("wrote none of its lines, however late a rebase made it", () => {
    rememberTurn(memory, "s", [edited("a.ts", ["+keepOrder(one)"], madeAt + 30 * minute)]);
    expect(writesOf({})).toEqual([0, 1]);
    expect(writesOf({ authoredAt: madeAt + 40 * minute })).toEqual([1, 0]);
  });

  it("may have where it was amended, or made of others", () => {
    rememberTurn(memory, "s", [edited("a.ts", ["+keepOrder(one)"], madeAt + 30 * minute)]);
    expect(writesOf({ isAmended: true })).toEqual([1, 0]);
    expect(writesOf({ predecessors: ["1".repeat(40)] })).toEqual([1, 0]);
    const amending = ran(
      "git commit --amend --no-edit",
      madeAt + 40 * minute,
      undefined,
      "[main abcdef1] Fix",
    );
    rememberTurn(memory, "s", [amending], { number: 2 });
    expect(writesOf({ hash: "abcdef1".padEnd(40, "0") })).toEqual([1, 0]);
  });
});
