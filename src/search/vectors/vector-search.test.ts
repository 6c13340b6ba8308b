import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { PommelError } from "../../project/errors.ts";
import { CodeIndex } from "../../store/index/code-index.ts";
import { storeVectors } from "../../store/index/code-vectors.ts";
import { VectorSearch } from "./vector-search.ts";

let dir: string;
let index: CodeIndex;

const file = indexedFile("a.ts", [chunkRecord("right"), chunkRecord("up")]);
const vectorsOf = (model: string) => ({
  model,
  dimensions: 2,
  vectors: [Int8Array.from([1, 0]), Int8Array.from([0, 1])],
});

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-search-"));
  index = CodeIndex.open(join(dir, "index.db"), { readonly: false });
  index.replace(file, vectorsOf("first"));
});

afterEach(() => {
  vi.useRealTimers();
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

const right = Int8Array.from([1, 0]);
const up = Int8Array.from([0, 1]);
const everywhere = { fileIds: null, levels: null };

/** Understands every query as `vector`. */
function model(id: string, vector: Int8Array | null, more: Partial<Embedder> = {}): Embedder {
  return {
    id,
    dimensions: 2,
    prepare: async () => {},
    close: async () => {},
    embed: vi.fn(async () => [vector]),
    ...more,
  };
}

const unavailable = new PommelError("embedder_unavailable", "No server.", "Start one.");
const failing = () =>
  vi.fn(async () => {
    throw unavailable;
  });

describe("evidence", () => {
  it("comes from each model's own vectors", async () => {
    storeVectors(index, file, vectorsOf("second"));
    const search = new VectorSearch({ index, first: model("first", right), second: model("second", up) });
    const query = await search.embed("which way");
    const { first, second } = search.evidence(query, everywhere, 1);
    expect([...first!.nearest.values()]).toEqual([1]);
    expect([...first!.similarities([...second!.nearest.keys()])]).toEqual([0]);
    expect(search.modelsOf(query)).toEqual(["first", "second"]);
    expect(query.notes).toEqual([]);
  });

  it("never comes from a model that was used before", async () => {
    storeVectors(index, file, vectorsOf("second"));
    const search = new VectorSearch({ index, first: model("first", right), second: model("third", up) });
    const { second } = search.evidence(await search.embed("which way"), everywhere, 9);
    expect(second).toBeNull();
  });

  it("is none of a model that has no vector for the query", async () => {
    const search = new VectorSearch({ index, first: model("first", null) });
    const query = await search.embed("?");
    expect(search.evidence(query, everywhere, 9)).toEqual({ first: null, second: null });
    expect(search.modelsOf(query)).toEqual([]);
  });
});

describe("a second model", () => {
  it("is not asked while it has no vectors to compare with", async () => {
    const second = model("second", up);
    const search = new VectorSearch({ index, first: model("first", right), second });
    await search.embed("which way");
    expect(second.embed).not.toHaveBeenCalled();
    storeVectors(index, file, vectorsOf("second"));
    await search.embed("which way");
    expect(second.embed).toHaveBeenCalledOnce();
  });

  it("is asked once for the same query", async () => {
    storeVectors(index, file, vectorsOf("second"));
    const second = model("second", up);
    const search = new VectorSearch({ index, first: model("first", right), second });
    for (let i = 0; i < 3; i++) expect((await search.embed("which way")).second).toBe(up);
    await search.embed("another way");
    expect(second.embed).toHaveBeenCalledTimes(2);
  });

  it("that is late is left out, and not asked again before it has answered", async () => {
    storeVectors(index, file, vectorsOf("second"));
    let answer = (_: (Int8Array | null)[]) => {};
    const embed = vi.fn(() => new Promise<(Int8Array | null)[]>((resolve) => (answer = resolve)));
    const second = model("second", up, { embed });
    const search = new VectorSearch({ index, first: model("first", right), second, deadlineMs: 5 });
    for (let i = 0; i < 3; i++) {
      const query = await search.embed(`which way ${i}`);
      expect(query.second).toBeNull();
      expect(query.notes).toEqual(["second did not answer within 5 ms; searched without vectors."]);
    }
    expect(embed).toHaveBeenCalledOnce();
    answer([up]);
    await vi.waitUntil(() => search.problemWith("second") === null);
    embed.mockImplementation(async () => [up]);
    expect(await search.embed("which way")).toMatchObject({ second: up, notes: [] });
  });

  it("that fails is left alone for a while, longer each time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    storeVectors(index, file, vectorsOf("second"));
    const embed = failing();
    const second = model("second", up, { embed });
    const search = new VectorSearch({ index, first: model("first", right), second });
    const asked = async (waitMs: number) => {
      vi.setSystemTime(Date.now() + waitMs);
      const { notes } = await search.embed("which way");
      expect(notes).toEqual(["No server. Start one."]);
      return embed.mock.calls.length;
    };
    expect(await asked(0)).toBe(1);
    expect(await asked(900)).toBe(1);
    expect(await asked(200)).toBe(2);
    expect(await asked(1900)).toBe(2);
    expect(await asked(200)).toBe(3);
    for (let i = 0; i < 10; i++) await asked(61_000);
    expect(await asked(61_000)).toBe(14);
    expect(search.problemWith("second")).toBe("No server. Start one.");
    expect(search.problemWith("first")).toBeNull();
  });
});

it("gives memory back, and loads again what a search needs", async () => {
  const close = vi.fn(async () => {});
  const search = new VectorSearch({ index, first: model("first", right, { close }) });
  const nearest = async () => [...search.evidence(await search.embed("x"), everywhere, 1).first!.nearest];
  const before = await nearest();
  await search.release();
  expect(close).toHaveBeenCalledOnce();
  expect(await nearest()).toEqual(before);
});

it("goes on without the first model when that cannot be used, and says why", async () => {
  const first = model("first", null, { embed: failing() });
  const search = new VectorSearch({ index, first });
  const query = await search.embed("which way");
  expect(query).toEqual({ first: null, second: null, notes: ["No server. Start one."] });
  expect(search.evidence(query, everywhere, 9).first).toBeNull();
});
