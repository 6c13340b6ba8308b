import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runtimeLog, writeFakePackages } from "../../../../test/support/fake-packages.ts";
import { EmbedPool, type EmbedPoolOptions } from "./embed-pool.ts";
import { findPackages } from "./packages.ts";

const script = new URL("../../../../dist/minilm-worker.mjs", import.meta.url);
const pools: EmbedPool[] = [];

/** A pool on the fake runtime, whose log is in `modules`. */
function makePool(options: Partial<EmbedPoolOptions> = {}): { pool: EmbedPool; modules: string } {
  const modules = writeFakePackages(mkdtempSync(join(tmpdir(), "pommel-modules-")));
  const found = findPackages([modules]);
  if ("missing" in found) throw new Error("the fake packages are not found");
  const model = join(modules, "model.onnx");
  writeFileSync(model, "a model");
  const { runtime, tokenizer } = found;
  const task = { kind: "embed", model, tokenizer, runtime } as const;
  const pool = new EmbedPool({ script, task, threads: 1, idleMs: 60_000, ...options });
  pools.push(pool);
  return { pool, modules };
}

function count(modules: string, what: string): number {
  return runtimeLog(modules).filter((line) => line.startsWith(what)).length;
}

/** The number of texts is in each of them, and each is long enough to be given to a thread alone. */
function longTexts(many: number): string[] {
  return Array.from({ length: many }, (_, i) => `${i} ${"open file ".repeat(100)}`);
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe("EmbedPool", () => {
  it("lets queries go before passages that wait", async () => {
    const { pool } = makePool();
    const order: string[] = [];
    const passages = pool.embed(longTexts(20), "passage").then(() => order.push("passages"));
    const more = pool.embed(longTexts(20), "passage").then(() => order.push("more"));
    const query = pool.embed(["open"], "query").then(() => order.push("query"));
    await Promise.all([passages, more, query]);
    expect(order).toEqual(["query", "passages", "more"]);
  });

  it("has a query wait for a text under way, not for a thread to start", async () => {
    const { pool, modules } = makePool({ threads: 2 });
    await pool.embed(["open"], "passage");
    const passage = pool.embed(longTexts(1), "passage");
    await pool.embed(["file"], "query");
    await passage;
    expect(count(modules, "load")).toBe(1);
  });

  it("starts no more threads than it may, and no more than it needs", async () => {
    const { pool, modules } = makePool({ threads: 2 });
    await pool.embed(["open"], "passage");
    expect(count(modules, "load")).toBe(1);
    await pool.embed(longTexts(10), "passage");
    expect(count(modules, "load")).toBe(2);
  });

  it("has no vector for a text at which the model throws", async () => {
    const { pool } = makePool();
    const vectors = await pool.embed(["open", "it throws", "file"], "passage");
    expect(vectors.map((vector) => vector?.length)).toEqual([384, undefined, 384]);
  });

  it("tries a text at which its thread died once more", async () => {
    const { pool, modules } = makePool();
    const vectors = await pool.embed(["open", "stumbles", "file"], "passage");
    expect(vectors.map((vector) => vector?.length)).toEqual([384, 384, 384]);
    expect(count(modules, "load")).toBe(2);
  });

  it("has no vector for a text that kills its thread twice, and vectors for those around it", async () => {
    const { pool, modules } = makePool();
    const vectors = await pool.embed(["open", "it dies", "file", "throws", "open"], "passage");
    expect(vectors.map((vector) => vector?.length)).toEqual([384, undefined, 384, undefined, 384]);
    expect(count(modules, "load")).toBe(3);
    expect(vectors[4]).toEqual(vectors[0]);
  });

  it("fails when threads only ever die, and works on with other texts", async () => {
    const { pool } = makePool();
    const passages = pool.embed(["dies", "dies", "dies", "dies", "open"], "passage");
    await expect(passages).rejects.toThrow("a thread of the embedder ended");
    expect(await pool.embed(["open"], "passage")).not.toEqual([null]);
  });

  it("fails for all when no thread can start, and says why", async () => {
    const { pool, modules } = makePool({ threads: 2 });
    writeFileSync(join(modules, "model.onnx"), "something else");
    const both = [pool.embed(longTexts(3), "passage"), pool.embed(["open"], "query")];
    for (const call of both) await expect(call).rejects.toThrow("not a model");
    writeFileSync(join(modules, "model.onnx"), "a model");
    expect(await pool.embed(["open"], "query")).not.toEqual([null]);
  });

  it("says that the runtime cannot be loaded", async () => {
    const { pool, modules } = makePool();
    writeFileSync(join(modules, "onnxruntime-node/fake.cjs"), "throw new Error('no binary')");
    await expect(pool.embed(["open"], "query")).rejects.toThrow(
      "onnxruntime-node cannot be loaded: no binary",
    );
  });

  it("says that a script is missing", async () => {
    const { pool } = makePool({ script: pathToFileURL("/nowhere/worker.mjs") });
    await expect(pool.embed(["open"], "query")).rejects.toThrow("/nowhere/worker.mjs");
  });

  it("forgets the texts of an aborted call, and goes on with the next", async () => {
    const { pool, modules } = makePool();
    const controller = new AbortController();
    const passages = pool.embed(longTexts(500), "passage", controller.signal);
    controller.abort(new Error("enough"));
    await expect(passages).rejects.toThrow("enough");
    await pool.embed(["open"], "passage");
    expect(count(modules, "run")).toBeLessThan(10);
  });

  it("rejects what is under way when it is closed, and starts again afterwards", async () => {
    const { pool, modules } = makePool();
    const passages = pool.embed(longTexts(100), "passage");
    const rejected = expect(passages).rejects.toThrow("closed");
    await pool.close();
    await rejected;
    const [vector] = await pool.embed(["open"], "passage");
    expect(vector).toHaveLength(384);
    expect(count(modules, "run")).toBeLessThan(10);
  });

  it("stops threads that have nothing to do, and starts them again", async () => {
    const { pool, modules } = makePool({ idleMs: 1 });
    await pool.embed(["open"], "passage");
    await vi.waitFor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await pool.embed(["open"], "passage");
      expect(count(modules, "load")).toBeGreaterThan(1);
    });
  });
});
