import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import type { Level } from "../../../base/levels.ts";
import type { HeldWord } from "../../../base/text/tokens.ts";
import type { ChunkId, SearchScope } from "../port.ts";
import type { IndexedChange } from "../records.ts";
import { IndexDatabase } from "./index-database.ts";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-words-"));
  file = join(dir, "index.db");
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const everywhere: SearchScope = { files: null, levels: null };
const weights = { name: 8, path: 4, head: 3, body: 1 };
const open = (name = "index.db") => IndexDatabase.open(join(dir, name), { readonly: false });

type Save = { path: string; texts: string[]; level: Level } | { path: string; texts: null };

const texts = fc.array(
  fc.array(fc.constantFrom("one", "two", "three", "four"), { maxLength: 5 }).map((words) => words.join(" ")),
  { maxLength: 3 },
);
const path = fc.constantFrom("a", "b", "c", "d", "e", "f");
const save: fc.Arbitrary<Save> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ path, texts, level: fc.constantFrom<Level>("method", "class") }) },
  fc.record({ path, texts: fc.constant(null) }),
);

function changeOf(saved: Save): IndexedChange {
  if (saved.texts === null) return { status: "gone", path: saved.path };
  const { path, texts, level } = saved;
  return indexedFile(
    path,
    texts.map((body, i) => chunkRecord(`${path}${i}`, { level, terms: { name: `n${i}`, head: "", body } })),
  );
}

/** All that is asked of words, with ids that mean the same in every index. */
function answers(index: IndexDatabase) {
  const uids = (ids: readonly ChunkId[]) => index.readChunks(ids).map(({ uid }) => uid);
  const scored = (scope: SearchScope) =>
    index.words
      .findBest(["one", "three", "n1", "a"], weights, 100, scope)
      .map(({ id, score }) => `${uids([id])} ${score}`)
      .sort();
  const files = index.listIndexedFiles().flatMap(({ id, path }) => (path < "c" ? [id] : []));
  return {
    scores: scored(everywhere),
    classes: scored({ files: null, levels: ["class"] }),
    someFiles: scored({ files, levels: null }),
    frequencies: index.words.countChunksByToken(["one", "two", "n0", "n2", "absent"]),
    phrases: index.words
      .findPhraseHolders(["one two", "four", "three three"], 100)
      .map((ids) => uids(ids).sort()),
  };
}

function rebuilt(saves: readonly Save[]): IndexDatabase {
  rmSync(join(dir, "anew.db"), { force: true });
  const anew = open("anew.db");
  const last = new Map(saves.map((one) => [one.path, one]));
  anew.write([...last.values()].map(changeOf));
  return anew;
}

