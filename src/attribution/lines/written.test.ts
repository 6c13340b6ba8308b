import { describe, expect, it } from "vitest";
import { fileOfDiff, stretchOf, write } from "../../../test/support/attribution-fixture.ts";
import type { Write } from "../evidence/writes.ts";
import { computeLineKey } from "./line-keys.ts";
import { findWrittenLines } from "./written.ts";

const day = 86_400_000;
/** When the commit before was made. */
const parentAt = 10 * day;

/** By line of the new version the call that wrote it, and how certain that is. */
function writers(diff: readonly string[], writes: readonly Write[], consumed: Record<string, string[]> = {}) {
  const counts = Object.entries(consumed).map(([toolUse, lines]): [string, Map<number, number>] => {
    const keys = new Map<number, number>();
    for (const line of lines) keys.set(computeLineKey(line), (keys.get(computeLineKey(line)) ?? 0) + 1);
    return [toolUse, keys];
  });
  const file = fileOfDiff(diff);
  const found = findWrittenLines(file, writes, new Map(counts), parentAt);
  return Object.fromEntries(
    [...found].map(([i, { verdict }]) => [file.lines[i]!.line, `${verdict.toolUse}`]),
  );
}

const by = (toolUse: string, at: number, lines: string[], more: Partial<Write> = {}) =>
  write(lines, { toolUse, at, ...more });

const block = ["export function total(cart) {", "return sumOf(cart.items);", "}"];
const added = block.map((line) => `+${line}`);
const long = [...block, "export function most(cart) {", "return maxOf(cart.items, priceOf);", "}"];
const ownLine = "const rounded = Math.round(total(cart));";

describe("lines of a call", () => {
  it("keep a short one between them that only looks like one that was taken out before", () => {
    const lines = [ownLine, "return null;", long[4]!];
    const call = by("a", parentAt + 1, lines);
    const of = (mark: { isNew: boolean; isBack?: boolean }) => {
      const hunk = { ...call.hunks[0]!, lines: call.hunks[0]!.lines.map((line) => ({ ...line })) };
      Object.assign(hunk.lines[1]!, mark);
      return Object.keys(
        writers(
          lines.map((line) => `+${line}`),
          [{ ...call, hunks: [hunk] }],
        ),
      );
    };
    expect(of({ isNew: false, isBack: true })).toEqual(["1", "2", "3"]);
    // It was there when the call was made.
    expect(of({ isNew: false })).toEqual(["1", "3"]);
  });

  it("have their writer", () => {
    expect(
      writers([" before();", ...added, "+byHand(nobody, knows);"], [by("a", parentAt + 1, block)]),
    ).toEqual({
      2: "a",
      3: "a",
      4: "a",
    });
    const { verdict } = findWrittenLines(
      fileOfDiff(added),
      [by("a", parentAt, block, { model: "m" })],
      new Map(),
      0,
    ).get(0)!;
    expect(verdict).toMatchObject({
      author: "agent",
      sessionUid: "s",
      turn: 1,
      toolUse: "a",
      model: "m",
      how: "edit",
      basis: "written",
    });
  });

  it("in a command, and single lines with a name", () => {
    expect(writers(added, [by("a", parentAt, block, { how: "shell" })])).toMatchObject({
      1: "a",
      2: "a",
    });
    expect(writers(["+count(rows)"], [by("a", parentAt, ["count(rows);"])])).toEqual({ 1: "a" });
  });

  it("do not include brackets that anybody writes", () => {
    expect(writers(["+}", "+});"], [by("a", parentAt, ["}", "});"])])).toEqual({});
  });

  it("need more evidence the older they are", () => {
    const middling = "const total = 1;";
    expect(writers([`+${middling}`], [by("a", parentAt, [middling])])).toEqual({ 1: "a" });
    expect(writers([`+${middling}`], [by("a", parentAt - 1, [middling])])).toEqual({});
    expect(writers([`+${ownLine}`], [by("a", parentAt - 1, [ownLine])])).toEqual({ 1: "a" });
    expect(writers([`+${ownLine}`], [by("a", parentAt - 4 * day, [ownLine])])).toEqual({});
    expect(Object.keys(writers(added, [by("a", parentAt - 4 * day, block)]))).toEqual(["1", "2", "3"]);
  });

  it("without a known time count as new", () => {
    expect(writers(["+const total = 1;"], [by("a", 0, ["const total = 1;"])])).toEqual({ 1: "a" });
  });
});

