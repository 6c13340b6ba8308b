import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { makeNewProject } from "../../base/paths.ts";
import { IndexCache } from "../../store/index/index-cache.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { createIgnoreRules } from "../files/ignore.ts";
import { Indexer } from "./indexer.ts";

type CacheEntry = Parameters<IndexCache["add"]>[0][number];

/** Files that were parsed before are taken from the cache: what is parsed is added to it. */
class Watched extends IndexCache {
  parsed = 0;
  override add(entries: readonly CacheEntry[]): void {
    this.parsed += entries.length;
    super.add(entries);
  }
}

interface Checkout {
  root: string;
  index: CodeIndex;
  indexer: Indexer;
  cache: Watched;
}

let dir: string;
const checkouts: Checkout[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-parsed-"));
});

afterEach(async () => {
  for (const { indexer, index } of checkouts.splice(0)) {
    await indexer.close();
    await index.close();
  }
  rmSync(dir, { recursive: true, force: true });
});

function checkout(name: string, config: Partial<Config> = {}, withVectors = true): Checkout {
  const root = join(dir, name);
  mkdirSync(root, { recursive: true });
  const complete = { ...makeDefaultConfig(), ...config };
  const cache = new Watched({ file: join(dir, "cache.db") });
  const index = SqliteIndex.open(join(dir, `${name}-${checkouts.length}.db`), { readonly: false });
  const indexer = new Indexer({
    project: makeNewProject(root),
    config: complete,
    rules: createIgnoreRules(root, complete),
    index,
    cache,
    withVectors,
    log: silentLog,
  });
  const made = { root, index, indexer, cache };
  checkouts.push(made);
  return made;
}

const files = {
  "a.ts": "/** Adds. */\nexport function add(a: number) {\n  return a + other(1);\n}\n",
  "b.py": "class Second:\n    def method(self):\n        return 'text'\n",
  "readme.md": "# Title\n\nWords.\n",
  "c.h": "int third(void);\n",
};

let saved = 1_700_000_000;

function write({ root }: Checkout, texts: Record<string, string> = files): void {
  for (const [path, text] of Object.entries(texts)) {
    writeFileSync(join(root, path), text);
    // Each save at another time.
    utimesSync(join(root, path), ++saved, saved);
  }
}

/** Everything that can be found. */
async function contentOf({ index }: Checkout) {
  const entries = (await index.files()).sort((a, b) => (a.path < b.path ? -1 : 1));
  const all = [];
  for (const { id, path, language } of entries) {
    const chunks = (await index.readChunksOfFiles([id])).sort((a, b) => (a.uid < b.uid ? -1 : 1));
    const query = { model: "static-1", vector: new Int8Array(256).fill(1) };
    const cosines = await index.measureSimilarities(
      query,
      chunks.map((chunk) => chunk.id),
    );
    const graph = (await index.readGraphs([id])).get(id);
    const stored = chunks.map(({ id: _, file: __, mtimeMs: ___, ...rest }) => rest);
    all.push({ path, language, stored, cosines: [...cosines], graph: graph && [...graph] });
  }
  const weights = { name: 1, path: 1, head: 1, body: 1 };
  const scope = { files: null, levels: null };
  const matches = await index.lexical(["add", "text", "word", "other"], weights, 99, scope);
  return { all, scores: matches.map(({ score }) => score) };
}

it("another checkout parses nothing, and has the same index", async () => {
  const first = checkout("first");
  write(first);
  await first.indexer.reconcile();
  expect(first.cache.parsed).toBe(4);
  const second = checkout("second");
  write(second);
  expect(await second.indexer.reconcile()).toMatchObject({ indexed: 4 });
  expect(second.cache.parsed).toBe(0);
  const content = await contentOf(first);
  expect(content.all.flatMap(({ stored }) => stored).length).toBeGreaterThan(5);
  expect(await contentOf(second)).toEqual(content);
});

it("a branch that is switched to and back is not parsed again, though sizes stay the same", async () => {
  const here = checkout("here");
  write(here);
  await here.indexer.reconcile();
  const content = await contentOf(here);
  const other = { "a.ts": files["a.ts"].replace("1", "2"), "b.py": "x = 1\n" };
  write(here, other);
  await here.indexer.reconcile();
  expect(here.cache.parsed).toBe(6);
  write(here);
  await here.indexer.update(["a.ts", "b.py"]);
  write(here, other);
  await here.indexer.reconcile();
  write(here);
  await here.indexer.reconcile();
  expect(here.cache.parsed).toBe(6);
  expect((await contentOf(here)).all).toEqual(content.all);
});

it("what is indexed anew on request is parsed", async () => {
  const here = checkout("here");
  write(here);
  await here.indexer.reconcile();
  await here.indexer.reindex("a.ts");
  expect(here.cache.parsed).toBe(5);
});

it("what depends on settings, on the path or on the model is parsed for each", async () => {
  const first = checkout("first");
  write(first);
  await first.indexer.reconcile();
  const coarse = checkout("second", { "index.levels": ["file"] });
  write(coarse);
  await coarse.indexer.reconcile();
  expect(coarse.cache.parsed).toBe(4);
  const without = checkout("third", {}, false);
  write(without);
  await without.indexer.reconcile();
  expect(without.cache.parsed).toBe(4);
  expect(await without.index.readVectorCounts()).toEqual([]);
  const moved = checkout("fourth");
  write(moved, { "moved.ts": files["a.ts"] });
  await moved.indexer.reconcile();
  expect(moved.cache.parsed).toBe(1);
  // In C++ a header is another one.
  const cpp = checkout("fifth");
  write(cpp, { "c.h": files["c.h"], "x.cpp": "int x;\n", "y.cpp": "int y;\n" });
  await cpp.indexer.reconcile();
  expect(cpp.cache.parsed).toBe(3);
});

it("an entry that cannot be read is parsed", async () => {
  const first = checkout("first");
  write(first);
  await first.indexer.reconcile();
  class Damaged extends Watched {
    override get(place: string, names: Iterable<string>) {
      return new Map([...super.get(place, names)].map(([name, data]) => [name, data.subarray(0, 40)]));
    }
  }
  const second = checkout("second");
  Object.setPrototypeOf(second.cache, Damaged.prototype);
  write(second);
  await second.indexer.reconcile();
  expect(second.cache.parsed).toBe(4);
  expect(await contentOf(second)).toEqual(await contentOf(first));
});
