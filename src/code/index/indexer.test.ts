import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { nameKey } from "../../base/text/tokens.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import { createStaticEmbedder, modelId } from "../../models/embed/static/static-embedder.ts";
import { IndexDatabase } from "../../store/index/sqlite/index-database.ts";
import { SqliteIndex, SymbolCache } from "../../store/index/sqlite/sqlite-index.ts";
import { countVectorsByModel, readVectorRowsAfter } from "../../store/index/sqlite/vector-rows.ts";
import { createIgnoreRules } from "../files/ignore.ts";
import { ParsePool } from "../parse/parse-pool.ts";
import { createFileEmbedSource } from "./embed-source.ts";
import { Indexer } from "./indexer.ts";

type IndexerOptions = ConstructorParameters<typeof Indexer>[0];

let project: Project;
let index: IndexDatabase;
const indexers: Indexer[] = [];

beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-indexer-")));
  index = IndexDatabase.open(project.indexDb, { readonly: false });
});

afterEach(async () => {
  for (const indexer of indexers.splice(0)) await indexer.close();
  index.close();
  rmSync(project.root, { recursive: true, force: true });
});

function indexer(config: Partial<Config> = {}, more: Partial<IndexerOptions> = {}): Indexer {
  const complete = { ...makeDefaultConfig(), ...config };
  const made = new Indexer({
    project,
    config: complete,
    rules: createIgnoreRules(project.root, complete),
    index: new SqliteIndex(index),
    withVectors: false,
    log: silentLog,
    ...more,
  });
  indexers.push(made);
  return made;
}

