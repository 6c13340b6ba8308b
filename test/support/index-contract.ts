import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { makeTokenStream, nameKey } from "../../src/base/text/tokens.ts";
import { CodeSearch } from "../../src/code/search/engine.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import type {
  ChunkId,
  ChunkMatch,
  CodeIndex,
  IndexDriver,
  SearchScope,
  Within,
} from "../../src/store/index/port.ts";
import type {
  ChunkRecord,
  FileVectors,
  IndexedChange,
  IndexedCommit,
  IndexedFile,
} from "../../src/store/index/records.ts";
import { sqliteDriver } from "../../src/store/index/sqlite/sqlite-driver.ts";
import { chunkRecord, indexedFile } from "./record-fixture.ts";

const everywhere: SearchScope = { files: null, levels: null };
const weights = { name: 8, path: 4, head: 2, body: 1 };
const vector = (...components: number[]) => Int8Array.from(components);

/** A chunk with a name and words in its body. */
function named(uid: string, name: string, body = "", more: Partial<ChunkRecord> = {}): ChunkRecord {
  const terms = { name: makeTokenStream(name), head: "", body: makeTokenStream(body) };
  return chunkRecord(uid, { name, signature: `${name}()`, terms, ...more });
}

/** A file that defines each of its chunks. */
function file(path: string, ...chunks: ChunkRecord[]): IndexedFile {
  const symbols = chunks.map(({ id, name }) => ({ name, kind: "function", line: 1, chunkId: id }));
  return { ...indexedFile(path, chunks), symbols };
}

const of = (model: string, ...vectors: (Int8Array | null)[]): FileVectors => {
  return { model, dimensions: vectors.find((one) => one !== null)?.length ?? 2, vectors };
};

/**
 * What every index driver does, whatever it is made of: to be run by the tests of each.
 * @param damage makes what the driver keeps under that name unusable
 */
