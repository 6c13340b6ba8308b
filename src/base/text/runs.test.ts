import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRuns, mostRuns, splitRuns } from "./runs.ts";

/** Spells what is read by what was met. */
function speller() {
  let met: string[] = [];
  let forgotten = 0;
  const runs = createRuns({
    met: (run) => met.push(run),
    forgotten() {
      met = [];
      forgotten++;
    },
  });
  const read = (text: string) => {
    const spelled: string[] = [];
    for (const part of runs.read(text)) {
      if (typeof part === "string") spelled.push(part);
      else for (const run of part) spelled.push(met[run]!);
    }
    return spelled;
  };
  return { read, met: () => met.length, forgotten: () => forgotten };
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom("a", "B", "_", "$", "9", " ", "\n", "-", "é", "解", "😀"),
    maxLength: 400,
  }),
  fc.constantFrom(
    "@[`{/:",
    "x".repeat(256),
    "x".repeat(257),
    `${"é".repeat(128)} é`,
    `a ${"解".repeat(300)}b c`,
  ),
);

describe("runs", () => {
  it("are the longest pieces of word characters, in their order, however often they were met", () => {
    const speller_ = speller();
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        for (const one of texts) expect(speller_.read(one)).toEqual([...splitRuns(one)]);
      }),
    );
  });

  it("are met once, until there are too many", () => {
    const { read, met, forgotten } = speller();
    read("one two one three");
    read("three two");
    expect(met()).toBe(3);
    const many = Array.from({ length: mostRuns }, (_, i) => `word${i}`);
    expect(read(many.join(" "))).toEqual(many);
    expect(forgotten()).toBe(1);
    expect(met()).toBe(3);
    expect(read("one word1")).toEqual(["one", "word1"]);
    expect(met()).toBe(5);
  });

  it("are found in long texts, and after them in short ones", () => {
    const { read } = speller();
    const words = Array.from({ length: 30_000 }, (_, i) => `w${i % 7000}`);
    expect(read(words.join("\n"))).toEqual(words);
    expect(read("")).toEqual([]);
    expect(read("w1")).toEqual(["w1"]);
  });

  it("are forgotten as well where they take too many bytes", () => {
    const { read, forgotten } = speller();
    const long = Array.from({ length: 8000 }, (_, i) => `${"y".repeat(200)}${i}`);
    expect(read(long.join(" "))).toEqual(long);
    expect(read(long.slice(0, 3).join(" "))).toEqual(long.slice(0, 3));
    expect(forgotten()).toBeGreaterThan(0);
  });
});

it("word characters are letters and digits of ASCII, $, _, and everything beyond", () => {
  const { read } = speller();
  for (let code = 0; code < 0x300; code++) {
    const character = String.fromCharCode(code);
    const isWord = /[A-Za-z0-9_$]/.test(character) || code > 127;
    expect(read(` ${character} `)).toEqual(isWord ? [character] : []);
  }
});