function write(path: string, text: string): void {
  const file = join(project.root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const defined = (name: string) => new SymbolCache(index).findDefinitions([nameKey(name)], 9).length > 0;
const known = (path: string) => index.readKnownFiles(path).get(path);
const paths = () =>
  index
    .listIndexedFiles()
    .map(({ path }) => path)
    .sort();

it("brings the index in order after a pass, not after each save", async () => {
  write("a.ts", "export function first() {}\n");
  const made = indexer();
  const settle = vi.spyOn(index, "settle");
  await made.reconcile();
  expect(settle).toHaveBeenCalledTimes(1);
  write("a.ts", "export function changed() {}\n");
  await made.update(["a.ts"]);
  expect(defined("changed")).toBe(true);
  expect(settle).toHaveBeenCalledTimes(1);
});

describe("reconcile", () => {
  it("indexes new files, keeps unchanged ones, removes deleted ones", async () => {
    write("a.ts", "export function first() {}\n");
    write("b.py", "def second():\n    pass\n");
    const made = indexer();
    expect(await made.reconcile()).toMatchObject({ indexed: 2, unchanged: 0, removed: 0 });
    expect(await made.reconcile()).toMatchObject({ indexed: 0, unchanged: 2, removed: 0 });

    write("a.ts", "export function changed() {}\n");
    rmSync(join(project.root, "b.py"));
    write("c/d.go", "package c\n\nfunc Third() {}\n");
    expect(await made.reconcile()).toMatchObject({ indexed: 2, unchanged: 0, removed: 1 });
    expect([defined("first"), defined("changed"), defined("second"), defined("Third")]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("does not parse a file that was only touched", async () => {
    write("a.ts", "export function first() {}\n");
    const made = indexer();
    await made.reconcile();
    const before = known("a.ts");
    utimesSync(join(project.root, "a.ts"), new Date(), new Date(Date.now() + 5000));
    expect(await made.reconcile()).toMatchObject({ indexed: 0, unchanged: 1 });
    expect(known("a.ts")?.mtimeMs).not.toBe(before?.mtimeMs);
    expect(await made.reconcile()).toMatchObject({ indexed: 0, unchanged: 1 });
  });

  it("applies added and removed ignore rules", async () => {
    write("a.ts", "export function first() {}\n");
    write("b.ts", "export function second() {}\n");
    const made = indexer();
    await made.reconcile();
    write(".pommelignore", "b.ts\n.pommelignore\n");
    await made.reconcile();
    expect(paths()).toEqual(["a.ts"]);
    write(".pommelignore", ".pommelignore\n");
    await made.reconcile();
    expect(paths()).toEqual(["a.ts", "b.ts"]);
  });

  it("records why a file is skipped, and checks again when that changes", async () => {
    write("big.ts", `// ${"x ".repeat(3000)}\nexport function big() {}\n`);
    await indexer({ "index.max_file_size": 1000 }).reconcile();
    expect(index.readIndexCounts().skippedByReason).toEqual({ too_large: 1 });
    await indexer({ "index.max_file_size": 100_000 }).reconcile();
    expect(index.readIndexCounts().skippedByReason).toEqual({});
    expect(defined("big")).toBe(true);
  });

  it("indexes everything again when the levels change", async () => {
    write("a.ts", "export class Outer {\n  inner() {}\n}\n");
    await indexer({ "index.levels": ["file"] }).reconcile();
    expect(index.readIndexCounts().chunks).toBe(1);
    await indexer().reconcile();
    expect(index.readIndexCounts().chunks).toBeGreaterThan(1);
  });

  it("tries again where no file could be parsed, as with a broken installation", async () => {
    write("a.ts", "export class Outer {\n  inner() {}\n}\n");
    await indexer({ "index.levels": ["file"] }).reconcile();
    const parse = vi.spyOn(ParsePool.prototype, "parse").mockRejectedValue(new Error("no grammars"));
    expect(await indexer().reconcile()).toMatchObject({ failed: 1 });
    parse.mockRestore();
    await indexer().reconcile();
    expect(index.readIndexCounts().chunks).toBeGreaterThan(1);
  });

  it("does not treat an unreadable root as an empty project", async () => {
    write("a.ts", "export function first() {}\n");
    const made = indexer();
    await made.reconcile();
    const away = `${project.root}-away`;
    renameSync(project.root, away);
    await expect(made.reconcile()).rejects.toMatchObject({ code: "unreadable" });
    renameSync(away, project.root);
    expect(paths()).toEqual(["a.ts"]);
  });
});

describe("update", () => {
  it("handles added, changed and deleted files and directories", async () => {
    const made = indexer();
    await made.reconcile();
    write("src/a.ts", "export function first() {}\n");
    write("src/deep/b.ts", "export function second() {}\n");
    await made.update(["src"]);
    expect(paths()).toEqual(["src/a.ts", "src/deep/b.ts"]);
    write("src/a.ts", "export function third() {}\n");
    await made.update(["src/a.ts"]);
    expect([defined("first"), defined("third")]).toEqual([false, true]);
    renameSync(join(project.root, "src"), join(project.root, "lib"));
    await made.update(["src", "lib"]);
    expect(paths()).toEqual(["lib/a.ts", "lib/deep/b.ts"]);
  });

  it("keeps what it has of a project whose directory was moved", async () => {
    write("src/a.ts", "export const a = 1;\n");
    const one = indexer();
    await one.reconcile();
    const moved = `${project.root}-moved`;
    renameSync(project.root, moved);
    await one.update(["src/a.ts", "src"]);
    renameSync(moved, project.root);
    expect(known("src/a.ts")).toBeDefined();
    rmSync(join(project.root, "src/a.ts"));
    await one.update(["src/a.ts"]);
    expect(known("src/a.ts")).toBeUndefined();
  });

  it("removes files of a replaced directory", async () => {
    write("src/a.ts", "export function first() {}\n");
    const made = indexer();
    await made.reconcile();
    renameSync(join(project.root, "src"), join(project.root, "old"));
    write("src/.gitignore", "c.ts\n");
    write("src/b.ts", "export function second() {}\n");
    write("src/c.ts", "export function third() {}\n");
    await made.update(["src", "old"]);
    expect(paths()).toEqual(["old/a.ts", "src/.gitignore", "src/b.ts"]);
  });

  it("leaves ignored files alone", async () => {
    write(".gitignore", "*.log\nout/\n");
    const made = indexer();
    await made.reconcile();
    write("x.log", "words\n");
    write("out/a.ts", "export function first() {}\n");
    await made.update(["x.log", "out", "out/a.ts"]);
    expect(paths()).toEqual([".gitignore"]);
  });
});

it("writes many files in ever larger transactions: somebody may wait for the first", async () => {
  for (let i = 0; i < 900; i++) write(`${i}.ts`, `function a${i}() {}\n\nfunction b${i}() {}\n`);
  const stored = new SqliteIndex(index);
  const written = vi.spyOn(stored, "write");
  await indexer({}, { index: stored }).reconcile();
  const { chunks } = index.readIndexCounts();
  expect(chunks).toBeGreaterThan(2500);
  const sizes = written.mock.calls.map(([changes]) =>
    changes.reduce((sum, change) => sum + (change.status === "indexed" ? change.chunks.length : 0), 0),
  );
  expect(sizes[0]).toBeLessThan(300);
  expect(Math.max(...sizes)).toBeGreaterThan(500);
});

it("reindexes by glob", async () => {
  write("src/a.ts", "export function first() {}\n");
  write("lib/b.ts", "export function second() {}\n");
  const made = indexer();
  await made.reconcile();
  expect(await made.reindex("src")).toMatchObject({ indexed: 1, unchanged: 1 });
  expect(await made.reindex("**/*.ts")).toMatchObject({ indexed: 2 });
  expect(await made.reindex()).toMatchObject({ indexed: 2 });
});

it("starts workers again after they were released", async () => {
  write("a.ts", "export function first() {}\n");
  const made = indexer();
  await made.reconcile();
  await made.releaseWorkers();
  write("b.ts", "export function second() {}\n");
  await made.update(["b.ts"]);
  expect(defined("second")).toBe(true);
});

describe("with vectors", () => {
  it("stores those of a file with its chunks", async () => {
    write("a.ts", "export function first() {}\n");
    await indexer({}, { withVectors: true }).reconcile();
    const [row] = [...readVectorRowsAfter(index, modelId, 0)];
    expect(row).toMatchObject({ dimensions: 256, levels: Uint8Array.from([0, 2]) });
    const [whole, method] = [row!.data.subarray(0, 256), row!.data.subarray(256)];
    expect(whole.some((component) => component !== 0)).toBe(true);
    expect(method.some((component) => component !== 0)).toBe(true);
    expect(countVectorsByModel(index)).toEqual([{ model: modelId, dimensions: 256, chunks: 2, missing: 0 }]);
  });

  it("indexes the words when the model cannot be used, and reports why once", async () => {
    for (let i = 0; i < 30; i++) write(`${i}.ts`, "export function first() {}\n");
    const log = { ...silentLog, warn: vi.fn() };
    const made = indexer({}, { withVectors: true, modelDir: project.cacheDir, log });
    expect(await made.reconcile()).toMatchObject({ indexed: 30, failed: 0 });
    expect(defined("first")).toBe(true);
    expect(countVectorsByModel(index)).toEqual([]);
    expect(log.warn.mock.calls).toEqual([[expect.stringContaining("Reinstall Pommel.")]]);
  });

  it("does not index again to have others: they are made from what is there", async () => {
    write("a.ts", "export function first() {}\n");
    await indexer().reconcile();
    const made = indexer({}, { withVectors: true });
    expect(await made.reconcile()).toMatchObject({ indexed: 0, unchanged: 1 });
    const models = [createStaticEmbedder()];
    const source = createFileEmbedSource(new SqliteIndex(index), (path) => made.read(path));
    const pass = new EmbedPass({ source, models, log: silentLog });
    await pass.run();
    const [later] = [...readVectorRowsAfter(index, modelId, 0)];
    await made.reindex();
    const [atOnce] = [...readVectorRowsAfter(index, modelId, 0)];
    expect(atOnce?.data).toEqual(later?.data);
  });
});

it("reads a file as it would be indexed, and returns null for one that is not", async () => {
  write("a.ts", "/** Says it. */\nexport function first() {}\n");
  write("b.min.js", "x");
  const made = indexer({}, { withVectors: true });
  await made.reconcile();
  expect(await made.read("a.ts")).toMatchObject({
    hash: known("a.ts")?.hash,
    chunks: [{ level: "file" }, { name: "first", text: expect.stringContaining("Says it.") }],
  });
  expect(await made.read("gone.ts")).toBeNull();
  expect(await made.read("b.min.js")).toBeNull();
});

/** Each file has words of its own, which take more than an empty index has room for. */
const wordsOf = (file: number) => Array.from({ length: 200 }, (_, i) => `word${file}x${i}`);

it("fails with a clear error when the disk is full, and continues when there is room again", async () => {
  for (let i = 0; i < 30; i++)
    write(`src/${i}.ts`, `export function name${i}() { return "${wordsOf(i).join(" ")}"; }\n`);
  const pages = (index.prepare("SELECT page_count AS n FROM pragma_page_count").get() as { n: number }).n;
  index.exec(`PRAGMA max_page_count = ${pages}`);
  await expect(indexer({}, { mode: "foreground" }).reconcile()).rejects.toMatchObject({
    code: "disk_full",
  });
  expect(index.check()).toBe("ok");
  index.exec("PRAGMA max_page_count = 1000000");
  await indexer().reconcile();
  expect(paths()).toHaveLength(30);
});
