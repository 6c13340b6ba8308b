import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { levels } from "../../base/levels.ts";
import type { FileStamp } from "../../store/index/records.ts";
import type { ParsedFile } from "./parse-messages.ts";
import { ParsePool } from "./parse-pool.ts";

type ParsePoolOptions = ConstructorParameters<typeof ParsePool>[0];

let root: string;
const pools: ParsePool[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-parse-"));
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  rmSync(root, { recursive: true, force: true });
});

function createPool(options: Partial<ParsePoolOptions> = {}): ParsePool {
  const pool = new ParsePool({
    countThreads: () => 2,
    root,
    maxFileSize: 100_000,
    levels,
    withVectors: false,
    headerLanguage: "c",
    languages: [],
    ...options,
  });
  pools.push(pool);
  return pool;
}

function write(path: string, content: string): FileStamp {
  writeFileSync(join(root, path), content);
  const { size, mtimeMs } = statSync(join(root, path));
  return { path, size, mtimeMs: Math.trunc(mtimeMs) };
}

describe("with the built worker", () => {
  test("files are read, parsed and chunked", async () => {
    const stamp = write("a.ts", "export function add() {}\n");
    const outcome = await createPool().parse(stamp, null);
    expect(outcome).toMatchObject({
      ...stamp,
      status: "indexed",
      language: "typescript",
      lines: 1,
      hasSyntaxErrors: false,
    });
    expect(outcome.status === "indexed" && outcome.symbols).toMatchObject([
      { name: "add", kind: "function", line: 1 },
    ]);
  });

  test("chunks have their texts only on request", async () => {
    const stamp = write("a.ts", "/** Adds. */\nexport function add() {}\n");
    const pool = createPool({ withVectors: true });
    const plain = (await pool.parse(stamp, null)) as ParsedFile;
    expect(plain.chunks.map(({ text, docs }) => [text, docs])).toEqual([
      ["", []],
      ["", []],
    ]);
    expect(plain.vectors?.vectors).toEqual([expect.any(Int8Array), expect.any(Int8Array)]);
    const withText = (await pool.parse(stamp, null, { withText: true })) as ParsedFile;
    expect(withText.chunks[1]).toMatchObject({
      text: expect.stringContaining("add()"),
      docs: [{ start: 0 }],
    });
    expect(withText.vectors).toBeUndefined();
  });

  test("the same bytes as known are unchanged", async () => {
    const stamp = write("a.ts", "let a = 1;\n");
    const hash = createHash("sha256").update("let a = 1;\n").digest("hex").slice(0, 32);
    expect(await createPool().parse(stamp, hash)).toMatchObject({
      ...stamp,
      status: "unchanged",
    });
  });

  test("a file that vanished is gone", async () => {
    expect(await createPool().parse({ path: "gone.ts", size: 1, mtimeMs: 1 }, null)).toMatchObject({
      status: "gone",
      path: "gone.ts",
    });
  });

  test("files too large and of other languages are skipped", async () => {
    const pool = createPool({ languages: ["python"], maxFileSize: 10 });
    expect(await pool.parse(write("a.py", "x = 1"), null)).toMatchObject({ status: "indexed" });
    expect(await pool.parse(write("b.ts", "x = 1"), null)).toMatchObject({ reason: "language_off" });
    expect(await pool.parse(write("c.py", "x = 1\n".repeat(9)), null)).toMatchObject({ reason: "too_large" });
  });

  test("the repository decides the language of headers, the first line that of scripts", async () => {
    const pool = createPool({ headerLanguage: "cpp" });
    expect(await pool.parse(write("a.h", "class A {};\n"), null)).toMatchObject({ language: "cpp" });
    expect(await pool.parse(write("tool", "#!/bin/sh\nrun() { :; }\n"), null)).toMatchObject({
      language: "bash",
    });
  });

  test("many files at once all return, each with its own result", async () => {
    const pool = createPool();
    const stamps = Array.from({ length: 120 }, (_, i) => write(`f${i}.py`, `def f${i}():\n    pass\n`));
    const outcomes = await Promise.all(stamps.map((stamp) => pool.parse(stamp, null)));
    outcomes.forEach((outcome, i) => {
      expect(outcome.status === "indexed" && outcome.symbols[0]?.name).toBe(`f${i}`);
    });
  });

  test("after close the next file starts new workers", async () => {
    const pool = createPool();
    const stamp = write("a.ts", "let a;\n");
    await pool.parse(stamp, null);
    await pool.close();
    expect(await pool.parse(stamp, null)).toMatchObject({ status: "indexed" });
  });

  test("without grammars every file is refused, with a hint", async () => {
    const pool = createPool({ grammarDir: join(root, "nowhere") });
    await expect(pool.parse(write("a.ts", "let a;\n"), null)).rejects.toMatchObject({
      code: "internal",
      hint: expect.stringContaining("build"),
    });
  });
});