describe("of several writers of a line", () => {
  it("the later one", () => {
    const writes = [by("a", parentAt + 1, block), by("b", parentAt + 2, block)];
    expect(writers(added, writes)).toMatchObject({ 1: "b", 2: "b" });
  });

  it("the one who wrote the surrounding lines as well", () => {
    const late = by("b", parentAt + 2, ["somethingElse(entirely);", block[1]!, "unlike(what, is, there);"]);
    expect(writers(added, [by("a", parentAt + 1, block), late])).toMatchObject({ 1: "a", 2: "a" });
  });

  it("each gets their own", () => {
    const other = ["export function most(cart) {", "return maxOf(cart.items);", "}"];
    const diff = [...added, " between();", ...other.map((line) => `+${line}`)];
    const found = writers(diff, [by("a", parentAt, block), by("b", parentAt, other)]);
    expect(Object.values(found).map((who) => who[0])).toEqual(["a", "a", "a", "b", "b", "b"]);
  });
});

describe("a line that history already has", () => {
  it("does not belong to whoever adds it again", () => {
    expect(writers([`+${ownLine}`], [by("a", parentAt, [ownLine])], { a: [ownLine] })).toEqual({});
    expect(writers([`+${ownLine}`], [by("a", parentAt, [ownLine])], { b: [ownLine] })).toEqual({
      1: "a",
    });
  });

  it("counts as often as it occurs", () => {
    const twice = by("a", parentAt, [ownLine, "inBetween(this, and, that);", ownLine]);
    const diff = [`+${ownLine}`];
    expect(writers(diff, [twice], { a: [ownLine] })).toEqual({ 1: "a" });
    expect(writers(diff, [twice], { a: [ownLine, ownLine] })).toEqual({});
  });

  it("is put back where its whole block is added again", () => {
    const diff = long.map((line) => `+${line}`);
    expect(Object.keys(writers(diff, [by("a", parentAt, long)], { a: long }))).toHaveLength(6);
    expect(writers(diff.slice(0, 2), [by("a", parentAt, long)], { a: long })).toEqual({});
  });
});

describe("a secret that was removed from the transcript", () => {
  const secret = `const token = "${"abc123".repeat(4)}";`;
  const written = [
    "export const service = connectTo(address);",
    'const token = "[REDACTED_TOKEN]";',
    "service.start(token);",
  ];
  const diff = [written[0]!, secret, written[2]!].map((line) => `+${line}`);

  it("is the agent's where the surrounding lines are", () => {
    expect(writers(diff, [by("a", parentAt, written)])).toEqual({ 1: "a", 2: "a", 3: "a" });
    expect(writers(diff.slice(0, 2), [by("a", parentAt, written)])).toHaveProperty("2");
    expect(writers(diff.slice(1), [by("a", parentAt, written)])).toHaveProperty("1");
  });

  it("is not if another line was written there", () => {
    const other = written.with(1, "const nothing = withASecret();");
    expect(writers(diff, [by("a", parentAt, other)])).not.toHaveProperty("2");
  });
});

it("lines that a formatter broke are the agent's", () => {
  const one = "const result = await fetchEverything(firstOfAll, secondOfAll, thirdOfAll);";
  const broken = [
    "+const result = await fetchEverything(",
    "+  firstOfAll,",
    "+  secondOfAll,",
    "+  thirdOfAll,",
    "+);",
  ];
  expect(Object.values(writers(broken, [by("a", parentAt, [one])]))).toEqual(
    Array.from({ length: 5 }, () => "a"),
  );
});

it("context around a written line is not written", () => {
  const hunks = [{ lines: stretchOf([` ${block[0]}`, `+${block[1]}`, ` ${block[2]}`]), removed: [] }];
  expect(Object.keys(writers(added, [by("a", parentAt, [], { hunks })]))).toEqual(["2"]);
});
