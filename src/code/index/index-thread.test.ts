import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { makeTokenStream } from "../../base/text/tokens.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { createIgnoreRules } from "../files/ignore.ts";
import { IndexThread, waitForRoom } from "./index-thread.ts";

let project: Project;
const endings: (() => Promise<void>)[] = [];

beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-thread-")));
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  rmSync(project.root, { recursive: true, force: true });
});

const config = makeDefaultConfig();

function createThread(more: { script?: URL; closeWithinMs?: number } = {}): IndexThread {
  const rules = createIgnoreRules(project.root, config);
  const thread = new IndexThread({ project, config, rules, withVectors: true, log: silentLog, ...more });
  endings.push(() => thread.close());
  return thread;
}

function opened(file = project.indexDb): SqliteIndex {
  const index = SqliteIndex.open(file, { readonly: false });
  endings.push(() => index.close());
  return index;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), content);
}

const weights = { name: 3, path: 1, head: 2, body: 1 };
const everywhere = { files: null, levels: null };

/** What a search learns from an index, by what does not depend on its rows. */
async function answers(index: CodeIndex, words: readonly string[]) {
  const model = createStaticEmbedder();
  const found = [];
  for (const word of words) {
    const tokens = makeTokenStream(word).split(" ");
    const [vector] = await model.embed([word], "query");
    const byWords = await index.lexical(tokens, weights, 50, everywhere);
    const nearest = await index.findNearest({ model: model.id, vector: vector! }, 50, everywhere);
    for (const matches of [byWords, nearest]) {
      const outlines = await index.readOutlines(matches.map(({ id }) => id));
      const places = new Map(
        outlines.map(({ id, path, name, startLine }) => [id, `${path}:${startLine} ${name}`]),
      );
      found.push(matches.map(({ id, score }) => `${places.get(id)} ${score.toFixed(6)}`).sort());
    }
    found.push([...(await index.countFrequencies(tokens)).holding]);
  }
  return found;
}

describe("an index that a thread writes", () => {
  it("answers as a fresh one after many files changed, were added and went, asked meanwhile", async () => {
    const words = ["parse header", "close socket", "open file", "retry later"];
    const source = (i: number, word: string) =>
      `export function ${word.replace(" ", "_")}${i}() {\n  return "${word} ${i}";\n}\n`;
    for (let i = 0; i < 60; i++) write(`src/f${i}.ts`, source(i, words[i % 3]!));
    const thread = createThread();
    const index = thread.forwardWrites(opened());
    await thread.reconcile();
    await answers(index, words);
    const changed = [];
    for (let i = 0; i < 40; i++) {
      const path = `src/f${i}.ts`;
      if (i % 4 === 0) rmSync(join(project.root, path));
      else write(path, `// Changed.\n${source(i, words[(i + 1) % 4]!)}`);
      changed.push(path);
      write(`src/new${i}.ts`, source(i, words[3]!));
      changed.push(`src/new${i}.ts`);
    }
    // A few at a time, and a question between: what a reader remembers has to go step by step.
    while (changed.length > 0) {
      await thread.update(changed.splice(0, 9));
      await answers(index, words.slice(0, 2));
    }
    await index.settle();
    const now = await answers(index, words);

    const fresh = { ...project, indexDb: join(project.cacheDir, "fresh.db") };
    const rules = createIgnoreRules(project.root, config);
    const other = opened(fresh.indexDb);
    const anew = new IndexThread({ project: fresh, config, rules, withVectors: true, log: silentLog });
    endings.push(() => anew.close());
    await anew.reconcile();
    expect(now).toEqual(await answers(other, words));
    expect(await index.readIndexCounts()).toMatchObject({ files: (await other.readIndexCounts()).files });
    expect(now[0]!.length).toBeGreaterThan(10);
  });

  it("makes room when it has looked through its project, and comes back for the next change", async () => {
    for (let i = 0; i < 30; i++) write(`src/f${i}.ts`, `export const value${i} = ${i};\n`);
    const thread = createThread();
    const index = thread.forwardWrites(opened());
    const order: string[] = [];
    const waiting = thread.reconcile().then(() => void order.push("indexed"));
    await waitForRoom(new AbortController().signal).then(() => order.push("room"));
    await waiting;
    expect(order).toEqual(["indexed", "room"]);
    write("src/later.ts", "export const later = 1;\n");
    await thread.update(["src/later.ts"]);
    expect(await index.readIndexCounts()).toMatchObject({ files: 31 });
  });

  it("has another revision after a change, and the same after merging", async () => {
    const thread = createThread();
    const index = thread.forwardWrites(opened());
    const revisions = new Set<string>();
    for (let i = 0; i < 5; i++) {
      write(`f${i}.ts`, `export const name${i} = ${i};\n`);
      await thread.update([`f${i}.ts`]);
      revisions.add(await index.revision());
    }
    expect(revisions.size).toBe(5);
    await index.settle();
    expect(revisions).toContain(await index.revision());
  });

  it("is written again after the thread was released", async () => {
    const thread = createThread();
    const index = thread.forwardWrites(opened());
    write("a.ts", "export const first = 1;\n");
    expect(await thread.reconcile()).toMatchObject({ indexed: 1 });
    await thread.releaseWorkers();
    write("b.ts", "export const second = 2;\n");
    await thread.update(["b.ts"]);
    expect((await index.readIndexCounts()).files).toBe(2);
  });

  it("takes commits", async () => {
    const { commits } = createThread().forwardWrites(opened());
    const commit = { hash: "a1", author: "Ann", authoredAt: 1, subject: "Add it", body: "", files: ["a.ts"] };
    await commits.add([commit]);
    expect(await commits.get(["a1"])).toEqual([commit]);
    await commits.remove(["a1"]);
    expect(await commits.listHashes()).toEqual([]);
  });

  it.runIf(process.platform === "linux")("lets questions go first, with the threads that parse", async () => {
    const thread = createThread();
    write("a.ts", "export const first = 1;\n");
    const own = getPriority();
    const polite = () => readdirSync("/proc/self/task").filter((id) => getPriority(Number(id)) === own + 5);
    const before = polite().length;
    await thread.reconcile();
    expect(polite().length - before).toBeGreaterThanOrEqual(2);
    expect(getPriority()).toBe(own);
  });

  it("fails with the code and the hint of what went wrong", async () => {
    writeFileSync(project.indexDb, "no database, but long enough to be one\n".repeat(100));
    await expect(createThread().reconcile()).rejects.toMatchObject({
      code: "index_corrupt",
      hint: expect.stringContaining("pm daemon reindex"),
    });
  });
});

