import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type IndexedProject, indexedProject } from "../../../../test/support/indexed-project.ts";
import { makeDefaultConfig } from "../../../base/config/settings.ts";
import { createIgnoreRules } from "../../files/ignore.ts";
import { CodeSearch } from "../engine.ts";
import type { CodeQuery } from "../types.ts";
import { JoinedIndex } from "./joined-index.ts";
import { scanTree } from "./scan-tree.ts";
import { SourceTree } from "./tree.ts";

const config = makeDefaultConfig();
let on: IndexedProject;

const retrySource = `${"let filler;\n".repeat(29)}
/** Sends it again. */
export function withRetries() { return "sent again"; }
`;

beforeEach(async () => {
  on = await indexedProject({ "src/indexed.ts": "export function retryIndexed() {\n  return 1;\n}\n" });
  write({
    "src/retry.ts": retrySource,
    "src/cache.py": "class Cache:\n    def evict(self):\n        drop_pages()\n",
    "test/retry.test.ts": "it('retries', () => withRetries());\n",
    "docs/retry.md": "# Retries\n\nHow we retry.\n",
    "yarn.lock": "retry retry retry",
    ".env": "RETRY=1",
    "ignored/retry.ts": "export const retry = 1;\n",
    ".gitignore": "ignored/\n",
    "logo.png": "retry\0retry",
  });
});

afterEach(async () => {
  await treeOf().close();
  await on.remove();
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(on.project.root, path)), { recursive: true });
    writeFileSync(join(on.project.root, path), text);
  }
}

const asked = (query: string, more: Partial<CodeQuery> = {}): CodeQuery => ({
  query,
  limit: 10,
  levels: [],
  paths: [],
  languages: [],
  explain: false,
  ...more,
});

/** However long parsing takes while tests run side by side. */
const treeOf = () => SourceTree.openForProject(on.project, config, 60_000);

/** @param withIndex whether what is indexed is asked as well */
async function search(query: string, more: Partial<CodeQuery> = {}, withIndex = false) {
  const request = asked(query, more);
  return treeOf().ask(request, async (tree) => {
    const index = withIndex ? await JoinedIndex.joinIndexAndTree(on.index, tree) : tree;
    const { results } = await new CodeSearch({ project: on.project, index, embedder: null }).search(request);
    return results;
  });
}

