import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { findNamedCode } from "./relevance.ts";

let dir: string;
let index: SqliteIndex;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "pommel-named-"));
  index = SqliteIndex.open(join(dir, "index.db"), { readonly: false });
  await define("src/retry.ts", "withRetries", "RetryLimit");
  await define("src/ledger.ts", "post_entry", "Ledger");
});

afterEach(async () => {
  await index.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A file in which each name has ten lines. */
async function define(path: string, ...names: string[]): Promise<void> {
  const id = (name: string) => `${path}:${name}`;
  await index.replace({
    status: "indexed",
    path,
    size: 10,
    mtimeMs: 1000,
    hash: path,
    language: "typescript",
    lines: 10 * names.length,
    hasSyntaxErrors: false,
    chunks: names.map((name, i) => ({
      id: id(name),
      parentId: null,
      level: "method",
      kind: "function",
      name,
      text: "",
      docs: [],
      signature: `function ${name}()`,
      startLine: 10 * i + 1,
      endLine: 10 * i + 9,
      terms: { name: name.toLowerCase(), head: "", body: "" },
    })),
    symbols: names.map((name) => ({ name, kind: "function", line: 1, chunkId: id(name) })),
  });
}

const places = async (prompt: string) => (await findNamedCode(index, prompt)).map(({ place }) => place);

it("locates what a prompt spells as code", async () => {
  expect(await findNamedCode(index, "withRetries gives up too early, see `post_entry`")).toEqual([
    {
      ref: "code:src/retry.ts#withRetries",
      kind: "Code",
      quote: "function withRetries()",
      place: "src/retry.ts:1-9",
      why: "the prompt names withRetries",
      score: null,
    },
    expect.objectContaining({ quote: "function post_entry()", place: "src/ledger.ts:1-9" }),
  ]);
});

it("finds nothing for plain words, other spellings, and unknown names", async () => {
  expect(await places("post the Ledger entry with retries")).toEqual([]);
  expect(await places("with_retries and PostEntry and retryLimit")).toEqual([]);
  expect(await places("noSuchThing")).toEqual([]);
  expect(await places("https://example.org/withRetries")).toEqual([]);
  expect(await places("")).toEqual([]);
});

it("is silent where the prompt names the file as well", async () => {
  expect(await places("RetryLimit in src/retry.ts:12")).toEqual([]);
});

it("is silent on names of many definitions, and does not count those of tests", async () => {
  await define("src/other.ts", "withRetries");
  await define("test/retry.test.ts", "withRetries");
  expect(await places("withRetries")).toEqual(["src/retry.ts:1-9", "src/other.ts:1-9"]);
  await define("src/third.ts", "withRetries");
  expect(await places("withRetries")).toEqual([]);
});

it("is silent on a plan, which names much", async () => {
  const others = Array.from({ length: 7 }, (_, i) => `other${i}Name`).join(" ");
  expect(await places(`withRetries ${others}`)).toHaveLength(1);
  expect(await places(`withRetries ${others} oneMore`)).toEqual([]);
});