const script = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads";${code}`)}`,
  );

it("ends threads that rest when others start, and none that works", async () => {
  const counting = script(`let asked = 0;
    parentPort.on("message", ({ id, what }) => {
      if (id === undefined) process.exit();
      asked++;
      if (what !== "reconcile") parentPort.postMessage({ id, done: asked });
    });`);
  const [busy, first, second, third] = [1, 2, 3, 4].map(() => createThread({ script: counting }));
  const working = busy!.reconcile();
  for (const thread of [first!, second!, third!]) expect(await thread.update([])).toBe(1);
  expect(await third!.update([])).toBe(2);
  expect(await busy!.update([])).toBe(2);
  expect(await first!.update([])).toBe(1);
  void working.catch(() => {});
});

it("scans two checkouts at a time; a third waits, and is not waited for when it closes", async () => {
  // A scan lasts until the thread was asked for something else.
  const held = script(`let scan = null, isAsked = false;
  parentPort.on("message", ({ id, what }) => {
    if (id === undefined) process.exit();
    if (what === "reconcile" && !isAsked) return void (scan = id);
    parentPort.postMessage({ id, done: what });
    isAsked = true;
    if (scan !== null) parentPort.postMessage({ id: scan, done: "reconcile" });
    scan = null;
  });`);
  const [a, b, c, d] = [1, 2, 3, 4].map(() => createThread({ script: held }));
  const done: string[] = [];
  const scan = (thread: IndexThread, name: string) => thread.reconcile().then(() => done.push(name));
  const scans = [scan(a!, "a"), scan(b!, "b"), scan(c!, "c")];
  const last = expect(d!.reconcile()).rejects.toThrow("closed");
  expect(await c!.update([])).toBe("update");
  await d!.close();
  await last;
  expect(done).toEqual([]);
  await Promise.all([a!.update([]), b!.update([]), ...scans]);
  expect(done).toHaveLength(3);
  expect(done[0]).not.toBe("c");
});

describe("a thread that fails", () => {
  it("rejects what it was asked, and another takes its place", async () => {
    const thread = createThread({
      script: script(`parentPort.on("message", ({ id, what }) => {
        if (id === undefined) process.exit();
        if (what === "reconcile") throw new Error("oops");
        parentPort.postMessage({ id, done: what });
      });`),
    });
    await expect(Promise.all([thread.reconcile(), thread.update([])])).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("oops"),
    });
    expect(await thread.update([])).toBe("update");
  });

  it("is not waited for when it hangs", async () => {
    const thread = createThread({
      script: script(`parentPort.on("message", () => { for (;;); });`),
      closeWithinMs: 50,
    });
    const asked = expect(thread.reconcile()).rejects.toThrow("closed");
    await thread.close();
    await asked;
    await expect(thread.update([])).rejects.toThrow("closed");
  });
});
