import { expect, it } from "vitest";
import type { FileId, Scope } from "../port.ts";
import { HeldSpace } from "./held-space.ts";
import { State } from "./state.ts";
import type { Opened, VectorTable } from "./store.ts";

const space = { id: 1, model: "m", dimensions: 2 };
const everywhere: Scope = { files: null, levels: null };

/** An index with rows of vectors, and what was read of them. */
function fixture() {
  const rows: { id: number; of: number; level: number; vector: Int8Array }[] = [];
  const reads: (string | null)[] = [];
  const fault = { after: Number.POSITIVE_INFINITY };
  const table = {
    async *parts(_: unknown, where: string | null) {
      reads.push(where);
      const from = Number(where?.replace("of >= ", "") ?? 0);
      let given = 0;
      for (const row of rows) {
        if (row.of < from) continue;
        await Promise.resolve();
        if (given++ >= fault.after) throw new Error("not found");
        yield [row];
      }
    },
  } as unknown as VectorTable;
  const opened = { state: new State(), revision: 0 } as Opened;
  opened.state.apply({ spaces: [space] });
  /** Stores a file and its vectors; null: a chunk without one. */
  const save = (path: string, ...vectors: ([number, number] | null)[]) => {
    const { state } = opened;
    const next = { ...state.next };
    const [id, of, firstChunk] = [next.file++, next.embedded++, next.chunk];
    next.chunk += vectors.length;
    vectors.forEach((vector, i) => {
      if (vector) rows.push({ id: firstChunk + i, of, level: i % 2, vector: Int8Array.from(vector) });
    });
    const entry = { id, path, size: 1, mtimeMs: 1, reason: null, hash: path, language: "x", indexedAt: 1 };
    const embedded = [{ space: space.id, of, missing: 0 }];
    state.apply({
      removed: [path],
      files: [{ ...entry, firstChunk, chunks: vectors.length, embedded }],
      next,
    });
    opened.revision++;
    return { file: id as unknown as FileId, firstChunk };
  };
  const held = new HeldSpace(space, table);
  const near = (scope: Partial<Scope> = {}) =>
    held.ask(opened, (vectors) =>
      vectors.nearest(Int8Array.from([1, 0]), 9, { ...everywhere, ...scope }).map(({ row }) => row),
    );
  return { rows, reads, fault, opened, save, held, near };
}

it("reads all vectors once, and after a save only those that are new", async () => {
  const { reads, save, near, opened } = fixture();
  save("a.ts", [1, 0], [0, 1]);
  save("b.ts", [1, 1]);
  expect([await near(), await near()]).toEqual([
    [1, 3, 2],
    [1, 3, 2],
  ]);
  expect(reads).toEqual([null]);
  save("c.ts", [2, 1], null, [-1, 0]);
  expect(await near()).toEqual([1, 4, 3, 2, 6]);
  opened.state.apply({ removed: ["a.ts"] });
  opened.revision++;
  expect(await near()).toEqual([4, 3, 6]);
  expect(reads).toEqual([null, "of >= 3"]);
});

it("keeps to files and levels", async () => {
  const { save, near } = fixture();
  const a = save("a.ts", [1, 0], [1, 1]);
  save("b.ts", [1, 0], [1, 1]);
  expect(await near({ files: [a.file] })).toEqual([1, 2]);
  expect(await near({ levels: ["class"] })).toEqual([2, 4]);
  expect(await near({ files: [a.file], levels: ["class"] })).toEqual([2]);
  expect(await near({ files: [] })).toEqual([]);
});

it("leaves out rows of a change that is not finished, until it is", async () => {
  const { rows, save, near } = fixture();
  save("a.ts", [1, 0]);
  rows.push({ id: 2, of: 2, level: 0, vector: Int8Array.from([5, 1]) });
  expect(await near()).toEqual([1]);
  rows.pop();
  save("b.ts", [5, 2]);
  expect(await near()).toEqual([1, 2]);
});

it("is never seen half loaded", async () => {
  const { save, near, fault } = fixture();
  for (let i = 0; i < 20; i++) save(`${i}.ts`, [9, i]);
  const all = Array.from({ length: 9 }, (_, i) => i + 1);
  expect(await Promise.all([near(), near(), near()])).toEqual([all, all, all]);
  save("more.ts", [0, 1], [1, 0]);
  fault.after = 1;
  await expect(near()).rejects.toThrow("not found");
  fault.after = Number.POSITIVE_INFINITY;
  expect(await near()).toEqual([1, 22, ...all.slice(1, -1)]);
});
