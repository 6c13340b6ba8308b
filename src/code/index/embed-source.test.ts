import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import { PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { IndexCache } from "../../store/index/index-cache.ts";
import type { IndexedFile } from "../../store/index/records.ts";
import { IndexDatabase } from "../../store/index/sqlite/index-database.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { countVectorsByModel, readVectorRowsAfter } from "../../store/index/sqlite/vector-rows.ts";
import { createFileEmbedSource } from "./embed-source.ts";

let dir: string;
let index: IndexDatabase;
let cache: IndexCache;
/** Files on disk, as parsed. */
const files = new Map<string, IndexedFile>();
const passes: EmbedPass[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-pass-"));
  index = IndexDatabase.open(join(dir, "index.db"), { readonly: false });
  cache = new IndexCache({ file: join(dir, "cache.db") });
  files.clear();
});

afterEach(async () => {
  for (const pass of passes.splice(0)) await pass.close();
  index.close();
  cache.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Indexes a file whose chunks have these texts. */
function write(path: string, ...texts: string[]): void {
  const chunks = texts.map((text, i) => chunkRecord(`${path} ${i}`, { text }));
  files.set(path, indexedFile(path, chunks));
  index.replace(files.get(path)!);
}

const embedded: string[] = [];

/** Each text's vector is its length and 1. */
function fake(more: Partial<Embedder> = {}): Embedder {
  embedded.length = 0;
  return {
    id: "m",
    dimensions: 2,
    prepare: async () => {},
    close: async () => {},
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map((text) => Int8Array.from([text.length, 1]));
    },
    ...more,
  };
}

function passWith(...models: Embedder[]): EmbedPass {
  const read = async (path: string) => files.get(path) ?? null;
  const source = createFileEmbedSource(new SqliteIndex(index), read, cache);
  const pass = new EmbedPass({ source, models, log: silentLog, retryMs: 1 });
  passes.push(pass);
  return pass;
}

const unavailable = new PommelError("embedder_unavailable", "The server does not answer.", "Start it.");
const lengths = (model: string) =>
  [...readVectorRowsAfter(index, model, 0)]
    .flatMap(({ data }) => [...data].filter((_, i) => i % 2 === 0))
    .sort();

it("gives every file the vectors it lacks, once", async () => {
  write("a.ts", "a", "ab");
  write("b.ts", "abc");
  const pass = passWith(fake());
  await pass.run();
  expect(lengths("m")).toEqual([1, 2, 3]);
  expect(pass.findProgress("m")).toMatchObject({ state: "resting", problem: null });
  embedded.length = 0;
  await pass.run();
  expect(embedded).toEqual([]);
});

describe("a file that changed", () => {
  it("is embedded only where its text is new", async () => {
    write("a.ts", "a", "ab", "abc");
    await passWith(fake()).run();
    write("a.ts", "abc", "a", "abcd");
    const pass = passWith(fake());
    await pass.run();
    expect(embedded).toEqual(["abcd"]);
    expect(lengths("m")).toEqual([1, 3, 4]);
    expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 2, chunks: 3, missing: 0 }]);
    // Back on the branch from before.
    write("a.ts", "a", "ab", "abc");
    embedded.length = 0;
    await pass.run();
    expect(embedded).toEqual([]);
    expect(lengths("m")).toEqual([1, 2, 3]);
  });

  it("is embedded again by another model, by one with other vectors, and where there was none", async () => {
    write("a.ts", "a", "none");
    const embed: Embedder["embed"] = async (texts) => {
      embedded.push(...texts);
      return texts.map((text) => (text === "none" ? null : Int8Array.from([text.length, 1])));
    };
    await passWith(fake({ embed })).run();
    write("a.ts", "a", "none", "b");
    await passWith(fake({ embed })).run();
    expect(embedded).toEqual(["none", "b"]);
    write("a.ts", "a", "b");
    await passWith(fake({ id: "other" })).run();
    expect(embedded).toEqual(["a", "b"]);
    write("a.ts", "a");
    const longer: Embedder["embed"] = async (texts) => texts.map(() => Int8Array.from([1, 2, 3]));
    await passWith(fake({ id: "other", dimensions: 3, embed: longer })).run();
    expect(countVectorsByModel(index)).toEqual([{ model: "other", dimensions: 3, chunks: 1, missing: 0 }]);
  });
});

it("hands over a bounded number of texts at a time", async () => {
  const sizes: number[] = [];
  write("big.ts", ...Array.from({ length: 200 }, (_, i) => `text ${i}`));
  const { embed } = fake();
  await passWith(
    fake({
      embed: (texts, kind) => {
        sizes.push(texts.length);
        return embed(texts, kind);
      },
    }),
  ).run();
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64);
  expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 2, chunks: 200, missing: 0 }]);
});

it("embeds a file saved meanwhile before the others", async () => {
  for (let i = 0; i < 5; i++) write(`${i}.ts`, ...Array(64).fill(`file ${i}`));
  const order: string[] = [];
  const { embed } = fake();
  const pass = passWith(
    fake({
      embed: async (texts, kind) => {
        if (order.length === 1) {
          write("saved.ts", ...Array(64).fill("saved"));
          void pass.run();
        }
        order.push(texts[0]!);
        return embed(texts, kind);
      },
    }),
  );
  await pass.run();
  expect(order).toEqual(["file 4", "file 3", "saved", "file 2", "file 1", "file 0"]);
});

