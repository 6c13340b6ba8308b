import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createIgnoreRules } from "../../code/files/ignore.ts";
import { defaultConfig } from "../../project/config/settings.ts";
import { projectAt } from "../../project/paths.ts";
import { DiskIndex } from "./disk-index.ts";
import { CodeSearch } from "./engine.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-disk-"));
  mkdirSync(join(root, "src"));
  const filler = Array.from({ length: 40 }, (_, i) => `const value${i} = ${i};`).join("\n");
  writeFileSync(join(root, "src/retry.ts"), `${filler}\nfunction withRetries() { return "sent again"; }\n`);
  writeFileSync(join(root, "src/cache.py"), "def evict():\n    drop_pages()\n");
  writeFileSync(join(root, "src/empty.ts"), "");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function search(query: string, more: object = {}) {
  const index = await DiskIndex.of(root, createIgnoreRules(root, defaultConfig()), 1_000_000);
  const engine = new CodeSearch({ project: projectAt(root), index, embedder: null });
  const request = { query, limit: 5, levels: [], paths: [], languages: [], explain: false, ...more };
  const { results } = await engine.search(request);
  return results.map(({ file, start_line, end_line }) => `${file}:${start_line}-${end_line}`);
}

it("files on disk are found by their words, with the lines", async () => {
  expect((await search("withRetries"))[0]).toBe("src/retry.ts:31-41");
  expect((await search("evict pages"))[0]).toBe("src/cache.py:1-2");
});

it("files on disk are found by a text, within paths and languages", async () => {
  expect(await search('"sent again"')).toEqual(["src/retry.ts:31-41"]);
  expect(await search("drop_pages", { match: "exact" })).toEqual(["src/cache.py:1-2"]);
  expect(await search("evict", { paths: ["lib/**"] })).toEqual([]);
  expect(await search("evict", { languages: ["python"] })).toEqual(["src/cache.py:1-2"]);
  expect(await search("evict", { languages: ["typescript"] })).toEqual([]);
});