describe("the tree", () => {
  it("is searched by words, with names and lines as the index will have them", async () => {
    const [first] = await search("where are failed requests retried");
    expect(first).toMatchObject({
      file: "src/retry.ts",
      name: "withRetries",
      kind: "function",
      start_line: 31,
      end_line: 32,
      freshness: "fresh",
    });
    const path = "src/retry.ts";
    await on.write({
      [path]: retrySource,
    });
    const files = (await on.index.files()).filter((file) => file.path === path);
    const chunks = await on.index.readChunksOfFiles(files.map(({ id }) => id));
    expect(chunks.find(({ name }) => name === "withRetries")?.uid).toBe(first!.id);
  });

  it("is cut by lines where parsing would take too long", async () => {
    const request = asked("withRetries");
    const tree = SourceTree.openForProject(on.project, { ...config }, 0);
    const [first] = await tree.ask(request, async (index) => {
      const search = new CodeSearch({ project: on.project, index, embedder: null });
      return (await search.search(request)).results;
    });
    expect(first).toMatchObject({ file: "src/retry.ts", kind: "", start_line: 1, end_line: 32 });
    await tree.close();
  });

  it("has sources before tests and documents, and neither secrets, lock files, binaries nor what is ignored", async () => {
    const files = (await search("retry")).map(({ file }) => file);
    expect(files.slice(0, 2).sort()).toEqual(["src/indexed.ts", "src/retry.ts"]);
    expect(files.slice(2).sort()).toEqual(["docs/retry.md", "test/retry.test.ts"]);
  });

  it("is searched within paths and languages, and for a text", async () => {
    const filesOf = async (...[query, more]: Parameters<typeof search>) =>
      (await search(query, more)).map(({ file }) => file);
    expect(await filesOf("retry", { paths: ["test/**"] })).toEqual(["test/retry.test.ts"]);
    expect(await filesOf("evict", { languages: ["typescript"] })).toEqual([]);
    expect(await filesOf("evict", { languages: ["python"] })).toEqual(["src/cache.py"]);
    expect(await filesOf('"sent again"')).toEqual(["src/retry.ts"]);
    expect(await filesOf("drop_\\w+\\(", { match: "regex" })).toEqual(["src/cache.py"]);
    expect(
      await search("src/cache.py:2", { place: { file: "src/cache.py", first: 2, last: 2 } }),
    ).toMatchObject([{ file: "src/cache.py", name: "evict" }]);
  });

  it("knows in how much of it a word is, not only of what was parsed for a question", async () => {
    write(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`src/common${i}.ts`, `const common = ${i};\n`]),
      ),
    );
    const request = asked("common evict");
    await treeOf().ask(request, async (tree) => {
      const { chunks, holding } = await tree.countFrequencies(["common", "evict"]);
      expect(chunks).toBeGreaterThan(60);
      expect([holding.get("common"), holding.get("evict")]).toEqual([60, 1]);
    });
    expect((await search("common evict"))[0]).toMatchObject({ file: "src/cache.py" });
  });

  it("is looked at for as long as somebody waits", async () => {
    const rules = createIgnoreRules(on.project.root, config);
    const words = [{ text: "retr", isWhole: false }];
    const whole = await scanTree(on.project.root, rules, words, { maxFileSize: 1000 });
    expect(whole).toMatchObject({ isCut: false, read: 6 });
    expect(whole.files.length).toBe(9);
    const scanFor = (limitsMs: { found: number; nothing: number }) =>
      scanTree(on.project.root, rules, words, { maxFileSize: 1000, limitsMs });
    expect(await scanFor({ found: -1, nothing: -1 })).toEqual({ files: [], read: 0, isCut: true });
    const untilFound = await scanFor({ found: -1, nothing: 1e6 });
    expect(untilFound).toMatchObject({ isCut: true });
    expect(untilFound.files.at(-1)?.counts).not.toBeNull();
    const signal = AbortSignal.abort(new Error("nobody waits"));
    await expect(scanTree(on.project.root, rules, words, { maxFileSize: 1000, signal })).rejects.toThrow(
      "nobody waits",
    );
  });
});

describe("an index that is not complete, with the tree", () => {
  it("answers from both, each file once", async () => {
    const results = await search("retry", {}, true);
    expect(results.map(({ file }) => file).toSorted()).toEqual([
      "docs/retry.md",
      "src/indexed.ts",
      "src/retry.ts",
      "test/retry.test.ts",
    ]);
    expect((await search("retryIndexed", {}, true))[0]).toMatchObject({
      file: "src/indexed.ts",
      name: "retryIndexed",
    });
    expect(await search('"return 1;"', {}, true)).toMatchObject([{ file: "src/indexed.ts" }]);
  });

  it("has of the index what the question's words are not in, and nothing that is gone", async () => {
    await on.write({ "src/far.ts": "export function far() {}\n" });
    const request = asked("retry");
    await treeOf().ask(request, async (tree) => {
      const index = await JoinedIndex.joinIndexAndTree(on.index, tree);
      const [far] = await index.findDefinitions(["far"], 5);
      expect(await index.readChunks([far!.id])).toMatchObject([{ path: "src/far.ts", name: "far" }]);
      expect((await index.readOutlines([far!.id]))[0]!.file).toBe(
        (await index.files()).find(({ path }) => path === "src/far.ts")!.id,
      );
      const own = await index.findDefinitions(["withretries"], 5);
      expect(await index.readChunks([...own, far!].map(({ id }) => id))).toMatchObject([
        { name: "withRetries" },
        { name: "far" },
      ]);
    });
    await on.write({ "src/gone.ts": "export function gone() {}\n" });
    rmSync(join(on.project.root, "src/gone.ts"));
    expect((await search("gone", {}, true)).map(({ file }) => file)).not.toContain("src/gone.ts");
  });
});
