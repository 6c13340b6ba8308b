import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectWordsOfSqlite, indexContract } from "../../../../test/support/index-contract.ts";
import { startTestServer } from "../../../../test/support/postgres-server.ts";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { defaultConfig } from "../../../project/config/settings.ts";
import { silentLog } from "../../../project/log.ts";
import type { Queryable } from "../../postgres/server.ts";
import { indexDriver } from "../drivers.ts";
import type { CodeIndex, FileId, Match } from "../port.ts";
import { Place } from "../remote-engine.ts";
import { indexServer } from "./postgres-driver.ts";
import { PostgresIndex } from "./postgres-index.ts";
import { isolate, ProjectRows, type Snapshot } from "./rows.ts";

const server = await startTestServer();
const settings = { ...defaultConfig(), "index.driver": "postgres", "index.url": server?.url ?? "" } as const;

/** As the server's owner. */
async function asOwner<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server!.url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

afterAll(() => server?.stop());

describe.skipIf(server === null)(`on ${server?.engine}:`, () => {
  indexContract(
    "postgres",
    () => indexDriver(settings),
    (_, file) =>
      asOwner(
        (sql) =>
          sql`UPDATE pommel_index_3.projects SET format = 99 WHERE key = ${new Place(file, "postgres").key()}`,
      ),
  );

  describe("an index in PostgreSQL", () => {
    let dir: string;
    const opened: CodeIndex[] = [];
    const open = async (name: string) => {
      const { index } = await (await indexDriver(settings)).openToWrite(
        join(dir, name, "index.db"),
        silentLog,
      );
      opened.push(index);
      return index;
    };

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), "pommel-postgres-test-"));
      for (const name of ["one", "two"]) mkdirSync(join(dir, name));
    });

    afterEach(async () => {
      for (const index of opened.splice(0)) await index.close();
      rmSync(dir, { recursive: true, force: true });
    });

    const weights = { name: 8, path: 4, head: 2, body: 1 };
    const everywhere = { files: null, levels: null };
    const file = (path: string, ...bodies: string[]) =>
      indexedFile(
        path,
        bodies.map((body, i) =>
          chunkRecord(`${path} ${i}`, { name: body.split(" ")[0]!, terms: { name: "", head: "", body } }),
        ),
      );

    it("is apart from others in the same database, also when it is made again", async () => {
      const [one, two] = [await open("one"), await open("two")];
      await one.replace(file("a.ts", "shared mine"));
      await two.replace(file("a.ts", "shared yours"));
      await two.commits.add([{ hash: "aa", author: "A", authoredAt: 1, subject: "s", body: "", files: [] }]);
      const found = async (index: CodeIndex) =>
        (
          await index.chunks((await index.lexical(["shared"], weights, 9, everywhere)).map(({ id }) => id))
        ).map(({ name }) => name);
      expect([await found(one), await found(two)]).toEqual([["shared"], ["shared"]]);
      expect(await one.lexical(["yours"], weights, 9, everywhere)).toEqual([]);
      expect(await one.commits.hashes()).toEqual([]);
      await one.close();
      const driver = await indexDriver(settings);
      await driver.moveAside(join(dir, "one", "index.db"), "A test.", silentLog);
      expect((await (await open("one")).counts()).files).toBe(0);
      expect([await found(two), await two.commits.hashes()]).toEqual([["shared"], ["aa"]]);
    });

    it("finds by words what SQLite finds, with the same scores, through merges and removals", async () => {
      await expectWordsOfSqlite(await open("one"), dir);
      const segments = await asOwner(
        (sql) => sql`SELECT gone FROM pommel_index_3.word_segments WHERE holds = 'chunks'`,
      );
      expect(segments.length).toBeGreaterThan(0);
    });

    it("has few segments of words through saves that never pause", async () => {
      const index = await open("one");
      for (let i = 0; i < 90; i++) await index.write([file(`${i % 10}.ts`, `word${i}`)]);
      const [stored] = await asOwner(
        (sql) => sql`SELECT count(*)::integer AS segments FROM pommel_index_3.word_segments s
          JOIN pommel_index_3.projects p ON p.id = s.project
          WHERE p.key = ${new Place(join(dir, "one", "index.db"), "postgres").key()}`,
      );
      expect(stored!.segments).toBeLessThan(70);
    });

    it("holds texts that the server cannot", async () => {
      const index = await open("one");
      await index.replace(file("a.ts", "nul\0nul \uD800half 'quote' \\u0000"));
      const [found] = await index.lexical(["'quote'"], weights, 1, everywhere);
      expect((await index.chunks([found!.id]))[0]?.path).toBe("a.ts");
    });

    it("fails while the server is down, opened or not, and goes on when it is back", {
      timeout: 120_000,
    }, async () => {
      const one = await open("one");
      await one.replace(file("a.ts", "shared"));
      await server!.down();
      try {
        await expect(one.revision()).rejects.toMatchObject({ code: "index_unavailable" });
        const two = await open("two");
        await expect(two.known()).rejects.toMatchObject({
          code: "index_unavailable",
          hint: expect.stringMatching(/index\.url/),
        });
        const driver = await indexDriver(settings);
        expect(await driver.check(join(dir, "one", "index.db"))).toMatchObject({ state: "unreadable" });
      } finally {
        await server!.up();
      }
      const again = async () => (await one.counts()).files;
      await vi.waitFor(async () => expect(await again()).toBe(1), { timeout: 60_000 });
    });

    it("outlives a connection that is cut within a transaction, and connects anew", {
      timeout: 120_000,
    }, async () => {
      const rows = new ProjectRows(
        indexServer(settings),
        new Place(join(dir, "one", "index.db"), "postgres"),
        "write",
      );
      const count = () => rows.read(async ({ sql }) => (await sql`SELECT 1 AS one`).length);
      try {
        expect(await count()).toBe(1);
        const withinTransaction = async (snapshot: Snapshot) => {
          isolate(snapshot);
          await outside(snapshot);
        };
        const outside = async ({ sql }: Snapshot) => {
          await server!.down();
          await sql`SELECT 1`;
        };
        for (const work of [
          () => rows.read(outside),
          () => rows.read(withinTransaction),
          () => rows.write(withinTransaction),
        ]) {
          const cut = work();
          await expect(cut).rejects.toMatchObject({ code: "index_unavailable" });
          await server!.up();
          await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 60_000 });
        }
      } finally {
        await rows.close();
      }
    });

    it("reads again, in a transaction, what another changed meanwhile", async () => {
      const place = new Place(join(dir, "one", "index.db"), "postgres");
      const index = await open("one");
      await index.replace(file("a.ts", "shared"));
      const rows = new ProjectRows(indexServer(settings), place, "read");
      try {
        const runs: boolean[] = [];
        const counted = await rows.read(async ({ sql, project, isIsolated }) => {
          runs.push(isIsolated);
          const counts: number[] = [];
          for (let i = 0; i < 2; i++) {
            counts.push((await sql`SELECT id FROM pommel_index_3.files WHERE project = ${project}`).length);
            if (runs.length === 1 && i === 0) await index.replace(file("b.ts", "shared"));
          }
          return counts;
        });
        expect(runs).toEqual([false, true]);
        expect(counted).toEqual([2, 2]);
        expect(await rows.read(async ({ isIsolated }) => isIsolated)).toBe(false);
      } finally {
        await rows.close();
      }
    });

    it("is read beside a writer that goes on and merges", async () => {
      const writer = await open("one");
      await writer.replace(file("first.ts", "shared words"));
      const driver = await indexDriver(settings);
      await driver.read(join(dir, "one", "index.db"), async (reader) => {
        const query = { model: "m", vector: Int8Array.from([1, 1]) };
        for (let i = 0; i < 20; i++) {
          const vectors = [Int8Array.from([i, 1]), Int8Array.from([1, i])];
          await writer.replace(file(`${i % 12}.ts`, "shared words", `own${i}`), {
            ...{ model: "m", dimensions: 2, vectors },
          });
          if (i % 7 === 6) await writer.settle();
          const files = Math.min(i + 1, 12);
          const found = await reader.lexical(["shared"], weights, 99, everywhere);
          const ids = found.map(({ id }) => id);
          expect(found).toHaveLength(files + 1);
          expect(await reader.outlines(ids)).toHaveLength(files + 1);
          expect(await reader.nearest(query, 99, everywhere)).toHaveLength(2 * files);
          expect(await reader.phrases(["shared words", `own${i - 12}`], 99)).toEqual([
            expect.objectContaining({ length: files + 1 }),
            [],
          ]);
          expect((await reader.frequencies(["shared"])).holding.get("shared")).toBe(files + 1);
          expect((await reader.vectorCounts())[0]?.chunks).toBe(2 * files);
          await writer.remove(["none.ts"]);
          expect(await reader.outlines(ids)).toHaveLength(files + 1);
        }
      });
    });

    it("knows which chunks are there beside a segment that lost all of its own", async () => {
      const index = await open("one");
      await index.replace(file("a.ts", "first"));
      await index.replace(file("b.ts", ...Array.from({ length: 100 }, (_, i) => `many${i}`)));
      await index.replace(file("c.ts", "last"));
      await index.remove(["b.ts"]);
      await index.settle();
      const found = await index.lexical(["first", "last"], weights, 9, everywhere);
      const outlines = await index.outlines(found.map(({ id }) => id));
      expect(outlines.map(({ path }) => path).sort()).toEqual(["a.ts", "c.ts"]);
    });

    it("finds the nearest of many vectors through an index, within the scope as well", async () => {
      const place = new Place(join(dir, "one", "index.db"), "postgres");
      const index = new PostgresIndex(new ProjectRows(indexServer(settings), place, "write"), 100);
      opened.push(index);
      const circle = (i: number) => {
        const angle = (i / 300) * Math.PI;
        return Int8Array.from([Math.cos(angle) * 100, Math.sin(angle) * 100, 1]);
      };
      for (let i = 0; i < 30; i++) {
        const vectors = Array.from({ length: 10 }, (_, j) => circle(10 * i + j));
        const bodies = vectors.map((_, j) => `word${j}`);
        await index.replace(file(`${i}.ts`, ...bodies), { model: "m", dimensions: 3, vectors });
      }
      const query = { model: "m", vector: circle(157) };
      const ask = async (files: null | FileId[]) => index.nearest(query, 5, { files, levels: null });
      const exact = await ask(null);
      await index.settle();
      const plan = await asOwner(
        (sql) => sql`SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vectors_near_%'`,
      );
      expect(plan.length).toBe(1);
      const scores = (found: readonly Match[]) => found.map(({ score }) => score.toFixed(6));
      expect(scores(await ask(null))).toEqual(scores(exact));
      const [last] = (await index.files()).filter(({ path }) => path === "29.ts");
      const inScope = await ask([last!.id]);
      expect(inScope).toHaveLength(5);
      const outlines = await index.outlines(inScope.map(({ id }) => id));
      expect(new Set(outlines.map(({ path }) => path))).toEqual(new Set(["29.ts"]));
      await index.keepModels([]);
      expect(await ask(null)).toEqual([]);
    });

    it("may take more of the server's memory for one statement, and leaves the setting as it was", async () => {
      const place = new Place(join(dir, "one", "index.db"), "postgres");
      const one = indexServer({ ...settings, "index.url": `${server!.url.split("?")[0]}?max=1` });
      const rows = new ProjectRows(one, place, "write");
      const memoryOf = async (sql: Queryable) => {
        const [row] = await sql<{ memory: number }[]>`
          SELECT pg_size_bytes(current_setting('maintenance_work_mem'))::integer AS memory`;
        return row!.memory;
      };
      try {
        const usual = await rows.ask(memoryOf);
        expect(await rows.withMemory(usual + 2 ** 20, memoryOf)).toBe(usual + 2 ** 20);
        expect(await rows.withMemory(1, memoryOf)).toBe(usual);
        expect(await rows.ask(memoryOf)).toBe(usual);
      } finally {
        await rows.close();
      }
    });

    it("belongs to its directory: a copy is another one, what was moved stays itself", () => {
      const [first, second] = [join(dir, "one", "index.db"), join(dir, "two", "index.db")];
      const key = new Place(first, "postgres").claim();
      cpSync(join(dir, "one", "index.postgres"), join(dir, "two", "index.postgres"));
      expect(new Place(second, "postgres").key()).toBeNull();
      rmSync(join(dir, "one"), { recursive: true });
      expect(new Place(second, "postgres").claim()).toBe(key);
      expect(new Place(second, "postgres").key()).toBe(key);
    });
  });
});
