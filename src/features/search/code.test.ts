import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { indexedProject } from "../../../test/support/indexed-project.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { shareOpenIndex } from "../../answers/open.ts";
import { reindexProject } from "../../answers/reindex.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import type { Project } from "../../base/paths.ts";
import { SourceTree } from "../../code/search/tree/tree.ts";
import { readCode } from "../code/answer.ts";
import { wordCode } from "../code/words.ts";
import { showChunk } from "./chunk.ts";
import { searchCode } from "./code.ts";

const config = { ...makeDefaultConfig(), "embed.code": "none" };
let project: Project;

beforeEach(() => {
  project = namedProject(realpathSync(mkdtempSync(join(tmpdir(), "pommel-first-"))));
  write("src/retry.ts", "export function withRetries() {\n  return 1;\n}\n");
  write("src/cache.ts", "export function evict() {}\n");
});

afterEach(async () => {
  await SourceTree.openForProject(project, config).close();
  rmSync(project.root, { recursive: true, force: true });
});

function write(path: string, text: string, root = project.root): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe("a search before anything is indexed", () => {
  it("answers from the text of all files, and gives no verdict", async () => {
    expect(await searchCode(project, { q: "retries" })).toMatchObject({
      verdict: "not_yet",
      coverage: { of: "files", done: 0, total: 2, files_read: 2 },
      results: [{ file: "src/retry.ts" }],
      index: { is_complete: false },
    });
  });

  it("says neither that something is not here", async () => {
    expect(await searchCode(project, { q: "zebra crossing" })).toMatchObject({
      verdict: "not_yet",
      results: [],
    });
  });

  it("finds a text in quotes for certain", async () => {
    expect(await searchCode(project, { q: '"function evict"' })).toMatchObject({
      verdict: "found",
      coverage: { done: 0 },
      results: [{ file: "src/cache.ts" }],
    });
  });

  it("does not say who uses what, as that is not known", async () => {
    const { results, notes } = await searchCode(project, { q: "withRetries", graph: true });
    expect(results[0]?.graph).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining("when all files are indexed")]);
  });

  it("says so to agents", async () => {
    const ask = async (query: string) =>
      wordCode(await readCode({ project }, { query }, {}), { maxTokens: 1000, query });
    const found = await ask("retries");
    expect(found).toMatch(/^From the text of 2 files; the index is 0 % done\./);
    expect(found).toContain("1\texport function withRetries() {");
    expect(await ask("zebra crossing")).toMatch(/^None of 2 files contains these words yet/);
  });

  it("shows a chunk by its place", async () => {
    expect(await showChunk(project, { id: "src/retry.ts:2" })).toMatchObject({
      file: "src/retry.ts",
      chunk: { start_line: 1, end_line: 3, content: expect.stringContaining("withRetries") },
    });
  });

  it("waits for nothing that is not there: with no file, all of them were looked at", async () => {
    rmSync(join(project.root, "src"), { recursive: true });
    const answer = await searchCode(project, { q: "retries" });
    expect(answer).toMatchObject({ verdict: "probably_not_here", results: [] });
    expect(answer.coverage).toBeUndefined();
  });
});

describe("a search while a daemon indexes", () => {
  it("answers from both, has what it found indexed first, and says how far the index is", async () => {
    const on = await indexedProject({ "src/retry.ts": "export function withRetries() {}\n" });
    write("src/cache.ts", "export function evict() {}\n", on.project.root);
    write("src/retry-later.ts", "export function retryLater() {}\n", on.project.root);
    const prefer = vi.fn();
    const open = {
      index: on.index,
      prefer,
      ask: vi.fn(),
      queue: () => ({ pending: 2, is_idle: false }),
      reindex: vi.fn(),
      reconcile: vi.fn(),
      suspect: vi.fn(),
    };
    const unshare = shareOpenIndex(on.project.indexDb, open, config);
    try {
      const answer = await searchCode(on.project, { q: "retries" });
      expect(answer).toMatchObject({
        verdict: "not_yet",
        coverage: { of: "files", done: 1, total: 3, files_read: 3 },
        index: { is_complete: false, pending: 2 },
      });
      const files = ["src/retry-later.ts", "src/retry.ts"];
      expect(answer.results.map(({ file }) => file).sort()).toEqual(files);
      expect(prefer.mock.lastCall?.[0].toSorted()).toEqual(files);
      expect(open.ask).not.toHaveBeenCalled();
    } finally {
      unshare();
      await SourceTree.openForProject(on.project, config).close();
      await on.remove();
    }
  });
});

it("a search of a complete index has a verdict, and no coverage", async () => {
  await reindexProject(project, [], {});
  const answer = await searchCode(project, { q: "withRetries" });
  expect(answer).toMatchObject({ verdict: "found", index: { is_complete: true } });
  expect(answer.coverage).toBeUndefined();
});
