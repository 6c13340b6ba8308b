import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOfFile, stretchOf } from "../../../test/support/attribution-fixture.ts";
import { alignLines, type CurrentLine, type WrittenStretch } from "./align.ts";

/** For each file line (by its number) the indices in the stretches that it may come from. */
function found(file: readonly CurrentLine[], ...stretches: string[][]) {
  const all = stretches.map((lines, of): WrittenStretch<number> => ({ of, lines: stretchOf(lines) }));
  return new Map(
    [...alignLines(file, all)].map(([i, matches]) => [
      file[i]!.line,
      matches.map(({ of, at, support }) => ({ of, at, support })),
    ]),
  );
}

/** A line that no other test line is like. */
const words = (n: number, word = "line") => `${word}Number${n}.isDifferent(${n * 7919});`;
const common = fc.constantFrom(
  "}",
  "});",
  "{",
  "return;",
  "else {",
  "*/",
  "try {",
  "end",
  "]",
  "import x;",
  "",
);
const other = fc.oneof(
  common,
  fc.nat(500).map((n) => words(n, "other")),
);
const others = fc.array(other, { maxLength: 30 });
const plus = (lines: readonly string[]) => lines.map((line) => `+${line}`);

describe("a whole block", () => {
  it("is found in any surroundings, added or not", () => {
    const sign = fc.constantFrom("+", " ");
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        others,
        others,
        others,
        others,
        sign,
        (n, a, b, c, d, by) => {
          const block = Array.from({ length: n }, (_, i) => words(i));
          const file = linesOfFile([
            ...a.map((line) => by + line),
            ...plus(block),
            ...b.map((line) => by + line),
          ]);
          const stretch = [...c, ...block, ...d];
          const matches = found(file, stretch);
          const first = stretchOf(c).length;
          for (const [i] of block.entries()) {
            const [best, ...more] = matches.get(a.length + 1 + i) ?? [];
            expect(best).toMatchObject({ of: 0, at: first + i });
            expect(more).toEqual([]);
            expect(best!.support).toBeGreaterThan(n === 2 ? 0.6 : 0.9);
          }
        },
      ),
    );
  });

  it("is certain if nothing else is there", () => {
    const block = [words(1), words(2), "}"];
    for (const [match] of found(linesOfFile(plus(block)), block).values())
      expect(match!.support).toBeGreaterThanOrEqual(1);
  });

  it("is found after formatting", () => {
    const file = linesOfFile(["+  callThis( 'with', \"that\" ),", "+", "+\tcallThat('too')"]);
    expect([...found(file, ['callThis("with", `that`);', 'callThat("too");']).keys()]).toEqual([1, 3]);
  });
});

describe("lines written once are found once", () => {
  it("for any lines", () => {
    const line = fc.constantFrom(words(1), words(2), words(3), "}", "else {", "return value;");
    const signed = fc.tuple(fc.constantFrom("+", "+", " "), line).map(([sign, text]) => sign + text);
    const lines = fc.array(signed, { maxLength: 25 });
    fc.assert(
      fc.property(lines, fc.array(lines, { maxLength: 4 }), (now, written) => {
        const file = linesOfFile(now);
        const used = new Map<string, number>();
        for (const [number, matches] of found(file, ...written)) {
          const own = file.find(({ line }) => line === number)!;
          expect(own.isAdded).toBe(true);
          expect(matches.length).toBeGreaterThan(0);
          for (const { of, at, support } of matches) {
            const source = stretchOf(written[of]!)[at]!;
            expect(source.key).toBe(own.key);
            expect(source.isNew).toBe(true);
            expect(support).toBeGreaterThan(0);
            expect(used.get(`${of} ${at}`) ?? number, "found twice").toBe(number);
            used.set(`${of} ${at}`, number);
          }
        }
      }),
    );
  });

  it("at their best place", () => {
    const file = linesOfFile([`+${words(5)}`, "+x.unrelated();", ...plus([words(4), words(5), words(6)])]);
    const matches = found(file, [words(4), words(5), words(6)]);
    expect([...matches.keys()].sort()).toEqual([3, 4, 5]);
  });

  it("and for each of their writers", () => {
    const matches = found(linesOfFile([`+${words(1)}`]), [words(1)], [words(1)]);
    expect(matches.get(1)!.map(({ of }) => of)).toEqual([0, 1]);
    expect(matches.get(1)![0]!.support).toBeLessThan(
      found(linesOfFile([`+${words(1)}`]), [words(1)]).get(1)![0]!.support,
    );
  });
});

