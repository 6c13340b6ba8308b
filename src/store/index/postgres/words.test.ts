import { expect, it } from "vitest";
import type { LoadedSegments } from "../words/loaded-segments.ts";
import type { Snapshot } from "./rows.ts";
import { ReadWords } from "./words.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

/** Segments that have words, and the statements that asked for them. */
function fixture() {
  const stored = new Map<number, readonly string[]>();
  const asked: { segments: number[]; words: string[] }[] = [];
  const sql = (strings: readonly string[], ...given: unknown[]) => {
    // A part of another statement.
    if (!strings[0]!.includes("SELECT")) return strings[0];
    const [present, , segments, words] = given as [number[], string, number[], string[]];
    asked.push({ segments, words });
    const nothing = { chunks: 0, list: bytes(), places: bytes() };
    return Promise.resolve([
      ...present.filter((id) => stored.has(id)).map((segment) => ({ segment, word: null, ...nothing })),
      ...segments.flatMap((segment) =>
        (stored.get(segment) ?? [])
          .filter((word) => words.includes(word))
          .map((word) => ({ segment, word, chunks: 1, list: bytes(segment), places: bytes(9) })),
      ),
    ]);
  };
  const read = new ReadWords();
  const of = async (words: string[], segments: number[], withPlaces = false) => {
    const loaded = { all: segments.map((id) => ({ id })) } as unknown as LoadedSegments;
    const found = await read.of({ sql } as unknown as Snapshot, words, loaded, withPlaces);
    return [...found]
      .flatMap(([word, ofSegment]) => [...ofSegment.keys()].map((id) => `${word} ${id}`))
      .sort();
  };
  return { stored, asked, read, of };
}

it("asks for a word once, whether a segment has it or not, and again only new segments", async () => {
  const { stored, asked, of } = fixture();
  stored.set(1, ["the", "a"]).set(2, ["the"]);
  const all = ["a 1", "the 1", "the 2"];
  expect([await of(["a", "the", "no"], [1, 2]), await of(["no", "the", "a"], [1, 2])]).toEqual([all, all]);
  expect(asked).toEqual([{ segments: [1, 2], words: ["a", "the", "no"] }]);
  stored.set(3, ["no"]);
  expect(await of(["a", "the", "no"], [1, 2, 3])).toEqual(["a 1", "no 3", "the 1", "the 2"]);
  expect(asked.slice(1)).toEqual([{ segments: [3], words: ["a", "the", "no"] }]);
});

it("asks for places when they are needed", async () => {
  const { stored, asked, of } = fixture();
  stored.set(1, ["the"]);
  for (const withPlaces of [false, true, true, false])
    expect(await of(["the"], [1], withPlaces)).toEqual(["the 1"]);
  expect(asked).toHaveLength(2);
});

it("remembers nothing of a segment that went meanwhile", async () => {
  const { stored, asked, of } = fixture();
  stored.set(1, ["the"]);
  expect(await of(["the"], [1, 2])).toEqual(["the 1"]);
  stored.set(2, ["the"]);
  expect(await of(["the"], [1, 2])).toEqual(["the 1", "the 2"]);
  expect(asked[1]).toEqual({ segments: [2], words: ["the"] });
});

it("asks again after its memory was given back", async () => {
  const { stored, asked, read, of } = fixture();
  stored.set(1, ["the"]);
  await of(["the"], [1]);
  read.release();
  expect(await of(["the"], [1])).toEqual(["the 1"]);
  expect(asked).toHaveLength(2);
});
