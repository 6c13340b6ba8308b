import { describe, expect, it } from "vitest";
import { fileOfDiff, stretchOf, write } from "../../../test/support/attribution-fixture.ts";
import type { Write } from "../evidence/writes.ts";
import { lineKey } from "./line-keys.ts";
import { writtenBy } from "./written.ts";

const day = 86_400_000;
/** When the commit before was made. */
const parentAt = 10 * day;

/** By line of the new version which call wrote it, and how sure that is. */
function writers(diff: readonly string[], writes: readonly Write[], consumed: Record<string, string[]> = {}) {
  const counts = Object.entries(consumed).map(([toolUse, lines]): [string, Map<number, number>] => {
    const keys = new Map<number, number>();
    for (const line of lines) keys.set(lineKey(line), (keys.get(lineKey(line)) ?? 0) + 1);
    return [toolUse, keys];
  });
  const file = fileOfDiff(diff);
  const found = writtenBy(file, writes, new Map(counts), parentAt);
  return Object.fromEntries(
    [...found].map(([i, { verdict }]) => [file.lines[i]!.line, `${verdict.toolUse} ${verdict.confidence}`]),
  );
}

const by = (toolUse: string, at: number, lines: string[], more: Partial<Write> = {}) =>
  write(lines, { toolUse, at, ...more });

const block = ["export function total(cart) {", "return sumOf(cart.items);", "}"];
const added = block.map((line) => `+${line}`);
const long = [...block, "export function most(cart) {", "return maxOf(cart.items, priceOf);", "}"];
const ownLine = "const rounded = Math.round(total(cart));";

describe("lines of a call", () => {
  it("are whose they are", () => {
    expect(
      writers([" before();", ...added, "+byHand(nobody, knows);"], [by("a", parentAt + 1, block)]),
    ).toEqual({
      2: "a 0.98",
      3: "a 0.98",
      4: "a 0.98",
    });
    const { verdict } = writtenBy(
      fileOfDiff(added),
      [by("a", parentAt, block, { model: "m" })],
      new Map(),
      0,
    ).get(0)!;
    expect(verdict).toEqual({
      author: "agent",
      sessionUid: "s",
      turn: 1,
      toolUse: "a",
      model: "m",
      confidence: 0.98,
      how: "edit",
    });
  });

  it("that a command holds are a little less sure, and those of a line alone that says less", () => {
    expect(writers(added, [by("a", parentAt, block, { how: "shell" })])).toMatchObject({
      1: "a 0.95",
      2: "a 0.95",
    });
    expect(writers(["+count(rows)"], [by("a", parentAt, ["count(rows);"])])).toEqual({ 1: "a 0.85" });
  });

  it("are not brackets that anybody writes", () => {
    expect(writers(["+}", "+});"], [by("a", parentAt, ["}", "});"])])).toEqual({});
  });

  it("need more the longer ago they were written", () => {
    const middling = "const total = 1;";
    expect(writers([`+${middling}`], [by("a", parentAt, [middling])])).toEqual({ 1: "a 0.85" });
    expect(writers([`+${middling}`], [by("a", parentAt - 1, [middling])])).toEqual({});
    expect(writers([`+${ownLine}`], [by("a", parentAt - 1, [ownLine])])).toEqual({ 1: "a 0.98" });
    expect(writers([`+${ownLine}`], [by("a", parentAt - 4 * day, [ownLine])])).toEqual({});
    expect(Object.keys(writers(added, [by("a", parentAt - 4 * day, block)]))).toEqual(["1", "2", "3"]);
  });

  it("of which nobody knows when they were written are as if they were new", () => {
    expect(writers(["+const total = 1;"], [by("a", 0, ["const total = 1;"])])).toEqual({ 1: "a 0.85" });
  });
});

describe("of several who wrote a line", () => {
  it("the later one", () => {
    const writes = [by("a", parentAt + 1, block), by("b", parentAt + 2, block)];
    expect(writers(added, writes)).toMatchObject({ 1: "b 0.98", 2: "b 0.98" });
  });

  it("the one who wrote what stands around it as well", () => {
    const late = by("b", parentAt + 2, ["somethingElse(entirely);", block[1]!, "unlike(what, is, there);"]);
    expect(writers(added, [by("a", parentAt + 1, block), late])).toMatchObject({ 1: "a 0.98", 2: "a 0.98" });
  });

  it("each has its own", () => {
    const other = ["export function most(cart) {", "return maxOf(cart.items);", "}"];
    const diff = [...added, " between();", ...other.map((line) => `+${line}`)];
    const found = writers(diff, [by("a", parentAt, block), by("b", parentAt, other)]);
    expect(Object.values(found).map((who) => who[0])).toEqual(["a", "a", "a", "b", "b", "b"]);
  });
});

describe("what is in history already", () => {
  it("is not who puts it in again", () => {
    expect(writers([`+${ownLine}`], [by("a", parentAt, [ownLine])], { a: [ownLine] })).toEqual({});
    expect(writers([`+${ownLine}`], [by("a", parentAt, [ownLine])], { b: [ownLine] })).toEqual({
      1: "a 0.98",
    });
  });

  it("is as often as it is", () => {
    const twice = by("a", parentAt, [ownLine, "inBetween(this, and, that);", ownLine]);
    const diff = [`+${ownLine}`];
    expect(writers(diff, [twice], { a: [ownLine] })).toEqual({ 1: "a 0.98" });
    expect(writers(diff, [twice], { a: [ownLine, ownLine] })).toEqual({});
  });

  it("is put back where a whole block of it comes again", () => {
    const diff = long.map((line) => `+${line}`);
    expect(Object.keys(writers(diff, [by("a", parentAt, long)], { a: long }))).toHaveLength(6);
    expect(writers(diff.slice(0, 2), [by("a", parentAt, long)], { a: long })).toEqual({});
  });
});

describe("a secret that was taken out of the transcript", () => {
  const secret = `const token = "${"abc123".repeat(4)}";`;
  const told = [
    "export const service = connectTo(address);",
    'const token = "[REDACTED_TOKEN]";',
    "service.start(token);",
  ];
  const diff = [told[0]!, secret, told[2]!].map((line) => `+${line}`);

  it("is the agent's where what stands around it is", () => {
    expect(writers(diff, [by("a", parentAt, told)])).toEqual({ 1: "a 0.98", 2: "a 0.98", 3: "a 0.98" });
    expect(writers(diff.slice(0, 2), [by("a", parentAt, told)])).toHaveProperty("2");
    expect(writers(diff.slice(1), [by("a", parentAt, told)])).toHaveProperty("1");
  });

  it("is not where another line was written there", () => {
    const other = told.with(1, "const nothing = withASecret();");
    expect(writers(diff, [by("a", parentAt, other)])).not.toHaveProperty("2");
  });
});

it("what a formatter broke is the agent's, less surely", () => {
  const one = "const result = await fetchEverything(firstOfAll, secondOfAll, thirdOfAll);";
  const broken = [
    "+const result = await fetchEverything(",
    "+  firstOfAll,",
    "+  secondOfAll,",
    "+  thirdOfAll,",
    "+);",
  ];
  expect(Object.values(writers(broken, [by("a", parentAt, [one])]))).toEqual(
    Array.from({ length: 5 }, () => "a 0.85"),
  );
});

it("what stood around when it was written is not what was written", () => {
  const hunks = [{ lines: stretchOf([` ${block[0]}`, `+${block[1]}`, ` ${block[2]}`]), removed: [] }];
  expect(Object.keys(writers(added, [by("a", parentAt, [], { hunks })]))).toEqual(["2"]);
});
