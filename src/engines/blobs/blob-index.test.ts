import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { seeded } from "../../../models/train/random.ts";
import { expectWordsOfSqlite } from "../../../test/support/index-contract.ts";
import { MemoryEngine } from "../../../test/support/memory-blobs.ts";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import { type Level, levels } from "../../base/levels.ts";
import { silentLog } from "../../base/log.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { sqliteDriver } from "../../store/index/sqlite/sqlite-driver.ts";
import { BlobIndex } from "./blob-index.ts";
import { createEngineDriver } from "./engine-driver.ts";
import { IndexStore } from "./store.ts";

let engine: MemoryEngine;
let dir: string;
const place = "index.db";
const opened: CodeIndex[] = [];

beforeEach(() => {
  engine = new MemoryEngine();
  dir = mkdtempSync(join(tmpdir(), "pommel-blobs-"));
});

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(mode: "read" | "write" = "write"): BlobIndex {
  const index = new BlobIndex(new IndexStore(engine, place, mode));
  opened.push(index);
  return index;
}

/** How many blobs there are of a kind. */
const count = (kind: string) =>
  [...engine.indexes.get(place)!.values()].filter((one) => one.kind === kind).length;

const weights = { name: 8, path: 4, head: 2, body: 1 };
const everywhere = { files: null, levels: null };
const file = (path: string, ...bodies: string[]) =>
  indexedFile(
    path,
    bodies.map((body, i) => chunkRecord(`${path} ${i}`, { terms: { name: "", head: "", body } })),
  );
const vectors = (...all: number[][]) => ({
  model: "m",
  dimensions: all[0]!.length,
  vectors: all.map((one) => Int8Array.from(one)),
});

it("finds by words what SQLite finds, with the same scores, through merges and removals", async () => {
  await expectWordsOfSqlite(open(), dir);
});

it("finds by meaning what SQLite finds, with the same scores, whatever changes", async () => {
  const theirs = (await sqliteDriver.openToWrite(join(dir, "sqlite.db"), silentLog)).index;
  const ours = open();
  const random = seeded(7);
  const below = (limit: number) => Math.floor(random() * limit);
  const vector = () => Int8Array.from({ length: 20 }, () => below(255) - 127);
  const ofModel = (chunks: number) => ({
    model: "m",
    dimensions: 20,
    vectors: Array.from({ length: chunks }, () => (below(10) === 0 ? null : vector())),
  });
  const answer = async (index: CodeIndex, query: Int8Array, paths: string[] | null, level: Level | null) => {
    const all = await index.files();
    const files = paths && all.filter(({ path }) => paths.includes(path)).map(({ id }) => id);
    const scope = { files, levels: level && [level] };
    const found = await index.findNearest({ model: "m", vector: query }, 30, scope);
    const chunks = await index.readChunksOfFiles(all.map(({ id }) => id));
    const similar = await index.measureSimilarities(
      { model: "m", vector: query },
      chunks.map(({ id }) => id),
    );
    const uids = (await index.readChunks(found.map(({ id }) => id))).map(({ uid }) => uid);
    return {
      nearest: found.map(({ score }, i) => [uids[i], score]),
      similar: chunks.map(({ uid }, i) => `${uid} ${similar[i]}`).sort(),
    };
  };
  for (let round = 0; round < 30; round++) {
    const path = `${below(12)}.ts`;
    const chunks = Array.from({ length: 1 + below(150) }, (_, i) =>
      chunkRecord(`${path} ${i}`, { level: levels[below(3)]! }),
    );
    const written = indexedFile(path, chunks);
    const [first, second] = [ofModel(chunks.length), ofModel(chunks.length)];
    const removed = `${below(12)}.ts`;
    for (const index of [ours, theirs]) {
      await index.replace(written, first);
      if (round % 4 === 0) await index.addVectors(written, second);
      if (round % 3 === 0) await index.remove([removed]);
      if (round % 7 === 6) await index.settle();
    }
    if (round % 11 === 10) await ours.release();
    for (const [paths, level] of [
      [null, null] as const,
      [["1.ts", "2.ts"], null] as const,
      [null, "class"] as const,
    ]) {
      const query = vector();
      const asked = [query, paths && [...paths], level] as const;
      expect(await answer(ours, ...asked)).toEqual(await answer(theirs, ...asked));
    }
  }
  await theirs.close();
});

it("is the same when it is opened anew, settled or not", async () => {
  const index = open();
  for (let i = 0; i < 20; i++) {
    await index.replace(file(`${i % 15}.ts`, `shared word${i}`, "shared"), vectors([i, 1], [1, i]));
  }
  await index.remove(["3.ts", "4.ts"]);
  await index.commits.add([{ hash: "aa", author: "A", authoredAt: 1, subject: "s", body: "", files: [] }]);
  const state = async (one: CodeIndex) => ({
    found: (await one.lexical(["shared", "word7"], weights, 50, everywhere)).map(({ score }) => score),
    near: (await one.findNearest({ model: "m", vector: Int8Array.from([5, 2]) }, 50, everywhere)).map(
      ({ score }) => score,
    ),
    known: [...(await one.readKnownFiles()).keys()].sort(),
    chunks: (await one.readIndexCounts()).languages,
    vectors: await one.readVectorCounts(),
    commits: await one.commits.listHashes(),
  });
  const before = await state(index);
  expect([before.found.length, before.near.length]).toEqual([26, 26]);
  await index.close();
  const again = open();
  expect(await state(again)).toEqual(before);
  await again.settle();
  expect(await state(again)).toEqual(before);
  await again.close();
  expect(await state(open())).toEqual(before);
});