describe("words", () => {
  it("are those of a rebuilt index, whoever wrote, and while segments are being merged", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ save, steps: fc.nat(3), byOther: fc.boolean() }), {
          minLength: 20,
          maxLength: 60,
        }),
        (rounds) => {
          for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
          const [index, other] = [open(), open()];
          try {
            rounds.forEach(({ save, steps, byOther }, i) => {
              const writer = byOther ? other : index;
              writer.write([changeOf(save)]);
              for (let step = 0; step < steps; step++) writer.mergeStep();
              if (i % 10 !== 9) return;
              const anew = rebuilt(rounds.slice(0, i + 1).map((round) => round.save));
              expect(answers(index)).toEqual(answers(anew));
              anew.close();
            });
            while (index.mergeStep(true));
            const anew = rebuilt(rounds.map((round) => round.save));
            expect(answers(index)).toEqual(answers(anew));
            anew.close();
          } finally {
            index.close();
            other.close();
          }
        },
      ),
      { numRuns: 6 },
    );
  });

  it("are merged in the order that SQLite has them in", () => {
    // In UTF-16 the second comes before the first.
    const words = ["\uff41", "\u{1d4b3}", "z", "\u{1d4b3}a", "\ud7a3"];
    const index = open();
    for (let i = 0; i < 20; i++) {
      index.write([changeOf({ path: `${i}`, texts: words.slice(i % 4), level: "method" })]);
    }
    const before = index.words.countChunksByToken(words);
    while (index.mergeStep(true));
    expect(index.words.countChunksByToken(words)).toEqual(before);
    const segments = index.prepare("SELECT count(*) FROM word_segments").pluck().get();
    expect(segments).toBeLessThan(6);
    index.close();
  });

  it("are not lost when a step of a merge fails", () => {
    const saves: Save[] = Array.from({ length: 40 }, (_, i) => ({
      path: `${i}`,
      level: "method" as const,
      texts: [Array.from({ length: 300 }, (_, word) => `word${i}x${word}`).join(" "), "one two"],
    }));
    const index = open();
    for (const one of saves) index.write([changeOf(one)]);
    const made = () =>
      index.prepare(
        "SELECT count(*) FROM postings WHERE segment IN (SELECT id FROM word_segments WHERE state = 'made')",
      );
    while (made().pluck().get() === 0) index.mergeStep(true);
    const pages = index.prepare("PRAGMA page_count").pluck().get();
    index.exec(`PRAGMA max_page_count = ${pages}`);
    expect(() => {
      while (index.mergeStep(true));
    }).toThrow(/full/);
    index.exec("PRAGMA max_page_count = 1000000");
    while (index.mergeStep(true));
    const anew = rebuilt(saves);
    expect(answers(index)).toEqual(answers(anew));
    const last = ["word0x0", "word39x299"];
    expect(index.words.countChunksByToken(last)).toEqual(new Map(last.map((word) => [word, 1])));
    anew.close();
    index.close();
  });

  it("are the same after a process ended in the middle of a merge", () => {
    const many = Array.from({ length: 700 }, (_, i) => `word${i}`).join(" ");
    const saves: Save[] = Array.from({ length: 40 }, (_, i) => ({
      path: `${i % 30}`,
      level: "method" as const,
      texts: [`one three ${many}`, `two ${i}`],
    }));
    let index = open();
    for (const one of saves) index.write([changeOf(one)]);
    const segments = (state: string) =>
      index.prepare("SELECT count(*) FROM word_segments WHERE state = ?").pluck().get(state);
    while (segments("made") === 0) expect(index.mergeStep()).toBe(true);
    index.close();
    index = open();
    const anew = rebuilt(saves);
    expect(segments("made")).toBe(1);
    expect(answers(index)).toEqual(answers(anew));
    while (index.mergeStep());
    expect(answers(index)).toEqual(answers(anew));
    expect([segments("made"), segments("merged")]).toEqual([0, 0]);
    expect(
      index
        .prepare("SELECT count(*) FROM postings WHERE segment NOT IN (SELECT id FROM word_segments)")
        .pluck()
        .get(),
    ).toBe(0);
    anew.close();
    index.close();
  });

  it("lie apart from their word where they are long, also those of an earlier index, and go with it", () => {
    const saves: Save[] = Array.from({ length: 40 }, (_, i) => ({
      path: `${i}`,
      level: "method" as const,
      texts: Array.from({ length: 12 }, (_, j) => `one three two ${j % 2 === 0 ? "one two" : "four"}`),
    }));
    const index = open();
    for (const one of saves) index.write([changeOf(one)]);
    const mergeAll = () => {
      while (index.mergeStep(true));
    };
    mergeAll();
    const anew = rebuilt(saves);
    const expected = answers(anew);
    anew.close();
    const count = (sql: string) => index.prepare(`SELECT count(*) FROM ${sql}`).pluck().get();
    const longOnes = "postings WHERE length(list) + length(places) > 800";
    expect(answers(index)).toEqual(expected);
    expect([count("long_postings"), count(longOnes)]).toEqual([6, 0]);
    index.remove(saves.map(({ path }) => path));
    mergeAll();
    expect(answers(index).scores).toEqual([]);
    expect(count("long_postings")).toBe(0);
    index.close();
  });

  it("are written again for a third that is gone at rest only, and for more than half at once", () => {
    const index = open();
    const files = Array.from({ length: 300 }, (_, i) => `${i}`);
    index.write(files.map((path) => changeOf({ path, level: "method", texts: ["one"] })));
    const stored = () =>
      index
        .prepare("SELECT chunks, gone FROM word_segments WHERE state = 'used'")
        .all()
        .map((row) => Object.values(row as object));
    index.remove(files.slice(0, 100));
    while (index.mergeStep());
    expect(stored()).toEqual([[300, 100]]);
    while (index.mergeStep(true));
    expect(stored()).toEqual([[200, 0]]);
    index.remove(files.slice(100, 210));
    while (index.mergeStep());
    expect(stored()).toEqual([[90, 0]]);
    index.close();
  });

  it("stay few through saves that never pause", () => {
    const index = open();
    const count = index.prepare("SELECT count(*) FROM word_segments WHERE state = 'used'").pluck();
    let most = 0;
    for (let round = 0; round < 500; round++) {
      const saved = {
        path: `${round % 40}`,
        texts: ["one two", "three", `${round}`],
        level: "method",
      } as const;
      let steps = index.write([changeOf({ ...saved, texts: [...saved.texts] })]);
      for (; steps > 0 && index.mergeStep(); steps--);
      most = Math.max(most, Number(count.get()));
    }
    expect(most).toBeLessThan(80);
    index.close();
  });

  it("that are undone leave nothing behind", () => {
    const index = open();
    index.write([changeOf({ path: "a", level: "method", texts: ["one"] })]);
    const before = answers(index);
    expect(() =>
      index.runInTransaction(() => {
        for (let i = 0; i < 20; i++)
          index.write([changeOf({ path: `${i}`, level: "method", texts: ["one"] })]);
        throw new Error("undone");
      }),
    ).toThrow("undone");
    expect(answers(index)).toEqual(before);
    while (index.mergeStep());
    expect(answers(index)).toEqual(before);
    index.close();
  });
});

