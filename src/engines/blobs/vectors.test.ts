import { expect, it } from "vitest";
import { MemoryEngine } from "../../../test/support/memory-blobs.ts";
import { type SearchScope, toFileId } from "../../store/index/port.ts";
import { IndexState } from "./state.ts";
import type { OpenedIndex } from "./store.ts";
import { buildVectors, HeldModel } from "./vectors.ts";

const everywhere: SearchScope = { files: null, levels: null };

/** An index with vectors, of which every other chunk is a class. */
async function fixture() {
  const engine = new MemoryEngine();
  const blobs = (await engine.open("index.db", "write"))!;
  const opened: OpenedIndex = { blobs, state: new IndexState(), revision: 0, version: 0, wholeAt: -1 };
  /** Stores a file and its vectors; null: a chunk without one. @param isNamed whether the state names it, too */
  const save = async (path: string, vectors: ([number, number] | null)[], isNamed = true) => {
    const { state } = opened;
    const next = { ...state.next };
    const [id, firstChunk] = [next.file++, next.chunk];
    next.chunk += vectors.length;
    const common = { id, path, size: 1, mtimeMs: 1, reason: null, hash: path, language: "x", indexedAt: 1 };
    const entry = { ...common, firstChunk, hasSyntaxErrors: false, chunks: vectors.length, embedded: [] };
    const levels = vectors.map((_, i) => (i % 2 === 0 ? "method" : "class"));
    const given = vectors.map((vector) => vector && Int8Array.from(vector));
    await blobs.add([buildVectors(next, entry, levels, { model: "m", dimensions: 2, vectors: given })]);
    if (isNamed) state.apply({ removed: [path], files: [entry], next });
    opened.revision++;
    return toFileId(id);
  };
  const held = new HeldModel("m", 2);
  const near = (scope: Partial<SearchScope> = {}) =>
    held.ask(opened, (vectors) =>
      vectors.findNearest(Int8Array.from([1, 0]), 9, { ...everywhere, ...scope }).map(({ row }) => row),
    );
  return { engine, opened, save, near };
}

it("reads all vectors once, and after a save only those that are new", async () => {
  const { engine, save, near, opened } = await fixture();
  await save("a.ts", [
    [1, 0],
    [0, 1],
  ]);
  await save("b.ts", [[1, 1]]);
  expect([await near(), await near()]).toEqual([
    [1, 3, 2],
    [1, 3, 2],
  ]);
  expect(engine.reads).toEqual(["vectors 0"]);
  await save("c.ts", [[2, 1], null, [-1, 0]]);
  expect(await near()).toEqual([1, 4, 3, 2, 6]);
  opened.state.apply({ removed: ["a.ts"] });
  opened.revision++;
  expect(await near()).toEqual([4, 3, 6]);
  expect(engine.reads).toEqual(["vectors 0", "vectors 3"]);
});

it("keeps to files and levels", async () => {
  const { save, near } = await fixture();
  const a = await save("a.ts", [
    [1, 0],
    [1, 1],
  ]);
  await save("b.ts", [
    [1, 0],
    [1, 1],
  ]);
  expect(await near({ files: [a] })).toEqual([1, 2]);
  expect(await near({ levels: ["class"] })).toEqual([2, 4]);
  expect(await near({ files: [a], levels: ["class"] })).toEqual([2]);
  expect(await near({ files: [] })).toEqual([]);
});

it("leaves out vectors that nothing names", async () => {
  const { save, near } = await fixture();
  await save("a.ts", [[1, 0]]);
  await save("b.ts", [[5, 1]], false);
  expect(await near()).toEqual([1]);
});

it("is never seen half loaded", async () => {
  const { engine, save, near } = await fixture();
  for (let i = 0; i < 20; i++) await save(`${i}.ts`, [[9, i]]);
  const all = Array.from({ length: 9 }, (_, i) => i + 1);
  expect(await Promise.all([near(), near(), near()])).toEqual([all, all, all]);
  await save("more.ts", [
    [0, 1],
    [1, 0],
  ]);
  await save("last.ts", [[1, 9]]);
  engine.failsAfter = 1;
  await expect(near()).rejects.toThrow("the power is gone");
  engine.failsAfter = Number.POSITIVE_INFINITY;
  expect(await near()).toEqual([1, 22, ...all.slice(1, -1)]);
});