/** A worker that says which thread it is, in the path of each file. */
const named = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId, workerData } from "node:worker_threads";
    Atomics.store(workerData.progress, 0, 1);
    parentPort.on("message", (batch) => {
      Atomics.add(workerData.progress, 1, batch.length);
      parentPort.postMessage(
        batch.map(({ stamp }) => ({ status: "skipped", reason: "generated", ...stamp, path: String(threadId) })),
      );
    });
  `)}`,
);

test.each([
  [3, 1],
  [60, 2],
])("%i files take %i threads", async (files, threads) => {
  const pool = createPool({ script: named });
  const parse = (_: unknown, i: number) => pool.parse({ path: `${i}.ts`, size: 1, mtimeMs: 0 }, null);
  const outcomes = await Promise.all(Array.from({ length: files }, parse));
  expect(new Set(outcomes.map(({ path }) => path)).size).toBe(threads);
});

/** A worker that answers one by one, and never about files that are called slow. */
const stuck = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from "node:worker_threads";
    Atomics.store(workerData.progress, 0, 1);
    parentPort.on("message", (batch) => {
      for (const { stamp } of batch) {
        if (stamp.path.startsWith("slow")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        Atomics.add(workerData.progress, 1, 1);
        parentPort.postMessage([{ status: "skipped", reason: "generated", ...stamp }]);
      }
    });
  `)}`,
);

/** A worker that says which thread it is. */
const naming = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId, workerData } from "node:worker_threads";
    Atomics.store(workerData.progress, 0, 1);
    parentPort.on("message", (batch) => {
      Atomics.add(workerData.progress, 1, batch.length);
      parentPort.postMessage(batch.map(({ stamp }) => ({ status: "skipped", reason: String(threadId), ...stamp })));
    });
  `)}`,
);

test.each([
  [50, 1],
  [5000, 2],
])("of %i files that wait, %i threads parse", async (waiting, threads) => {
  const pool = createPool({ script: naming, countThreads: ({ files }) => (files < 300 ? 1 : 2) });
  pool.expect(waiting);
  const files = Array.from({ length: 50 }, (_, i) =>
    pool.parse({ path: `${i}.ts`, size: 1, mtimeMs: 1 }, null),
  );
  const outcomes = await Promise.all(files);
  expect(new Set(outcomes.map((outcome) => "reason" in outcome && outcome.reason)).size).toBe(threads);
});

/** Which threads parse as many files as keep all of them busy. */
async function nameThreads(pool: ParsePool): Promise<Set<unknown>> {
  const files = Array.from({ length: 400 }, (_, i) =>
    pool.parse({ path: `${i}.ts`, size: 1, mtimeMs: 1 }, null),
  );
  const outcomes = await Promise.all(files);
  return new Set(outcomes.map((outcome) => "reason" in outcome && outcome.reason));
}

test("where fewer threads may parse, the others end", async () => {
  let most = 2;
  const pool = createPool({ script: naming, countThreads: () => most });
  const both = await nameThreads(pool);
  expect(both.size).toBe(2);
  most = 1;
  // What it was given before is done by then.
  await nameThreads(pool);
  const [one, ...more] = await nameThreads(pool);
  expect(more).toEqual([]);
  expect(both).toContain(one);
  most = 2;
  const again = await nameThreads(pool);
  expect(again.size).toBe(2);
  expect(again).not.toEqual(both);
});

test("there is room for a third thread once two have read something", async () => {
  const pool = createPool({ script: naming, countThreads: () => 5 });
  const [one, two, three] = [32, 64, 96];
  expect(pool.room).toBe(one);
  pool.begin();
  expect(pool.room).toBe(two);
  const named = nameThreads(pool);
  // Files are handed out after this turn.
  await Promise.resolve();
  expect(pool.room).toBe(two);
  await named;
  expect(pool.room).toBeGreaterThanOrEqual(three);
});

