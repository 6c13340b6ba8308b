import { diffArrays } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { type FileStep, type StepHunk, takeBack } from "./take-back.ts";

/** What a step changed, with who wrote each of its lines. */
function makeStep(before: readonly string[], after: readonly string[], isTheirs: boolean): FileStep {
  const hunks: StepHunk[] = [];
  let line = 1;
  let open: { newStart: number; removed: string[]; added: string[] } | null = null;
  const close = () => {
    if (open !== null)
      hunks.push({ ...open, isTheirs: open.added.map(() => isTheirs), isTheirRemoval: isTheirs });
    open = null;
  };
  for (const { added, removed, value } of diffArrays([...before], [...after])) {
    if (!added && !removed) {
      close();
      line += value.length;
      continue;
    }
    open ??= { newStart: line, removed: [], added: [] };
    if (added) {
      open.added.push(...value);
      line += value.length;
    } else open.removed.push(...value);
  }
  close();
  return { after, hunks };
}

const lines = (text: string) => (text === "" ? [] : text.split(" "));

describe("takeBack", () => {
  it.each([
    ["takes its lines out", "a b", "a x b", "a x b", "a b"],
    ["puts back what it replaced", "a b c", "a x c", "a x c", "a b c"],
    ["puts back what it took out", "a b c", "a c", "a c", "a b c"],
    ["keeps a later line of others beside its own", "a b", "a x b", "a x n b", "a n b"],
    ["keeps later changes elsewhere", "a b c d", "a x c d", "a x c n d e", "a b c n d e"],
    ["empties a file that it made", "", "x y", "x y", ""],
  ])("%s", (_, before, after, now, wanted) => {
    const { lines: left, conflicts } = takeBack([makeStep(lines(before), lines(after), true)], lines(now));
    expect({ left: left.join(" "), conflicts }).toEqual({ left: wanted, conflicts: [] });
  });

  it("leaves what somebody changed since, and says so", () => {
    const step = makeStep(["a", "b", "c"], ["a", "x", "c"], true);
    expect(takeBack([step], ["a", "z", "c"])).toEqual({
      lines: ["a", "z", "c"],
      removed: 0,
      restored: 0,
      conflicts: [{ why: "changed since", now: [], before: ["b"] }],
    });
  });

  it("takes out what still stands of the lines that it put in, and shows what somebody made of the others", () => {
    const step = makeStep(["a", "b"], ["a", "x", "y", "z", "b"], true);
    expect(takeBack([step], ["a", "x", "n", "z", "b"])).toEqual({
      lines: ["a", "n", "b"],
      removed: 2,
      restored: 0,
      conflicts: [{ why: "changed since", now: ["n"], before: [] }],
    });
    expect(takeBack([step], ["a", "x", "b"])).toMatchObject({ lines: ["a", "b"], conflicts: [] });
    expect(takeBack([step], ["a", "n", "m", "b"])).toMatchObject({
      lines: ["a", "n", "m", "b"],
      conflicts: [{ now: ["n", "m"] }],
    });
    expect(takeBack([step], ["a", "x", "y", "n"])).toMatchObject({
      lines: ["a", "n"],
      conflicts: [{ now: ["n"] }],
    });
  });

  it("leaves what two wrote together in the place of other lines", () => {
    const hunk = {
      newStart: 1,
      removed: ["a"],
      added: ["x", "n"],
      isTheirs: [true, false],
      isTheirRemoval: false,
    };
    const { lines: left, conflicts } = takeBack([{ after: ["x", "n"], hunks: [hunk] }], ["x", "n"]);
    expect(left).toEqual(["x", "n"]);
    expect(conflicts).toEqual([{ why: "written together", now: ["x", "n"], before: ["a"] }]);
  });

  /** Somebody replaces a line, takes it out, or puts lines in behind it. */
  const edit = fc.record({
    who: fc.constantFrom("agent", "other", "person"),
    place: fc.nat(30),
    kind: fc.constantFrom("insert", "replace", "remove"),
    size: fc.integer({ min: 1, max: 3 }),
  });
  type Edit = {
    who: "agent" | "other" | "person";
    place: number;
    kind: "insert" | "replace" | "remove";
    size: number;
  };

  /** Applies an edit to the lines by what they are called, not by where they stand; null: its line is not there. */
  function applyEdit(
    text: readonly string[],
    anchor: string,
    { who, kind, size }: Edit,
    number: number,
  ): string[] | null {
    const at = text.indexOf(anchor);
    if (at < 0) return null;
    const written = Array.from({ length: size }, (_, i) => `${who} ${number}.${i}`);
    if (kind === "insert") return text.toSpliced(at + 1, 0, ...written);
    return kind === "remove" ? text.toSpliced(at, 1) : text.toSpliced(at, 1, ...written);
  }

  it("leaves the history without the session, and every line of others, whoever worked in between", () => {
    // Histories that can be replayed without the agent: without a conflict, and whether or not one is shown.
    const separated = { histories: 0, equal: 0, all: 0 };
    const free = { histories: 0, equal: 0, all: 0 };
    // Others wrote something in the place of the agent's lines.
    const rewritten = { histories: 0, shown: 0 };
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 14 }), (edits) => {
        let text = Array.from({ length: 12 }, (_, i) => `line ${i}`);
        // The same history without the agent.
        let replayed = text;
        let [isFree, isRewritten] = [true, false];
        const steps: FileStep[] = [];
        edits.forEach((one, i) => {
          const anchor = text[one.place % text.length];
          const next = anchor === undefined ? null : applyEdit(text, anchor, one, i);
          if (next === null) return;
          if (one.who === "agent") steps.unshift(makeStep(text, next, true));
          else {
            const without = applyEdit(replayed, anchor!, one, i);
            // Others may take out what the agent wrote; what they write beside it or in its place has none without it.
            if (without === null && one.kind !== "remove") isFree = false;
            if (without === null && one.kind === "replace") isRewritten = true;
            replayed = without ?? replayed;
          }
          text = next;
        });
        const { lines: left, conflicts } = takeBack(steps, text);
        const listOthers = (lines: readonly string[]) =>
          lines.filter((line) => /^(?:other|person)/.test(line));
        // What the agent had taken out of theirs is there again.
        const theirs = new Set(text);
        expect(listOthers(left).filter((line) => theirs.has(line))).toEqual(listOthers(text));
        if (!isFree) {
          if (isRewritten) {
            rewritten.histories++;
            if (conflicts.length > 0) rewritten.shown++;
          }
          return;
        }
        let equal = 0;
        for (const { added, removed, count } of diffArrays(left, replayed))
          if (!added && !removed) equal += count ?? 0;
        for (const sum of conflicts.length === 0 ? [separated, free] : [free]) {
          sum.histories++;
          sum.equal += equal;
          sum.all += Math.max(left.length, replayed.length);
        }
      }),
      { numRuns: runs(300) },
    );
    expect(separated.histories).toBeGreaterThan(100);
    expect(separated.equal / separated.all).toBeGreaterThanOrEqual(0.98);
    expect(free.equal / free.all).toBeGreaterThanOrEqual(0.98);
    expect(rewritten.shown / rewritten.histories).toBeGreaterThan(0.9);
  });
});