describe("weak evidence", () => {
  const supportOf = (file: string[], stretch: string[]) =>
    Math.max(0, ...[...found(linesOfFile(file), stretch).values()].map(([match]) => match!.support));

  it("by brackets and words that every file has", () => {
    expect(supportOf(["+}", "+});", "+else {", "+}"], ["}", "});", "else {", "}"])).toBeLessThan(0.45);
  });

  it("by a line among others that differ", () => {
    const around = (word: string, line: string) => [
      words(1, word),
      words(2, word),
      line,
      words(3, word),
      words(4, word),
    ];
    const support = supportOf(plus(around("mine", "return value;")), around("theirs", "return value;"));
    expect(support).toBeGreaterThan(0);
    expect(support).toBeLessThan(0.45);
  });

  it("by a line that occurs in many places", () => {
    const many = Array.from({ length: 20 }, (_, i) => [`+${words(i, "mine")}`, "+const count = 0;"]).flat();
    expect(supportOf(many, ["const count = 0;"])).toBeLessThan(
      supportOf(["+const count = 0;"], ["const count = 0;"]) / 3,
    );
  });

  it("by old lines that were not written now, but more than by nothing", () => {
    const file = [` ${words(1)}`, "+return value;", ` ${words(2)}`];
    const alone = supportOf(file, ["+return value;"]);
    const inContext = supportOf(file, [` ${words(1)}`, "+return value;", ` ${words(2)}`]);
    expect(inContext).toBeGreaterThan(alone);
    expect(inContext).toBeLessThan(
      supportOf(plus([words(1), "return value;", words(2)]), [words(1), "return value;", words(2)]),
    );
    expect(found(linesOfFile([` ${words(1)}`]), [`+${words(1)}`]).size).toBe(0);
    expect(found(linesOfFile([`+${words(1)}`]), [` ${words(1)}`]).size).toBe(0);
  });
});

describe("over gaps", () => {
  const block = Array.from({ length: 12 }, (_, i) => words(i));

  it("the rest of a block is found after any change to lines within it", () => {
    const line = fc.nat(500).map((n) => words(n, "changed"));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.nat(2),
        fc.array(line, { maxLength: 6 }),
        (at, gone, put) => {
          const now = [...block.slice(0, at), ...put, ...block.slice(at + gone)];
          const matches = found(linesOfFile(plus(now)), block);
          for (const [i, text] of now.entries()) {
            const own = block.indexOf(text);
            if (own === -1) expect(matches.has(i + 1)).toBe(false);
            else expect(matches.get(i + 1)?.map((match) => match.at)).toEqual([own]);
          }
        },
      ),
    );
  });

  it("short lines after a gap are found with what follows them; brackets say too little", () => {
    const [first, last] = [words(1), words(2)];
    const file = linesOfFile(plus([first, "changed();", "}", "a();", last]));
    const matches = found(file, [first, "asWritten();", "}", "a();", last]);
    expect([...matches.keys()].sort()).toEqual([1, 4, 5]);
  });
});

it("nothing is found in nothing", () => {
  expect(found([], [words(1)]).size).toBe(0);
  expect(found(linesOfFile(plus([words(1)])), []).size).toBe(0);
  expect(found(linesOfFile(plus([words(1)]))).size).toBe(0);
});