it("is another one for each that opens it to write, as far as revisions tell", async () => {
  const index = open();
  const before = await index.revision();
  await index.close();
  expect(await open().revision()).not.toBe(before);
});

it("keeps what it answers through a journal of thousands of changes, in a reader as well", async () => {
  const [index, reader] = [open(), open("read")];
  await index.setMeta("key", "0");
  expect(await reader.meta("key")).toBe("0");
  for (let i = 1; i <= 1200; i++) await index.setMeta("key", `${i}`);
  expect([count("whole"), count("journal") < 500]).toEqual([1, true]);
  expect(await reader.meta("key")).toBe("1200");
  expect(await open("read").meta("key")).toBe("1200");
});

it("has few segments of words through saves that never pause", async () => {
  const index = open();
  for (let i = 0; i < 90; i++) await index.write([file(`${i % 10}.ts`, `word${i}`)]);
  await index.settle();
  expect(count("segment")).toBeLessThan(20);
});

it("never shows what a change left that was not finished, and removes it", async () => {
  const index = open();
  await index.replace(file("a.ts", "shared"), vectors([1, 0]));
  await index.close();
  const store = new IndexStore(engine, place, "write");
  const half = store.write(async ({ blobs }, next) => {
    await blobs.add([{ kind: "file", number: next.file++, bytes: Uint8Array.of(0) }]);
    await blobs.add([{ kind: "words", number: next.words++, bytes: Uint8Array.of(0) }]);
    throw new Error("the power is gone");
  });
  await expect(half).rejects.toThrow("the power is gone");
  expect(count("file")).toBe(2);
  const again = open();
  expect((await again.readIndexCounts()).chunks).toBe(1);
  expect(count("file")).toBe(1);
  await again.replace(file("b.ts", "shared"));
  expect(await again.lexical(["shared"], weights, 9, everywhere)).toHaveLength(2);
  expect(await again.readChunksOfFiles((await again.files()).map(({ id }) => id))).toHaveLength(2);
  await store.close();
});

it("goes on after a change that failed, as if it had not been tried", async () => {
  const index = open();
  await index.replace(file("a.ts", "shared"));
  engine.failsAfter = 0;
  await expect(index.replace(file("b.ts", "shared"))).rejects.toThrow("the power is gone");
  engine.failsAfter = Number.POSITIVE_INFINITY;
  expect([...(await index.readKnownFiles()).keys()]).toEqual(["a.ts"]);
  await index.replace(file("b.ts", "shared"));
  expect(await index.lexical(["shared"], weights, 9, everywhere)).toHaveLength(2);
});

it("is read beside a writer that goes on, merges and sweeps", async () => {
  const writer = open();
  await writer.replace(file("a.ts", "shared"), vectors([1, 0]));
  await createEngineDriver(engine).read(place, async (reader) => {
    const query = { model: "m", vector: Int8Array.from([1, 1]) };
    expect(await reader.lexical(["shared"], weights, 999, everywhere)).toHaveLength(1);
    for (let i = 0; i < 20; i++) {
      await writer.replace(file(`${i % 12}.ts`, "shared words", `own${i}`), vectors([i, 1], [1, i]));
      if (i % 7 === 0) await writer.settle();
      const files = Math.min(i + 1, 12);
      const found = await reader.lexical(["shared"], weights, 999, everywhere);
      expect(found).toHaveLength(files + 1);
      expect(await reader.readOutlines(found.map(({ id }) => id))).toHaveLength(files + 1);
      expect(await reader.findNearest(query, 99, everywhere)).toHaveLength(1 + 2 * files);
      const phrases = await reader.findPhrases(["shared words", `own${i - 12}`], 99);
      expect(phrases.map((ids) => ids.length)).toEqual([files, 0]);
    }
  });
});

it("knows which chunks are there beside a segment that lost all of its own", async () => {
  const index = open();
  await index.replace(file("a.ts", "first"));
  await index.replace(file("b.ts", ...Array.from({ length: 100 }, (_, i) => `many${i}`)));
  await index.replace(file("c.ts", "last"));
  await index.remove(["b.ts"]);
  await index.settle();
  const found = await index.lexical(["first", "last"], weights, 9, everywhere);
  const outlines = await index.readOutlines(found.map(({ id }) => id));
  expect(outlines.map(({ path }) => path).sort()).toEqual(["a.ts", "c.ts"]);
});

it("settles to blobs that something names", async () => {
  const index = open();
  const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 6; i++)
      await index.replace(file(`${i}.ts`, words, "shared"), vectors([1, 0], [0, 1]));
  }
  await index.settle();
  expect(["file", "vectors", "journal", "whole"].map(count)).toEqual([6, 6, 1, 1]);
});

it("holds texts that are no proper Unicode", async () => {
  const index = open();
  await index.replace(file("a.ts", "nul\0nul \uD800half 'quote' \\u0000"));
  const [found] = await index.lexical(["'quote'"], weights, 1, everywhere);
  expect((await index.readChunks([found!.id]))[0]?.path).toBe("a.ts");
});