export function indexContract(
  name: string,
  makeDriver: () => IndexDriver | Promise<IndexDriver>,
  damage: (driver: IndexDriver, file: string) => unknown,
): void {
  describe(`${name} keeps the index contract:`, () => {
    let driver: IndexDriver;
    let dir: string;
    let place: string;
    let index: CodeIndex;

    beforeEach(async () => {
      driver = await makeDriver();
      dir = mkdtempSync(join(tmpdir(), "pommel-index-"));
      place = join(dir, "index.db");
      index = (await driver.openToWrite(place, silentLog)).index;
    });

    afterEach(async () => {
      await index.close();
      rmSync(dir, { recursive: true, force: true });
    });

    const uids = async (found: readonly { id: ChunkId }[]) =>
      (await index.readChunks(found.map(({ id }) => id))).map(({ uid }) => uid);
    const find = async (words: string, scope = everywhere, k = 10) =>
      uids(await index.lexical(makeTokenStream(words).split(" "), weights, k, scope));
    const near = async (query: Int8Array, { k = 10, scope = everywhere, model = "m" } = {}) =>
      uids(await index.findNearest({ model, vector: query }, k, scope));
    const only = async (path: string): Promise<SearchScope> => {
      return {
        files: (await index.files()).filter((one) => one.path === path).map(({ id }) => id),
        levels: null,
      };
    };

    describe("commits", () => {
      const commit = (hash: string, subject: string, more: Partial<IndexedCommit> = {}): IndexedCommit => ({
        hash,
        subject,
        author: "Ann",
        authoredAt: 1000,
        body: "",
        files: [],
        ...more,
      });
      const always: Within = { since: null, until: null };
      const ofCommit = { subject: 4, body: 1, files: 1, author: 1 };
      const search = async (words: string, within = always, k = 10) =>
        (await index.commits.lexical(makeTokenStream(words).split(" "), ofCommit, k, within)).map(
          ({ hash }) => hash,
        );

      it("are found by their words, best first, and within times", async () => {
        await index.commits.add([
          commit("aa11", "Refresh tokens", { authoredAt: 1000 }),
          commit("aa22", "Other", { body: "tokens", authoredAt: 2000, files: ["src/retry.ts"] }),
          commit("bb33", "Third", { author: "Zoe", authoredAt: 3000 }),
        ]);
        expect(await search("tokens")).toEqual(["aa11", "aa22"]);
        expect(await search("tokens", always, 1)).toEqual(["aa11"]);
        expect(await search("retry")).toEqual(["aa22"]);
        expect(await search("zoe")).toEqual(["bb33"]);
        expect(await search("tokens", { since: 2000, until: null })).toEqual(["aa22"]);
        expect(await search("tokens", { since: null, until: 1999 })).toEqual(["aa11"]);
        expect(await index.commits.lexical([], ofCommit, 10, always)).toEqual([]);
        const frequencies = await index.commits.countFrequencies(["token", "absent"]);
        expect(frequencies).toEqual({ chunks: 3, holding: new Map([["token", 2]]) });
      });

      it("are known by their hashes, once each, until they are removed", async () => {
        const first = commit("aa11", "One", { files: ["a.ts", "b.ts"], body: "b" });
        await index.commits.add([first, commit("aa22", "Two")]);
        await index.commits.add([commit("aa11", "Again")]);
        expect(await index.commits.get(["aa22", "none", "aa11"])).toEqual([commit("aa22", "Two"), first]);
        expect((await index.commits.listHashesByPrefix("aa", 5)).sort()).toEqual(["aa11", "aa22"]);
        expect(await index.commits.listHashesByPrefix("aa2", 5)).toEqual(["aa22"]);
        await index.commits.remove(["aa11"]);
        expect(await index.commits.listHashes()).toEqual(["aa22"]);
        expect(await search("one")).toEqual([]);
      });
    });

    describe("words", () => {
      beforeEach(async () => {
        await index.replace(
          file("src/a.ts", named("1", "retry", "one two"), named("2", "other", "retry", { level: "class" })),
        );
        await index.replace(file("lib/retry.ts", named("3", "third", "nothing")));
      });

      it("find chunks, and count for more in a name than in a path, and there than in the code", async () => {
        expect(await find("retry")).toEqual(["1", "3", "2"]);
        expect(await find("retry", everywhere, 2)).toEqual(["1", "3"]);
        expect(await find("absent")).toEqual([]);
        expect(await index.lexical([], weights, 10, everywhere)).toEqual([]);
      });

      it("find the chunks that hold any of them, those that hold the rarer ones first", async () => {
        expect(await find("retry nothing")).toHaveLength(3);
        expect((await find("two retry")).at(0)).toBe("1");
      });

      it("are in chunks that are found by their files", async () => {
        const { files } = await only("src/a.ts");
        expect(
          (await index.readChunksOfFiles(files ?? [])).map(({ uid, path }) => `${path} ${uid}`).sort(),
        ).toEqual(["src/a.ts 1", "src/a.ts 2"]);
        expect(await index.readChunksOfFiles([])).toEqual([]);
      });

      it("find nothing outside of the scope", async () => {
        expect(await find("retry", await only("lib/retry.ts"))).toEqual(["3"]);
        expect(await find("retry", { files: null, levels: ["class"] })).toEqual(["2"]);
        expect(await find("retry", { ...(await only("lib/retry.ts")), levels: ["class"] })).toEqual([]);
        expect(await find("retry", { files: [], levels: null })).toEqual([]);
      });

      it.each(['"', "NEAR(", "a* OR", "-x", "name:retry", "'; DROP TABLE files"])(
        "are never syntax: %j",
        async (token) => {
          expect(await index.lexical([token], weights, 10, everywhere)).toEqual([]);
        },
      );

      it("make phrases when they follow each other", async () => {
        const holding = async (phrases: string[], limit = 9) =>
          Promise.all(
            (await index.findPhrases(phrases, limit)).map((ids) => uids(ids.map((id) => ({ id })))),
          );
        expect(await holding(["on two", "two one", "retry", "one"])).toEqual([
          ["1"],
          [],
          ["1", "2", "3"],
          ["1"],
        ]);
        expect(await holding(["retry"], 2)).toEqual([["1", "2"]]);
      });

      it("are counted by the chunks that hold them", async () => {
        const count = async () => {
          const { chunks, holding } = await index.countFrequencies(["retry", "late"]);
          return { chunks, ...Object.fromEntries(holding) };
        };
        expect(await count()).toEqual({ chunks: 3, retry: 3 });
        await index.replace(file("src/b.ts", named("4", "late", "retry")));
        expect(await count()).toEqual({ chunks: 4, retry: 4, late: 1 });
        await index.remove(["src/a.ts"]);
        expect(await count()).toEqual({ chunks: 2, retry: 2, late: 1 });
      });

      it("count as in an index that was made anew, once it is settled", async () => {
        const other = (await driver.openToWrite(join(dir, "other.db"), silentLog)).index;
        const write = async (at: CodeIndex) => {
          for (let i = 0; i < 10; i++) {
            await at.replace(file(`src/${i}.ts`, named(`${i}`, `rare${i % 5}`, "common ".repeat(i + 1))));
          }
        };
        const scores = async (at: CodeIndex) =>
          (await at.lexical(["common", "rare3"], weights, 100, everywhere)).map(({ score }) => score).sort();
        await index.remove(["src/a.ts", "lib/retry.ts"]);
        for (let i = 0; i < 3; i++) await write(index);
        await index.settle();
        await write(other);
        expect(await scores(index)).toEqual(await scores(other));
        await other.close();
      });
    });

    it("finds definitions by their keys, in the order of these, so many of each", async () => {
      await index.replace(file("a.ts", named("1", "withRetries"), named("2", "other")));
      await index.replace(file("b.ts", named("3", "with_retries"), named("4", "withRetries")));
      const keys = ["other", "withRetries", "absent"].map(nameKey);
      const found = await index.findDefinitions(keys, 2);
      expect(found.map(({ name }) => name)[0]).toBe("other");
      expect(found).toHaveLength(3);
      for (const { key, kind } of found.slice(1))
        expect([key, kind]).toEqual([nameKey("withRetries"), "function"]);
      expect(await uids(await index.findDefinitions(keys, 9))).toEqual(["2", "1", "3", "4"]);
    });

    it("keeps what files define and refer to for as long as they stay the same", async () => {
      const graph = Uint8Array.of(0, 255, 7);
      await index.write([{ ...file("a.ts", named("1", "one")), graph }, file("b.ts", named("2", "two"))]);
      const idsOf = async () => (await index.files()).map(({ id }) => id);
      const [a, b] = (await index.files()).sort((x, y) => (x.path < y.path ? -1 : 1));
      const found = await index.readGraphs([a!.id, b!.id]);
      expect([...found].map(([id, data]) => [id, [...data]])).toEqual([[a!.id, [0, 255, 7]]]);
      expect(await index.readGraphs([b!.id])).toEqual(new Map());
      await index.replace(file("a.ts", named("1", "one")));
      expect(await index.readGraphs(await idsOf())).toEqual(new Map());
    });

    it("returns complete chunks, and leaves out those that are gone", async () => {
      const inner = named("2", "inner", "", { parentId: "1", startLine: 2, endLine: 3, fingerprint: -7 });
      const stored = file("src/a.ts", named("1", "Outer", "", { level: "class" }), inner);
      await index.replace({ ...stored, isBuilt: true });
      const [found] = await index.lexical(["inner"], weights, 1, everywhere);
      const [{ id: outer } = found!] = await index.findDefinitions(["outer"], 1);
      const outline = {
        id: found!.id,
        path: "src/a.ts",
        level: "method",
        name: "inner",
        parentName: "Outer",
        fingerprint: -7,
        built: 1,
      };
      expect(await index.readOutlines([found!.id])).toMatchObject([{ ...outline, startLine: 2, endLine: 3 }]);
      expect(await index.readChunks([found!.id, outer])).toMatchObject([
        {
          ...outline,
          uid: "2",
          parentUid: "1",
          startLine: 2,
          endLine: 3,
          size: 1,
          mtimeMs: 1,
          language: "typescript",
          kind: "function",
          signature: "inner()",
        },
        { uid: "1", parentUid: null, parentName: null, fingerprint: 0 },
      ]);
      const [{ file: of } = { file: null }] = await index.readOutlines([outer]);
      expect((await index.files()).map(({ id, path }) => [id, path])).toEqual([[of, "src/a.ts"]]);
      await index.remove(["src/a.ts"]);
      expect(await index.readOutlines([found!.id, outer])).toEqual([]);
      expect(await index.readChunks([found!.id, outer])).toEqual([]);
    });

    describe("a file", () => {
      it("is replaced as a whole", async () => {
        await index.replace(file("a.ts", named("1", "old", "before")), of("m", vector(1, 0)));
        await index.replace(file("a.ts", named("2", "fresh", "after")), of("m", vector(0, 1)));
        expect([await find("before"), await find("after")]).toEqual([[], ["2"]]);
        expect(await index.findDefinitions(["old"], 9)).toEqual([]);
        expect(await near(vector(1, 0))).toEqual(["2"]);
        expect(await index.readIndexCounts()).toMatchObject({ files: 1, chunks: 1 });
      });

      it("stays as it was when it cannot be replaced", async () => {
        await index.replace(file("a.ts", named("1", "old", "before")), of("m", vector(1, 0)));
        const next = file("a.ts", named("2", "fresh", "after"), named("3", "other"));
        await expect(index.replace(next, of("m", vector(0, 1)))).rejects.toThrow();
        await expect(
          index.replace(next, { ...of("m", vector(0, 1), null), dimensions: 3 }),
        ).rejects.toThrow();
        expect([await find("before"), await find("after")]).toEqual([["1"], []]);
        expect(await near(vector(1, 0))).toEqual(["1"]);
      });

      it("changes together with others, or none of them does", async () => {
        await index.replace(file("a.ts", named("1", "old", "before")), of("m", vector(1, 0)));
        await index.replace(file("b.ts", named("2", "other")));
        await index.replace(file("c.ts", named("3", "third")));
        const next = file("a.ts", named("4", "fresh", "after"));
        const added = file("d.ts", named("5", "added"));
        const gone = { status: "gone", path: "b.ts" } as const;
        const touched = { status: "unchanged", path: "c.ts", size: 9, mtimeMs: 9 } as const;
        const skipped = { status: "skipped", path: "e.png", size: 5, mtimeMs: 2, reason: "binary" } as const;
        const state = async () => [
          ...(await Promise.all(["before", "after", "other", "added"].map((word) => find(word)))),
          (await index.readKnownFiles()).get("c.ts")?.size,
          (await index.skipped()).length,
        ];
        const before = await state();
        const misfit = { ...next, vectors: of("m", vector(0, 1), null) };
        await expect(index.write([gone, touched, skipped, added, misfit])).rejects.toThrow();
        expect(await state()).toEqual(before);
        await index.write([gone, touched, skipped, added, { ...next, vectors: of("m", vector(0, 1)) }]);
        expect(await state()).toEqual([[], ["4"], [], ["5"], 9, 1]);
        expect(await near(vector(0, 1))).toEqual(["4"]);
      });

      it("is known with its stamp, and with a reason where it has no chunks", async () => {
        await index.replace(file("src/a.ts", named("1", "one")));
        await index.replace({
          status: "skipped",
          path: "src/logo.png",
          size: 5,
          mtimeMs: 2,
          reason: "binary",
        });
        await index.replace({ ...file("src.d/b.ts"), hasSyntaxErrors: true });
        await index.write([{ status: "unchanged", path: "src/a.ts", size: 7, mtimeMs: 8 }]);
        const known = async (below?: string) => Object.fromEntries(await index.readKnownFiles(below));
        const a = { path: "src/a.ts", size: 7, mtimeMs: 8, hash: "hash of src/a.ts" };
        const logo = { path: "src/logo.png", size: 5, mtimeMs: 2, hash: null };
        expect(await known("src")).toEqual({ [a.path]: a, [logo.path]: logo });
        expect(await known("src/a.ts")).toEqual({ [a.path]: a });
        expect(Object.keys(await known()).sort()).toEqual(["src.d/b.ts", a.path, logo.path]);
        expect((await index.files()).map(({ path }) => path).sort()).toEqual(["src.d/b.ts", a.path]);
        expect(await index.skipped()).toEqual([{ path: logo.path, reason: "binary", size: 5 }]);
        expect(await index.readIndexCounts()).toMatchObject({
          files: 2,
          chunks: 1,
          skipped: 1,
          skippedByReason: { binary: 1 },
          syntaxErrors: 1,
          languages: { typescript: { files: 2, chunks: 1 } },
        });
        // What was left out may be indexed later, and the other way round.
        await index.replace(file(logo.path, named("2", "logo")));
        await index.replace({ ...a, status: "skipped", reason: "too_large" });
        await index.replace(file("src.d/b.ts"));
        expect((await index.readIndexCounts()).syntaxErrors).toBe(0);
        expect([await find("one"), await find("logo")]).toEqual([[], ["2"]]);
      });

      it("is forgotten with many others", async () => {
        const paths = Array.from({ length: 100 }, (_, i) => `${i}.ts`);
        await index.write(paths.map((path) => indexedFile(path, [chunkRecord(path)])));
        await index.remove(paths.slice(1));
        expect([...(await index.readKnownFiles()).keys()]).toEqual(["0.ts"]);
      });

      it("is forgotten with everything, whether it was known or not", async () => {
        await index.replace(file("a.ts", named("1", "one")), of("m", vector(1, 0)));
        await index.remove(["a.ts", "never.ts"]);
        await index.remove([]);
        expect([await find("one"), await near(vector(1, 0)), await index.readVectorCounts()]).toEqual([
          [],
          [],
          [],
        ]);
        expect(await index.readKnownFiles()).toEqual(new Map());
      });
    });

    describe("vectors", () => {
      const one = file(
        "a.ts",
        named("right", "r"),
        named("none", "n"),
        named("up", "u", "", { level: "class" }),
      );

      beforeEach(async () => {
        await index.replace(one, of("m", vector(100, 0), null, vector(0, 9)));
        await index.replace(file("b.ts", named("between", "b")), of("m", vector(50, 10)));
      });

      it("find the nearest by angle, best first, and never a chunk without one", async () => {
        expect(await near(vector(7, 0))).toEqual(["right", "between", "up"]);
        expect(await near(vector(7, 0), { k: 2 })).toEqual(["right", "between"]);
        expect(await near(vector(7, 0), { k: 0 })).toEqual([]);
        const scores = (found: ChunkMatch[]) => found.map(({ score }) => score);
        const all = await index.findNearest({ model: "m", vector: vector(1, 0) }, 9, everywhere);
        expect(scores(all)).toEqual([1, expect.closeTo(50 / Math.hypot(50, 10), 12), 0]);
      });

      it("find nothing outside of the scope", async () => {
        expect(await near(vector(1, 0), { scope: await only("b.ts") })).toEqual(["between"]);
        expect(await near(vector(1, 0), { scope: { files: null, levels: ["class"] } })).toEqual(["up"]);
        expect(await near(vector(1, 0), { scope: { files: [], levels: null } })).toEqual([]);
      });

      it("are compared with their own model's, of the same length", async () => {
        expect(await near(vector(1, 0), { model: "other" })).toEqual([]);
        expect(await near(vector(1, 0, 0))).toEqual([]);
        expect(await index.addVectors(one, of("other", null, vector(1, 1), null))).toBe(true);
        expect(await near(vector(1, 0), { model: "other" })).toEqual(["none"]);
        expect(await near(vector(1, 0), { k: 1 })).toEqual(["right"]);
      });

      it("of given chunks are compared in the order that is asked for", async () => {
        const found = await index.lexical(["r", "n", "u", "b"], weights, 9, everywhere);
        const byUid = new Map(
          (await index.readChunks(found.map(({ id }) => id))).map(({ uid, id }) => [uid, id]),
        );
        const ids = ["up", "none", "right"].map((uid) => byUid.get(uid)!);
        const query = { model: "m", vector: vector(0, 3) };
        expect([...(await index.measureSimilarities(query, ids))]).toEqual([1, Number.NaN, 0]);
        expect([...(await index.measureSimilarities(query, []))]).toEqual([]);
        await index.remove(["a.ts"]);
        expect([...(await index.measureSimilarities(query, ids))]).toEqual([
          Number.NaN,
          Number.NaN,
          Number.NaN,
        ]);
      });

      it("are made for the files that lack them, those indexed last first", async () => {
        await index.replace(file("empty.ts"));
        expect(await index.listPathsWithoutVectors({ model: "m", dimensions: 2 })).toEqual([]);
        expect(await index.listPathsWithoutVectors({ model: "m", dimensions: 3 })).toEqual(["b.ts", "a.ts"]);
        await index.addVectors(one, of("second", vector(1), vector(2), vector(3)));
        expect(await index.listPathsWithoutVectors({ model: "second", dimensions: 1 })).toEqual(["b.ts"]);
        await index.replace(one);
        expect(await index.listPathsWithoutVectors({ model: "second", dimensions: 1 })).toEqual([
          "a.ts",
          "b.ts",
        ]);
      });

      it("of a version that is not the one indexed are refused", async () => {
        const vectors = of("late", vector(1, 0), vector(1, 0), vector(1, 0));
        expect(await index.addVectors({ ...one, hash: "older" }, vectors)).toBe(false);
        const fewer = { ...one, chunks: one.chunks.slice(1) };
        expect(await index.addVectors(fewer, of("late", vector(1, 0), vector(1, 0)))).toBe(false);
        expect(await index.addVectors({ ...one, path: "gone.ts" }, vectors)).toBe(false);
        expect(await near(vector(1, 0), { model: "late" })).toEqual([]);
      });

      it("are counted by model and length, and forgotten with their model", async () => {
        await index.addVectors(one, of("second", vector(1), vector(2), vector(3)));
        const counts = async () =>
          (await index.readVectorCounts()).sort((a, b) => (a.model < b.model ? -1 : 1));
        const first = { model: "m", dimensions: 2, chunks: 4, missing: 1 };
        expect(await counts()).toEqual([first, { model: "second", dimensions: 1, chunks: 3, missing: 0 }]);
        await index.keepModels(["m", "new"]);
        expect(await counts()).toEqual([first]);
        expect(await near(vector(1), { model: "second" })).toEqual([]);
        await index.keepModels([]);
        expect(await counts()).toEqual([]);
      });

      it("are found again after the memory for them was given back", async () => {
        const before = await near(vector(1, 0));
        await index.release();
        expect(await near(vector(1, 0))).toEqual(before);
      });
    });

    it("has another revision after each change, and the same without one", async () => {
      const one = file("a.ts", named("1", "one"));
      const seen = [await index.revision()];
      expect(await index.revision()).toBe(seen[0]);
      for (const change of [
        () => index.replace(one),
        () => index.addVectors(one, of("m", vector(1, 0))),
        () => index.keepModels([]),
        () => index.remove(["a.ts"]),
      ]) {
        await change();
        seen.push(await index.revision());
        await find("one");
        expect(await index.revision()).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(seen.length);
    });

    it("remembers what the indexer writes down, and when a file was last indexed", async () => {
      expect([await index.meta("key"), await index.lastIndexedAt()]).toEqual([null, null]);
      await index.setMeta("key", "one");
      await index.setMeta("key", "two");
      const before = Date.now();
      await index.replace(file("a.ts"));
      expect(await index.meta("key")).toBe("two");
      expect(await index.lastIndexedAt()).toBeGreaterThanOrEqual(before);
    });

    it("is all that search needs", async () => {
      const project = makeNewProject(dir);
      mkdirSync(join(dir, "src"));
      writeFileSync(join(dir, "src/retry.ts"), "function withRetries() {}\n");
      writeFileSync(join(dir, "src/cache.ts"), "function evict() {}\n");
      const [retry, cache] = [named("1", "withRetries", "send again"), named("2", "evict", "drop pages")];
      await index.replace(file("src/retry.ts", retry), of("knowing", vector(1, 0)));
      await index.replace(file("src/cache.ts", cache), of("knowing", vector(0, 1)));
      const embedder = new QueryEmbedder({
        first: {
          id: "knowing",
          dimensions: 2,
          prepare: async () => {},
          close: async () => {},
          embed: async (texts) => texts.map((text) => (/forget/.test(text) ? vector(0, 1) : vector(1, 0))),
        },
      });
      const search = new CodeSearch({ project, index, embedder });
      const asked = async (query: string) => {
        const scope = { limit: 5, levels: [], paths: ["src/**"], languages: [], explain: false };
        return (await search.search({ query, ...scope })).results.map(({ id, name }) => `${id} ${name}`);
      };
      expect((await asked("withRetries"))[0]).toBe("1 withRetries");
      expect((await asked("where do we send again"))[0]).toBe("1 withRetries");
      expect((await asked("forgetting things"))[0]).toBe("2 evict");
    });

    describe("the driver", () => {
      it("reads what was written, and only what is there", async () => {
        await index.replace(file("a.ts", named("1", "one")));
        await driver.read(place, async (reader) => {
          expect((await reader.readIndexCounts()).files).toBe(1);
        });
        const absent = driver.read(join(dir, "absent.db"), async () => {});
        await expect(absent).rejects.toMatchObject({ code: "not_indexed" });
        const failed = driver.read(place, async () => Promise.reject(new Error("why not")));
        await expect(failed).rejects.toThrow("why not");
      });

      it("checks an index, and knows what it takes", async () => {
        expect(await driver.check(place)).toMatchObject({ state: "sound" });
        expect(await driver.countBytes(place)).toBeGreaterThan(0);
        expect(await driver.check(join(dir, "absent.db"))).toEqual({ state: "absent" });
        expect(await driver.countBytes(join(dir, "absent.db"))).toBe(0);
      });

      it("never reads what is damaged, and starts anew in its place", async () => {
        await index.replace(file("a.ts", named("1", "one")));
        await index.close();
        await damage(driver, place);
        expect(await driver.check(place)).toMatchObject({ state: "damaged" });
        await expect(driver.read(place, async () => {})).rejects.toMatchObject({ code: "index_corrupt" });
        const opened = await driver.openToWrite(place, silentLog);
        index = opened.index;
        expect(opened.note).toMatch(/^The index was damaged and is being rebuilt/);
        expect((await index.readIndexCounts()).files).toBe(0);
        const fine = await driver.openToWrite(join(dir, "fine.db"), silentLog);
        expect(fine.note).toBeNull();
        await fine.index.close();
      });

      it("closes an index more than once", async () => {
        await index.close();
        await index.close();
      });
    });
  });
}

/** An empty index finds by words what SQLite finds, with the same scores, through merges and removals. */
export async function expectWordsOfSqlite(ours: CodeIndex, dir: string): Promise<void> {
  const { index: theirs } = await sqliteDriver.openToWrite(join(dir, "sqlite.db"), silentLog);
  const words = ["retry", "cache", "token", "parse", "index", "ünï", "a_b"];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % below;
  };
  const body = () => Array.from({ length: 1 + random(9) }, () => words[random(words.length)]).join(" ");
  const chunk = (path: string, i: number) => {
    const text = body();
    return chunkRecord(`${path} ${i}`, {
      name: text.split(" ")[0]!,
      terms: { name: "", head: "", body: text },
    });
  };
  for (let round = 0; round < 12; round++) {
    const changes: IndexedChange[] = Array.from({ length: 8 }, (_, i): IndexedChange => {
      if (random(5) === 0) return { status: "gone", path: `${i + random(30)}.ts` };
      const path = `${(round % 3) * 10 + i}.ts`;
      return file(path, ...Array.from({ length: 12 }, (_, j) => chunk(path, j)));
    });
    const once = [...new Map(changes.map((change) => [change.path, change])).values()];
    await ours.write(once);
    await theirs.write(once);
    if (round % 4 === 3) await ours.settle();
    const answers = async (index: CodeIndex) => {
      const found = await index.lexical(["retry", "cache", "ünï"], weights, 30, everywhere);
      const uids = (await index.readChunks(found.map(({ id }) => id))).map(({ uid }) => uid);
      const phrases = await index.findPhrases(["retry cache", "token token", "absent"], 999);
      return {
        scores: found.map(({ score }, i) => `${score.toFixed(5)} ${uids[i]}`).sort(),
        holding: await index.countFrequencies(words),
        phrases: phrases.map((ids) => ids.length),
        definitions: (await index.findDefinitions(["retry", "a_b"].map(nameKey), 99)).length,
      };
    };
    expect(await answers(ours)).toEqual(await answers(theirs));
  }
  await theirs.close();
}
