import { diffArrays } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { type Step, type StepHunk, takeBack } from "./take-back.ts";

/** What a step changed, with who wrote each of its lines. */
function makeStep(before: readonly string[], after: readonly string[], isTheirs: boolean): Step {
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

  /** Somebody replaces a line, puts one in, or takes one out, beside the line that begins with `anchor`. */
  const edit = fc.record({
    who: fc.constantFrom("agent", "other", "person"),
    anchor: fc.nat(11),
    kind: fc.constantFrom("insert", "replace", "remove"),
  });
  type Edit = { who: "agent" | "other" | "person"; anchor: number; kind: "insert" | "replace" | "remove" };

  /** Applies an edit to the lines by what they are called, not by where they stand; null: its line is not there. */
  function applyEdit(text: readonly string[], { who, anchor, kind }: Edit, number: number): string[] | null {
    const at = text.indexOf(`line ${anchor}`);
    if (at < 0) return null;
    const written = `${who} ${number}`;
    if (kind === "insert") return [...text.slice(0, at + 1), written, ...text.slice(at + 1)];
    return kind === "remove" ? text.toSpliced(at, 1) : text.toSpliced(at, 1, written);
  }

  it("leaves the history without the session, and every line of others, whoever worked in between", () => {
    let free = 0;
    // Without a conflict, and whether or not there is one: what nobody can separate is left.
    const separated = { equal: 0, all: 0 };
    const every = { equal: 0, all: 0 };
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 14 }), (edits) => {
        let text = Array.from({ length: 12 }, (_, i) => `line ${i}`);
        // The same history without the agent.
        let replayed = text;
        const steps: Step[] = [];
        edits.forEach((one, i) => {
          const next = applyEdit(text, one, i);
          if (next === null) return;
          if (one.who === "agent") steps.unshift(makeStep(text, next, true));
          else replayed = applyEdit(replayed, one, i) ?? replayed;
          text = next;
        });
        const { lines: left, conflicts } = takeBack(steps, text);
        const listOthers = (lines: readonly string[]) =>
          lines.filter((line) => /^(?:other|person)/.test(line));
        expect(listOthers(left)).toEqual(listOthers(text));
        const isFree = conflicts.length === 0;
        if (isFree) free++;
        let equal = 0;
        for (const { added, removed, count } of diffArrays(left, replayed))
          if (!added && !removed) equal += count ?? 0;
        for (const sum of isFree ? [separated, every] : [every]) {
          sum.equal += equal;
          sum.all += Math.max(left.length, replayed.length);
        }
      }),
      { numRuns: runs(300) },
    );
    expect(free).toBeGreaterThan(100);
    expect(separated.equal / separated.all).toBeGreaterThanOrEqual(0.98);
    expect(every.equal / every.all).toBeGreaterThanOrEqual(0.98);
  });
});