describe("the files that hold words", () => {
  const holding = (index: IndexDatabase, ...words: HeldWord[]) =>
    index.words
      .findFilesHolding(words)
      ?.map(({ path }) => path)
      .sort() ?? null;

  function filled(): IndexDatabase {
    const index = open();
    const saved = (path: string, ...texts: string[]) => changeOf({ path, texts, level: "method" });
    index.write([saved("a", "one two", "three"), saved("b", "one", "four"), saved("c", "one", "twofold")]);
    index.write([saved("d", "one two", "three"), saved("e")]);
    index.write([saved("f", "one onetwothree")]);
    index.remove(["d"]);
    return index;
  }

  it("hold each of them, in whatever chunk", () => {
    const index = filled();
    expect(holding(index, { text: "one", is: "whole" })).toEqual(["a", "b", "c", "f"]);
    expect(holding(index, { text: "three", is: "whole" }, { text: "one", is: "whole" })).toEqual(["a"]);
    expect(holding(index, { text: "absent", is: "whole" }, { text: "one", is: "whole" })).toEqual([]);
    index.close();
  });

  it("hold one that begins so, or has that part", () => {
    const index = filled();
    expect(holding(index, { text: "two", is: "beginning" })).toEqual(["a", "c"]);
    expect(holding(index, { text: "two", is: "part" })).toEqual(["a", "c", "f"]);
    expect(holding(index, { text: "three", is: "part" }, { text: "one", is: "beginning" })).toEqual([
      "a",
      "b",
      "c",
      "f",
    ]);
    expect(holding(index, { text: "o", is: "part" })).toBeNull();
    index.close();
  });

  it("stay the same when segments are merged", () => {
    const index = filled();
    const words: HeldWord[] = [{ text: "two", is: "part" }];
    const before = holding(index, ...words);
    while (index.mergeStep(true));
    expect(holding(index, ...words)).toEqual(before);
    index.close();
  });
});