describe("a text that has no vector", () => {
  it("is counted, whether the model reports it or fails on it alone", async () => {
    write("a.ts", "fine", "empty", "fatal", "also fine");
    const pass = passWith(
      fake({
        embed: async (texts) => {
          if (texts.includes("fatal")) throw new TypeError("cannot read this");
          return texts.map((text) => (text === "empty" ? null : Int8Array.from([text.length, 1])));
        },
      }),
    );
    await pass.run();
    expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 2, chunks: 4, missing: 2 }]);
    expect(lengths("m")).toEqual([0, 0, 4, 9]);
  });

  it("is not the reason when a model fails on all of many", async () => {
    write("a.ts", ...Array.from({ length: 20 }, (_, i) => `text ${i}`));
    const pass = passWith(
      fake({
        embed: async () => {
          throw new TypeError("a bug");
        },
      }),
    );
    void pass.run();
    await vi.waitUntil(() => pass.findProgress("m")?.state === "unavailable", 60_000);
    expect(pass.findProgress("m")?.problem).toContain("failed on each of 20 texts: a bug");
    expect(countVectorsByModel(index)).toEqual([]);
  });
});

describe("a model that is unavailable", () => {
  it("is retried, and reported meanwhile", async () => {
    write("a.ts", "a");
    let isUp = false;
    const { embed } = fake();
    const pass = passWith(
      fake({
        embed: async (texts, kind) => {
          if (!isUp) throw unavailable;
          return embed(texts, kind);
        },
      }),
    );
    const done = pass.run();
    await vi.waitUntil(() => pass.findProgress("m")?.state === "unavailable", 60_000);
    expect(pass.findProgress("m")?.problem).toBe("The server does not answer. Start it.");
    expect(pass.isBusy()).toBe(false);
    isUp = true;
    await done;
    expect(pass.findProgress("m")).toMatchObject({ state: "resting", problem: null });
    expect(lengths("m")).toEqual([1]);
  });

  it("does not keep another from its work", async () => {
    write("a.ts", "a");
    const down = fake({
      id: "down",
      embed: async () => {
        throw unavailable;
      },
    });
    const pass = passWith(down, fake());
    void pass.run();
    await vi.waitUntil(() => lengths("m").length === 1, 60_000);
    expect(pass.findProgress("down")?.state).not.toBe("resting");
  });

  it.each([
    ["vectors of another length", async (texts: readonly string[]) => texts.map(() => new Int8Array(3))],
    ["too few vectors", async () => []],
  ])("is one that gives %s: nothing of it is stored", async (_, embed) => {
    write("a.ts", "a");
    const pass = passWith(fake({ embed }));
    void pass.run();
    await vi.waitUntil(() => pass.findProgress("m")?.state === "unavailable", 60_000);
    expect(countVectorsByModel(index)).toEqual([]);
  });

  it("is prepared first to get the length of its vectors, if only it knows", async () => {
    write("a.ts", "a");
    let dimensions = 0;
    const model = fake({
      prepare: async () => {
        dimensions = 2;
      },
    });
    Object.defineProperty(model, "dimensions", { get: () => dimensions });
    await passWith(model).run();
    expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 2, chunks: 1, missing: 0 }]);
  });
});

it("resumes in the middle of a batch", async () => {
  for (let i = 0; i < 6; i++) write(`${i}.ts`, ...Array(64).fill(`file ${i}`));
  const { embed } = fake();
  let batches = 0;
  const stopped = passWith(
    fake({
      embed: (texts, kind, signal) => {
        if (++batches <= 2) return embed(texts, kind);
        return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
      },
    }),
  );
  void stopped.run();
  await vi.waitUntil(() => batches === 3, 60_000);
  await stopped.close();
  expect(countVectorsByModel(index)).toMatchObject([{ chunks: 128 }]);
  await passWith(fake()).run();
  expect(new Set(embedded)).toEqual(new Set(["file 0", "file 1", "file 2", "file 3"]));
  expect(countVectorsByModel(index)).toMatchObject([{ chunks: 384 }]);
});

it("skips a file that changed or disappeared since it was indexed", async () => {
  write("changed.ts", "a");
  write("gone.ts", "a");
  files.set("changed.ts", { ...files.get("changed.ts")!, hash: "newer" });
  files.delete("gone.ts");
  await passWith(fake()).run();
  expect(countVectorsByModel(index)).toEqual([]);
});

describe("another model", () => {
  it("replaces the previous model's vectors, but not until it has its own", async () => {
    write("a.ts", "a");
    await passWith(fake({ id: "static" }), fake({ id: "old" })).run();
    const models = () => countVectorsByModel(index).map(({ model }) => model);
    let isUp = false;
    const { embed } = fake();
    const slow = fake({
      id: "new",
      embed: async (texts, kind) => {
        if (!isUp) throw unavailable;
        return embed(texts, kind);
      },
    });
    const done = passWith(fake({ id: "static" }), slow).run();
    await vi.waitUntil(() => passes.at(-1)?.findProgress("new")?.state === "unavailable", 60_000);
    expect(models()).toEqual(["old", "static"]);
    isUp = true;
    await done;
    expect(models()).toEqual(["new", "static"]);
  });

  it("replaces a model of the same name with vectors of another length", async () => {
    write("a.ts", "a");
    await passWith(fake()).run();
    const embed: Embedder["embed"] = async (texts) => texts.map(() => Int8Array.from([1, 2, 3]));
    await passWith(fake({ dimensions: 3, embed })).run();
    expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 3, chunks: 1, missing: 0 }]);
  });

  it("may be none", async () => {
    write("a.ts", "a");
    await passWith(fake()).run();
    await passWith().run();
    expect(countVectorsByModel(index)).toEqual([]);
  });
});

it("fails when the index does, and only then", async () => {
  write("a.ts", "a");
  const pass = passWith(fake());
  index.exec("DROP TABLE vectors");
  await expect(pass.run()).rejects.toThrow("no such table");
});
