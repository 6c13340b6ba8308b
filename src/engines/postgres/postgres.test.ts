import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectWordsOfSqlite, indexContract } from "../../../test/support/index-contract.ts";
import { startTestServer } from "../../../test/support/postgres-server.ts";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { makeProject } from "../../base/paths.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { Registry } from "../../store/registry.ts";
import { CheckoutKey } from "../blobs/place.ts";
import { indexDriver } from "../drivers.ts";

const server = await startTestServer();
const settings = {
  ...makeDefaultConfig(),
  "index.driver": "postgres",
  "index.url": server?.url ?? "",
} as const;

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
        (sql) => sql`
          UPDATE pommel_index_4.blobs SET bytes = 'no JSON' WHERE kind = 'journal'
            AND checkout = (SELECT id FROM pommel_index_4.checkouts WHERE key = ${new CheckoutKey(file, "postgres").findIndexKey()})`,
      ),
  );

  describe("an index in PostgreSQL", () => {
    let dir: string;
    const opened: CodeIndex[] = [];
    const openAt = async (file: string) => {
      const { index } = await (await indexDriver(settings)).openToWrite(file, silentLog);
      opened.push(index);
      return index;
    };
    const open = (name: string) => openAt(join(dir, name, "index.db"));

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
    const find = async (index: CodeIndex, word: string) =>
      (await index.readChunks((await index.lexical([word], weights, 9, everywhere)).map(({ id }) => id))).map(
        ({ path }) => path,
      );

    it("is apart from others in the same database, also when it is made again", async () => {
      const [one, two] = [await open("one"), await open("two")];
      await one.replace(file("a.ts", "shared mine"));
      await two.replace(file("b.ts", "shared yours"));
      await two.commits.add([{ hash: "aa", author: "A", authoredAt: 1, subject: "s", body: "", files: [] }]);
      expect([await find(one, "shared"), await find(two, "shared")]).toEqual([["a.ts"], ["b.ts"]]);
      expect(await find(one, "yours")).toEqual([]);
      expect(await one.commits.listHashes()).toEqual([]);
      await one.close();
      const driver = await indexDriver(settings);
      await driver.moveAside(join(dir, "one", "index.db"), "A test.", silentLog);
      expect((await (await open("one")).readIndexCounts()).files).toBe(0);
      expect([await find(two, "shared"), await two.commits.listHashes()]).toEqual([["b.ts"], ["aa"]]);
    });

    it("finds by words what SQLite finds, with the same scores, through merges and removals", async () => {
      await expectWordsOfSqlite(await open("one"), dir);
    });

    /** A checkout that the registry knows, of the project with these first commits. @returns where its index would be */
    const checkOut = (name: string, id: string, roots: string[]) => {
      const registry = Registry.open();
      const root = join(dir, name);
      const times = { createdAt: 1, lastUsedAt: 1 };
      registry.saveProject({
        id,
        name: id,
        roots,
        remotes: [],
        within: "",
        isNamed: true,
        isOff: false,
        ...times,
      });
      registry.saveCheckout({ root, project: id, rootId: null, gitId: null, notice: null, lastUsedAt: 1 });
      const { indexDb, cacheDir } = makeProject(id, root);
      mkdirSync(cacheDir, { recursive: true });
      return indexDb;
    };

    it("begins as a copy of another checkout's of the same project, and goes its own way", async () => {
      const first = await openAt(checkOut("one", "app", ["r1"]));
      await first.write([file("a.ts", "shared first"), file("b.ts", "shared second")]);
      // Another machine would know the project by another id.
      const second = await openAt(checkOut("two", "app-elsewhere", ["r1"]));
      expect((await find(second, "shared")).sort()).toEqual(["a.ts", "b.ts"]);
      await second.replace(file("a.ts", "changed"));
      await first.remove(["b.ts"]);
      expect([await find(first, "shared"), await find(second, "shared")]).toEqual([["a.ts"], ["b.ts"]]);
      expect(await second.revision()).not.toBe(await first.revision());
      const other = await openAt(checkOut("three", "other", ["r2"]));
      expect((await other.readIndexCounts()).files).toBe(0);
    });

    it("removes what no machine uses any more, when another is made", async () => {
      await (await open("one")).close();
      await asOwner((sql) => sql`UPDATE pommel_index_4.checkouts SET used_at = now() - interval '31 days'`);
      await open("two");
      const left = await asOwner((sql) => sql`SELECT key FROM pommel_index_4.checkouts`);
      expect(left.map(({ key }) => key)).toEqual([
        new CheckoutKey(join(dir, "two", "index.db"), "postgres").findIndexKey(),
      ]);
    });

    it("is made anew where the one that it would begin with is damaged", async () => {
      const first = await openAt(checkOut("one", "app", ["r3"]));
      await first.replace(file("a.ts", "shared"));
      await asOwner((sql) => sql`UPDATE pommel_index_4.blobs SET bytes = 'no JSON' WHERE kind = 'journal'`);
      const second = await openAt(checkOut("two", "app-elsewhere", ["r3"]));
      await second.replace(file("b.ts", "shared"));
      expect(await find(second, "shared")).toEqual(["b.ts"]);
    });

    it("fails while the server is down, opened or not, and goes on when it is back", {
      timeout: 120_000,
    }, async () => {
      const one = await open("one");
      await one.replace(file("a.ts", "shared"));
      await server!.down();
      try {
        await expect(one.setMeta("key", "value")).rejects.toMatchObject({ code: "index_unavailable" });
        const two = await open("two");
        await expect(two.readKnownFiles()).rejects.toMatchObject({
          code: "index_unavailable",
          hint: expect.stringMatching(/index\.url/),
        });
        const driver = await indexDriver(settings);
        expect(await driver.check(join(dir, "one", "index.db"))).toMatchObject({ state: "unreadable" });
      } finally {
        await server!.up();
      }
      const again = async () => (await one.readIndexCounts()).files;
      await vi.waitFor(async () => expect(await again()).toBe(1), { timeout: 60_000 });
      await one.replace(file("b.ts", "shared"));
      expect((await find(one, "shared")).sort()).toEqual(["a.ts", "b.ts"]);
    });

    it("tells a writer of the changes of another, and goes on after them", async () => {
      const [one, same] = [await open("one"), await open("one")];
      await same.replace(file("a.ts", "shared"));
      await expect(one.replace(file("b.ts", "shared"))).rejects.toMatchObject({ code: "busy" });
      await one.replace(file("b.ts", "shared"));
      expect((await find(one, "shared")).sort()).toEqual(["a.ts", "b.ts"]);
    });

    it("is rebuilt when somebody removed it from the server", async () => {
      const one = await open("one");
      await one.replace(file("a.ts", "shared"));
      await asOwner((sql) => sql`DELETE FROM pommel_index_4.checkouts`);
      await expect(one.replace(file("b.ts", "shared"))).rejects.toMatchObject({ code: "index_corrupt" });
    });

    it("needs no rights to make a schema that is there, and no extension", async () => {
      await (await open("one")).close();
      const extensions = await asOwner((sql) => sql`SELECT extname FROM pg_extension`);
      expect(extensions.map(({ extname }) => extname)).toEqual(["plpgsql"]);
      await asOwner(async (sql) => {
        await sql`CREATE ROLE writer LOGIN`;
        await sql`GRANT USAGE ON SCHEMA pommel_index_4 TO writer`;
        await sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pommel_index_4 TO writer`;
      });
      const url = new URL(server!.url);
      url.username = "writer";
      const driver = await indexDriver({ ...settings, "index.url": url.href });
      const { index } = await driver.openToWrite(join(dir, "two", "index.db"), silentLog);
      opened.push(index);
      await index.replace(file("a.ts", "shared"));
      expect(await find(index, "shared")).toEqual(["a.ts"]);
    });

    it("belongs to its directory: a copy is another one, what was moved stays itself", () => {
      const [first, second] = [join(dir, "one", "index.db"), join(dir, "two", "index.db")];
      const key = new CheckoutKey(first, "postgres").claimIndexKey();
      cpSync(join(dir, "one", "index.postgres"), join(dir, "two", "index.postgres"));
      expect(new CheckoutKey(second, "postgres").findIndexKey()).toBeNull();
      rmSync(join(dir, "one"), { recursive: true });
      expect(new CheckoutKey(second, "postgres").claimIndexKey()).toBe(key);
      expect(new CheckoutKey(second, "postgres").findIndexKey()).toBe(key);
    });
  });
});