describe("with files that take long", () => {
  const parseIn = (pool: ParsePool) => (path: string, size: number) =>
    pool.parse({ path, size, mtimeMs: 0 }, null);

  test("large ones hold up no other", async () => {
    const parse = parseIn(createPool({ script: stuck }));
    const large = Array.from({ length: 5 }, (_, i) => parse(`slow${i}`, 500_000));
    const small = Array.from({ length: 100 }, (_, i) => parse(`${i}.ts`, 100));
    for (const one of large) one.catch(() => {});
    expect((await Promise.all(small)).map(({ path }) => path)).toEqual(small.map((_, i) => `${i}.ts`));
  });

  test("what was done before one of the same batch is answered", async () => {
    const parse = parseIn(createPool({ script: stuck, countThreads: () => 1 }));
    const [first, second, slow] = ["a.ts", "b.ts", "slow"].map((path) => parse(path, 100));
    slow!.catch(() => {});
    expect(await Promise.all([first, second])).toMatchObject([{ path: "a.ts" }, { path: "b.ts" }]);
  });
});

/** A worker that answers like the real one, except for certain file names. */
const moody = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { readlinkSync } from "node:fs";
    import { parentPort, workerData } from "node:worker_threads";
    if (process.platform === "linux")
      Atomics.store(workerData.progress, 2, Number(readlinkSync("/proc/thread-self").split("/").pop()));
    Atomics.store(workerData.progress, 0, 1);
    parentPort.on("message", (batch) => {
      const outcomes = batch.map(({ stamp, linesOnly }) => {
        const { path } = stamp;
        if (path.startsWith("starved")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
        if (path.startsWith("fatal") || (path.startsWith("crash") && !linesOnly)) throw new WebAssembly.RuntimeError("oops");
        if (path.startsWith("exit") && !linesOnly) process.exit(1);
        while (path.startsWith("hang") && !linesOnly);
        Atomics.add(workerData.progress, 1, 1);
        return { status: "skipped", reason: linesOnly ? "minified" : "generated", ...stamp };
      });
      parentPort.postMessage(outcomes);
    });
  `)}`,
);

describe("with a worker that fails", () => {
  async function reasons(paths: string[]): Promise<string[]> {
    const pool = createPool({ script: moody, deadlineMs: 700 });
    const outcomes = await Promise.all(paths.map((path) => pool.parse({ path, size: 1, mtimeMs: 1 }, null)));
    return outcomes.map((outcome, i) => {
      expect(outcome).toMatchObject({ status: "skipped", path: paths[i] });
      // The worker above returns "minified" for lines only, "generated" with a grammar.
      return outcome.status === "skipped" ? outcome.reason : "";
    });
  }

  test.each(["crash", "exit", "hang"])(
    "a file that makes it %s is tried again by lines, no other is",
    async (name) => {
      const paths = Array.from({ length: 60 }, (_, i) => (i === 20 ? name : `fine${i}`));
      expect(await reasons(paths)).toEqual(paths.map((path) => (path === name ? "minified" : "generated")));
    },
  );

  // Elsewhere nobody says how long a thread worked.
  test.runIf(process.platform === "linux")(
    "a file whose thread had to wait is read with its grammar",
    async () => {
      expect(await reasons(["fine", "starved"])).toEqual(["generated", "generated"]);
    },
  );

  test("several of them, next to each other", async () => {
    expect(await reasons(["crash1", "crash2", "fine", "exit", "crash3"])).toEqual([
      "minified",
      "minified",
      "generated",
      "minified",
      "minified",
    ]);
  });

  test("a file that fails even by lines is skipped", async () => {
    expect(await reasons(["fine", "fatal"])).toEqual(["generated", "unreadable"]);
  });

  test("close rejects what is under way", async () => {
    const pool = createPool({ script: moody });
    const hanging = pool.parse({ path: "hang", size: 1, mtimeMs: 1 }, null);
    // Not in its batch.
    await Promise.resolve();
    await pool.parse({ path: "fine", size: 1, mtimeMs: 1 }, null);
    const rejected = expect(hanging).rejects.toThrow("closed");
    await pool.close();
    await rejected;
  });
});
