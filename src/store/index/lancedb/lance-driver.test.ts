import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { seeded } from "../../../../models/train/random.ts";
import { expectWordsOfSqlite, indexContract } from "../../../../test/support/index-contract.ts";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { defaultConfig } from "../../../project/config/settings.ts";
import { type Level, levels } from "../../../project/levels.ts";
import { silentLog } from "../../../project/log.ts";
import { writeEnvelope } from "../../encryption/envelope.ts";
import { indexDriver } from "../drivers.ts";
import type { CodeIndex, Match } from "../port.ts";
import { lanceFolder, Place } from "../remote-engine.ts";
import { sqliteDriver } from "../sqlite/sqlite-driver.ts";
import { whyUnavailable } from "./engine.ts";
import { LanceStore } from "./store.ts";

const missing = whyUnavailable();
if (missing !== null) {
  process.stderr.write(
    `\nLanceDB IS NOT TESTED: ${missing} How to install it for tests: CONTRIBUTING.md.\n\n`,
  );
}

const driverAt = (url: string) =>
  indexDriver({ ...defaultConfig(), "index.driver": "lancedb", "index.url": url });

let dir: string;
let place: string;
const opened: CodeIndex[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-lance-"));
  place = join(dir, "index.db");
});

afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
  rmSync(dir, { recursive: true, force: true });
});

async function open(file = place, url = ""): Promise<CodeIndex> {
  const { index } = await (await driverAt(url)).openToWrite(file, silentLog);
  opened.push(index);
  return index;
}

describe.skipIf(missing === null)("without the package LanceDB", () => {
  it("an index opens, fails with what to install, and is not taken for an absent one", async () => {
    const unavailable = {
      code: "index_unavailable",
      hint: expect.stringMatching(/npm install -g .*@lancedb/),
    };
    await expect((await open()).known()).rejects.toMatchObject(unavailable);
    const driver = await driverAt("");
    await expect(driver.read(place, async () => {})).rejects.toMatchObject(unavailable);
    expect(await driver.check(place)).toMatchObject({ state: "unreadable" });
    expect(await driver.bytes(place)).toBe(0);
  });
});

