import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDefaultConfig } from "../../../base/config/settings.ts";
import { PommelError } from "../../../base/errors.ts";
import { silentLog } from "../../../base/log.ts";
import type { Embedder } from "../../../models/embed/embedder.ts";
import { runSelfTest } from "./self-test.ts";

const files: Record<string, string> = {
  "src/cache.ts": `/** Throws away the pages nobody asked for lately. */
export function evictStale(store: Map<string, number>, limit: number): void {
  for (const [key, used] of store) {
    if (used < limit) store.delete(key);
  }
}
`,
  "src/sum.ts": `/** The total of many prices, taxes included. */
export function addUp(values: number[]): number {
  let result = 0;
  for (const value of values) result += value;
  return result;
}
`,
  "README.md": "# A project\n\nIt does things.\n",
};

/** A fake model that only knows two pairs of synonyms. */
const knowing: Embedder = {
  id: "knowing",
  dimensions: 4,
  prepare: async () => {},
  close: async () => {},
  embed: async (texts) =>
    texts.map((text) => {
      const axis = /evict|throws away/i.test(text) ? 0 : /addUp|total/i.test(text) ? 1 : 2;
      return Int8Array.from({ length: 4 }, (_, i) => (i === axis ? 127 : 0));
    }),
};

let root: string;
let scratch: string;
const tmp = process.env.TMPDIR;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-mine-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  scratch = mkdtempSync(join(tmpdir(), "pommel-scratch-"));
  process.env.TMPDIR = scratch;
});

afterEach(() => {
  if (tmp === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = tmp;
});

function commitAll(message: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=Ann", "-c", "user.email=a@b.c", ...args], {
      stdio: "pipe",
    });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

interface RunOptions {
  second?: Embedder | null;
  signal?: AbortSignal;
}

function run(
  first: Embedder | null,
  { second = null, signal = new AbortController().signal }: RunOptions = {},
) {
  return runSelfTest({
    root,
    config: makeDefaultConfig(),
    embedders: { first, second, deadlineMs: 100 },
    count: 100,
    onProgress: () => {},
    signal,
    log: silentLog,
  });
}

test("doc questions find the function by meaning, with its comment hidden", async () => {
  const { kinds, model, files: indexed } = await run(knowing);
  const [docs, commits] = kinds;
  expect({ model, indexed }).toEqual({ model: "knowing", indexed: 3 });
  expect(docs).toMatchObject({ kind: "doc_to_function", queries: 2 });
  expect(docs!.modes.lexical).toMatchObject({ queries: 2, r10: 0 });
  expect(docs!.modes.semantic).toMatchObject({ queries: 2, r1: 1, mrr: 1 });
  expect(docs!.modes.hybrid!.r10).toBe(1);
  expect(commits).toMatchObject({
    kind: "commit_to_files",
    queries: 0,
    problem: expect.stringMatching(/ is not a git repository$/),
  });
});

test("commit questions ask for the files they changed", async () => {
  commitAll("Evict stale keys from the store");
  const [, commits] = (await run(knowing)).kinds;
  expect(commits).toMatchObject({ queries: 1, problem: "1 of 1 commits make a question" });
  expect(commits!.modes.lexical).toMatchObject({ r1: 1, mrr: 1 });
});

test("without vectors the report says so, measures lexical search, and lists misses", async () => {
  const { kinds, model, notes } = await run(null);
  expect(model).toBe(null);
  expect(notes).toEqual(["Without vectors only the lexical mode was measured."]);
  expect(Object.keys(kinds[0]!.modes)).toEqual(["lexical"]);
  expect(kinds[0]!.misses).toContainEqual({
    query: "Throws away the pages nobody asked for lately",
    expected: [{ file: "src/cache.ts", start_line: 1, end_line: 6 }],
    rank: null,
    found: [],
  });
});

test("a model that does not load leaves lexical search to be measured", async () => {
  const prepare = () => Promise.reject(new PommelError("embedder_unavailable", "The weights are damaged."));
  const { kinds, notes } = await run({ ...knowing, prepare });
  expect(notes).toEqual([
    "knowing was left out: The weights are damaged.",
    "Without vectors only the lexical mode was measured.",
  ]);
  expect(kinds[0]!.modes.semantic).toBe(undefined);
});

test("the self-test waits until a second model has embedded everything", async () => {
  const embedded: string[] = [];
  const second: Embedder = {
    ...knowing,
    id: "thorough",
    embed: async (texts, kind) => {
      if (kind === "passage") embedded.push(...texts);
      return texts.map(() => Int8Array.from([0, 0, 0, 127]));
    },
  };
  const { model, chunks, embed_ms } = await run(knowing, { second });
  expect({ model, embedded: embedded.length }).toEqual({ model: "knowing + thorough", embedded: chunks });
  expect(embed_ms).toEqual(expect.any(Number));
});

test("an unavailable second model is omitted", async () => {
  const prepare = () => Promise.reject(new PommelError("embedder_unavailable", "Nobody answers."));
  const { model, embed_ms, notes } = await run(knowing, { second: { ...knowing, id: "away", prepare } });
  expect({ model, embed_ms, notes }).toEqual({
    model: "knowing",
    embed_ms: null,
    notes: ["away was left out: Nobody answers."],
  });
});

test("the same version gives the same questions, without leftovers", async () => {
  commitAll("Evict stale keys from the store");
  const questions = async () => (await run(null)).kinds.map(({ misses }) => misses);
  expect(await questions()).toEqual(await questions());
  expect(readdirSync(scratch)).toEqual([]);
  expect(readdirSync(root).sort()).toEqual([".git", "README.md", "src"]);
  expect(readFileSync(join(root, "src/cache.ts"), "utf8")).toBe(files["src/cache.ts"]);
});

test("an interrupted run leaves no leftovers", async () => {
  const interruption = new AbortController();
  interruption.abort(new Error("enough"));
  await expect(run(null, { signal: interruption.signal })).rejects.toThrow("enough");
  expect(readdirSync(scratch)).toEqual([]);
});