describe.skipIf(missing !== null)("with LanceDB", () => {
  indexContract(
    "lancedb",
    () => driverAt(""),
    (_, file) => {
      const journal = join(lanceFolder(file), "journal.lance", "data");
      for (const name of readdirSync(journal)) rmSync(join(journal, name));
    },
  );

  const storeAt = () =>
    new LanceStore({ dir: lanceFolder(place), address: "", place: new Place(place, "lancedb") }, "write");

  const weights = { name: 8, path: 4, head: 2, body: 1 };
  const everywhere = { files: null, levels: null };
  const file = (path: string, ...bodies: string[]) =>
    indexedFile(
      path,
      bodies.map((body, i) => chunkRecord(`${path} ${i}`, { terms: { name: "", head: "", body } })),
    );
  const vectors = (...all: number[][]) => ({
    model: "m",
    dimensions: all[0]!.length,
    vectors: all.map((one) => Int8Array.from(one)),
  });

  it("finds by words what SQLite finds, with the same scores, through merges and removals", async () => {
    await expectWordsOfSqlite(await open(), dir);
  });

  it("finds by meaning what SQLite finds, with the same scores, whatever changes", async () => {
    const theirs = (await sqliteDriver.openToWrite(join(dir, "sqlite.db"), silentLog)).index;
    const ours = await open();
    const random = seeded(7);
    const below = (limit: number) => Math.floor(random() * limit);
    const vector = () => Int8Array.from({ length: 20 }, () => below(255) - 127);
    const ofModel = (count: number) => ({
      ...{ model: "m", dimensions: 20 },
      vectors: Array.from({ length: count }, () => (below(10) === 0 ? null : vector())),
    });
    const answers = async (
      index: CodeIndex,
      query: Int8Array,
      paths: string[] | null,
      level: Level | null,
    ) => {
      const all = await index.files();
      const files = paths && all.filter(({ path }) => paths.includes(path)).map(({ id }) => id);
      const scope = { files, levels: level && [level] };
      const found = await index.nearest({ model: "m", vector: query }, 30, scope);
      const chunks = await index.chunksOf(all.map(({ id }) => id));
      const similar = await index.similarities(
        { model: "m", vector: query },
        chunks.map(({ id }) => id),
      );
      const uids = (await index.chunks(found.map(({ id }) => id))).map(({ uid }) => uid);
      return {
        nearest: found.map(({ score }, i) => [uids[i], score]),
        similar: chunks.map(({ uid }, i) => `${uid} ${similar[i]}`).sort(),
      };
    };
    for (let round = 0; round < 30; round++) {
      const path = `${below(12)}.ts`;
      const chunks = Array.from({ length: 1 + below(150) }, (_, i) =>
        chunkRecord(`${path} ${i}`, { level: levels[below(3)]! }),
      );
      const written = indexedFile(path, chunks);
      const [first, second] = [ofModel(chunks.length), ofModel(chunks.length)];
      const removed = `${below(12)}.ts`;
      for (const index of [ours, theirs]) {
        await index.replace(written, first);
        if (round % 4 === 0) await index.addVectors(written, second);
        if (round % 3 === 0) await index.remove([removed]);
        if (round % 7 === 6) await index.settle();
      }
      if (round % 11 === 10) await ours.release();
      for (const [paths, level] of [
        [null, null] as const,
        [["1.ts", "2.ts"], null] as const,
        [null, "class"] as const,
      ]) {
        const query = vector();
        const [our, their] = [
          await answers(ours, query, paths && [...paths], level),
          await answers(theirs, query, paths && [...paths], level),
        ];
        expect(our).toEqual(their);
      }
    }
    await theirs.close();
  });

  it("is the same when it is opened anew, settled or not", async () => {
    const index = await open();
    for (let i = 0; i < 20; i++) {
      await index.replace(file(`${i % 15}.ts`, `shared word${i}`, "shared"), vectors([i, 1], [1, i]));
    }
    await index.remove(["3.ts", "4.ts"]);
    await index.commits.add([{ hash: "aa", author: "A", authoredAt: 1, subject: "s", body: "", files: [] }]);
    const state = async (one: CodeIndex) => ({
      found: (await one.lexical(["shared", "word7"], weights, 50, everywhere)).map(({ score }) => score),
      near: (await one.nearest({ model: "m", vector: Int8Array.from([5, 2]) }, 50, everywhere)).map(
        ({ score }) => score,
      ),
      known: [...(await one.known()).keys()].sort(),
      chunks: (await one.counts()).languages,
      vectors: await one.vectorCounts(),
      commits: await one.commits.hashes(),
    });
    const before = await state(index);
    expect([before.found.length, before.near.length]).toEqual([26, 26]);
    await index.close();
    const again = await open();
    expect(await state(again)).toEqual(before);
    await again.settle();
    expect(await state(again)).toEqual(before);
    await again.close();
    expect(await state(await open())).toEqual(before);
  });

  it("has few segments of words through saves that never pause", async () => {
    const index = await open();
    for (let i = 0; i < 90; i++) await index.write([file(`${i % 10}.ts`, `word${i}`)]);
    await index.close();
    const store = storeAt();
    expect(await store.read(async ({ state }) => state.segments.length)).toBeLessThan(70);
    await store.close();
  });

  it("never shows what a change left that was not finished, and removes it", async () => {
    const index = await open();
    await index.replace(file("a.ts", "shared"), vectors([1, 0]));
    await index.close();
    const store = storeAt();
    const rows = () =>
      store.read(async ({ tables }) => [
        (await tables.chunks.rows(["id"], null)).length,
        (await tables.words.rows(["block"], null)).length,
      ]);
    const before = await rows();
    const half = store.write(async ({ tables }, next) => {
      await tables.chunks.add([{ id: next.chunk++, file: next.file++, content: "{}" }]);
      const nothing = new Uint8Array();
      const { block } = { block: next.block++ };
      await tables.words.add([
        { block, first: "", words: "", sizes: nothing, lists: nothing, places: nothing },
      ]);
      throw new Error("the power is gone");
    });
    await expect(half).rejects.toThrow("the power is gone");
    expect(await rows()).toEqual(before.map((count) => count + 1));
    await store.close();
    const again = await open();
    expect((await again.counts()).chunks).toBe(1);
    await again.replace(file("b.ts", "shared"));
    expect(await again.lexical(["shared"], weights, 9, everywhere)).toHaveLength(2);
    expect(await again.chunksOf((await again.files()).map(({ id }) => id))).toHaveLength(2);
  });

  it("is read beside a writer that goes on, merges and compacts", async () => {
    const writer = await open();
    await writer.replace(file("a.ts", "shared"), vectors([1, 0]));
    await (await driverAt("")).read(place, async (reader) => {
      const found = async () => (await reader.lexical(["shared"], weights, 999, everywhere)).length;
      const near = (matches: Match[]) => matches.length;
      expect(await found()).toBe(1);
      for (let i = 0; i < 20; i++) {
        await writer.replace(file(`${i}.ts`, "shared", `own${i}`), vectors([i, 1], [1, i]));
        if (i % 7 === 0) await writer.settle();
        expect(await found()).toBe(i + 2);
        const query = { model: "m", vector: Int8Array.from([1, 1]) };
        expect(near(await reader.nearest(query, 99, everywhere))).toBe(1 + 2 * (i + 1));
      }
    });
  });

  it("settles to tables without what is gone", async () => {
    const index = await open();
    const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6; i++) await index.replace(file(`${i}.ts`, words, "shared"));
    }
    await index.settle();
    await index.close();
    const store = new LanceStore(
      { dir: lanceFolder(place), address: "", place: new Place(place, "lancedb") },
      "read",
    );
    const { chunks, journal } = await store.read(async ({ tables }) => ({
      chunks: (await tables.chunks.rows(["id"], null)).length,
      journal: (await tables.journal.rows(["seq"], null)).length,
    }));
    await store.close();
    expect([chunks, journal]).toEqual([12, 1]);
  });

  it("is never in a project that is encrypted", async () => {
    writeEnvelope(dir, {
      ...{ version: 1, id: "some", wrapped: "", public: "" },
      source: { kind: "file", path: "/absent" },
    });
    await expect((await open()).known()).rejects.toMatchObject({
      code: "index_unavailable",
      message: expect.stringContaining("encrypted"),
    });
    expect(existsSync(lanceFolder(place))).toBe(false);
  });

  describe("in object storage", () => {
    const before = { ...process.env };
    /** Answers as storage that is out of order. */
    const server = createServer((_, response) => response.writeHead(503).end());

    beforeEach(async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      Object.assign(process.env, {
        ...{ AWS_ENDPOINT: `http://127.0.0.1:${port}`, AWS_ALLOW_HTTP: "true", AWS_REGION: "us-east-1" },
        ...{ AWS_ACCESS_KEY_ID: "some", AWS_SECRET_ACCESS_KEY: "some" },
      });
    });

    afterEach(() => server.close());

    afterAll(() => {
      for (const name of [
        "AWS_ENDPOINT",
        "AWS_ALLOW_HTTP",
        "AWS_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
      ])
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
    });

    it("opens while that is down, and fails with what to do", async () => {
      mkdirSync(join(dir, "one"));
      const index = await open(join(dir, "one", "index.db"), "s3://bucket/code");
      await expect(index.known()).rejects.toMatchObject({
        code: "index_unavailable",
        message: expect.stringContaining("s3://bucket/code"),
        hint: expect.stringContaining("index.url"),
      });
    });
  });
});
