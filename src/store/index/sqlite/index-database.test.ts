import { existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeUndefended } from "../../../../test/support/undefended.ts";
import { makeTokenStream } from "../../../base/text/tokens.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { type ChunkId, type SearchScope, toChunkId } from "../port.ts";
import type { ChunkRecord, IndexedFile } from "../records.ts";
import { SqliteCommits } from "./commits.ts";
import { IndexDatabase } from "./index-database.ts";
import { codeSchema } from "./schema.ts";
import { SqliteIndex, SymbolCache } from "./sqlite-index.ts";

let dir: string;
let file: string;
let index: IndexDatabase;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-index-"));
  file = join(dir, "index.db");
  index = IndexDatabase.open(file, { readonly: false });
});

afterEach(() => {
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

const everywhere: SearchScope = { files: null, levels: null };
const columns = { name: 8, path: 4, head: 2, body: 1 };

function chunk(id: string, name: string, body: string, more: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    id,
    parentId: null,
    level: "method",
    kind: "function",
    name,
    signature: `${name}()`,
    startLine: 1,
    endLine: 3,
    terms: { name: makeTokenStream(name), head: "", body: makeTokenStream(body) },
    text: "",
    docs: [],
    ...more,
  };
}

function indexed(path: string, chunks: ChunkRecord[]): IndexedFile {
  return {
    status: "indexed",
    path,
    size: 10,
    mtimeMs: 1000,
    hash: `hash of ${path}`,
    language: "typescript",
    lines: 3,
    hasSyntaxErrors: false,
    chunks,
    symbols: chunks.map(({ id, name }) => ({ name, kind: "function", line: 1, chunkId: id })),
  };
}

const find = (text: string, scope: SearchScope = everywhere) =>
  uidsOf(index.words.findBest(makeTokenStream(text).split(" "), columns, 10, scope));
const uidsOf = (found: readonly { id: ChunkId }[]) =>
  index.readChunks(found.map(({ id }) => id)).map(({ uid }) => uid);

describe("files that are written while more follow", () => {
  const write = (path: string, name: string, more: boolean) =>
    index.write([indexed(path, [chunk(`${name} in ${path}`, name, "backoff")])], more);
  const seenByOthers = () => {
    const other = IndexDatabase.open(file, { readonly: true });
    const paths = other.listIndexedFiles().map(({ path }) => path);
    other.close();
    return paths;
  };
  const segments = () => index.prepare("SELECT count(*) FROM word_segments").pluck().get();

  it("become one segment, together with the last of them", () => {
    write("a.ts", "one", true);
    write("b.ts", "two", true);
    expect(seenByOthers()).toEqual([]);
    write("c.ts", "three", false);
    expect(seenByOthers()).toEqual(["a.ts", "b.ts", "c.ts"]);
    expect(segments()).toBe(1);
    expect(find("backoff").sort()).toEqual(["one in a.ts", "three in c.ts", "two in b.ts"]);
  });

  it.each([
    ["settles", () => index.settle()],
    ["forgets a file", () => index.remove(["other.ts"])],
    ["closes", () => index.close()],
  ])("are stored when the index %s", (_, then) => {
    write("a.ts", "one", true);
    then();
    expect(seenByOthers()).toEqual(["a.ts"]);
  });

  it("are not found as they were when one of them is written again", () => {
    write("a.ts", "one", true);
    write("a.ts", "two", true);
    index.settle();
    expect(find("backoff")).toEqual(["two in a.ts"]);
    expect(find("one")).toEqual([]);
  });

  it("are all undone when one fails, and can be written again", () => {
    write("a.ts", "one", true);
    const broken = {
      ...indexed("b.ts", [chunk("b", "two", "")]),
      hash: null as unknown as string,
      lines: null,
    };
    expect(() => index.write([broken as unknown as IndexedFile], true)).toThrow();
    index.settle();
    expect(seenByOthers()).toEqual([]);
    write("a.ts", "one", false);
    expect(find("backoff")).toEqual(["one in a.ts"]);
  });
});

describe("replacing a file", () => {
  it("makes its chunks, words and names findable, and the old ones not", () => {
    index.replace(indexed("src/a.ts", [chunk("1", "retryRequest", "backoff doubles")]));
    expect(find("backoff")).toEqual(["1"]);
    expect(new SymbolCache(index).findDefinitions(["retryrequest"], 5)).toMatchObject([
      { name: "retryRequest" },
    ]);

    index.replace(indexed("src/a.ts", [chunk("2", "openSocket", "connect")]));
    expect(find("backoff")).toEqual([]);
    expect(new SymbolCache(index).findDefinitions(["retryrequest"], 5)).toEqual([]);
    expect(find("connect")).toEqual(["2"]);
    expect(index.readIndexCounts()).toMatchObject({
      files: 1,
      chunks: 1,
      languages: { typescript: { files: 1 } },
    });
  });

  it("is all or nothing", () => {
    index.replace(indexed("src/a.ts", [chunk("1", "old", "before")]));
    const broken = chunk("2", "new", "after", { startLine: "not a number" as unknown as number });
    expect(() => index.replace(indexed("src/a.ts", [chunk("3", "fine", "after"), broken]))).toThrow();
    expect(find("before")).toEqual(["1"]);
    expect(find("after")).toEqual([]);
  });
});

it("counts words as a new index does, however often files were saved", () => {
  const scores = (at: IndexDatabase) =>
    at.words
      .findBest(["common", "rare3"], columns, 100, everywhere)
      .map(({ score }) => score)
      .sort();
  const save = (at: IndexDatabase, path: number) =>
    at.replace(indexed(`src/${path}.ts`, [chunk(`${path}`, `rare${path % 5}`, "common ".repeat(path + 1))]));
  const anew = IndexDatabase.open(join(dir, "anew.db"), { readonly: false });
  for (let path = 0; path < 10; path++) save(anew, path);
  for (let time = 0; time < 5; time++) for (let path = 0; path < 10; path++) save(index, path);
  expect(scores(index)).toEqual(scores(anew));
  anew.close();
});

it("keeps nothing in its log at rest", async () => {
  index.replace(indexed("src/a.ts", [chunk("1", "retryRequest", "backoff doubles")]));
  const logBytes = () => statSync(`${file}-wal`).size;
  expect(logBytes()).toBeGreaterThan(0);
  await new SqliteIndex(index).settle();
  expect(logBytes()).toBe(0);
  expect(find("backoff")).toEqual(["1"]);
});

describe("looking up", () => {
  beforeEach(() => {
    index.replace(
      indexed("src/a.ts", [chunk("1", "retry", "one two"), chunk("2", "other", "retry", { level: "class" })]),
    );
    index.replace(indexed("lib/retry.ts", [chunk("3", "third", "nothing")]));
  });

  it("counts a name for more than a path, and a path for more than the code", () => {
    expect(index.words.findBest(["retry"], columns, 10, everywhere)).toHaveLength(3);
    expect(find("retry").sort()).toEqual(["1", "2", "3"]);
    const best = index.words.findBest(["retry"], columns, 10, everywhere);
    expect(uidsOf(best)).toEqual(["1", "3", "2"]);
  });

  it("outlines chunks as they are now, whoever changed them", () => {
    const [found] = index.words.findBest(["nothing"], columns, 1, everywhere);
    const outlined = () =>
      index.readOutlines([found!.id, toChunkId(9999)]).map(({ name, path }) => `${name} ${path}`);
    expect(outlined()).toEqual(["third lib/retry.ts"]);
    expect(outlined()).toEqual(["third lib/retry.ts"]);
    const theirs = IndexDatabase.open(file, { readonly: false });
    theirs.replace(indexed("lib/other.ts", []));
    theirs.remove(["lib/retry.ts"]);
    expect(outlined()).toEqual([]);
    theirs.replace(indexed("lib/new.ts", [chunk("4", "fourth", "nothing")]));
    const [other] = index.words.findBest(["nothing"], columns, 1, everywhere);
    expect(index.readOutlines([other!.id]).map(({ name, path }) => `${name} ${path}`)).toEqual([
      "fourth lib/new.ts",
    ]);
    theirs.close();
  });

  it("stays within levels and files", () => {
    expect(find("retry", { files: null, levels: ["class"] })).toEqual(["2"]);
    const lib = index.listIndexedFiles().filter(({ path }) => path.startsWith("lib/"));
    expect(find("retry", { files: lib.map(({ id }) => id), levels: null })).toEqual(["3"]);
    expect(find("retry", { files: [], levels: null })).toEqual([]);
  });

  it.each(['"', "NEAR(", "a* OR", "-x", "col:on", "'; DROP TABLE files"])(
    "takes %j for a word, not for syntax",
    (token) => {
      expect(index.words.findBest([token], columns, 10, everywhere)).toEqual([]);
    },
  );

  it("counts the chunks that hold a word", () => {
    expect(index.words.countChunksByToken(["retry", "absent"])).toEqual(new Map([["retry", 3]]));
    index.replace(indexed("src/b.ts", [chunk("4", "absent", "retry")]));
    expect(index.words.countChunksByToken(["retry", "absent"])).toEqual(
      new Map([
        ["retry", 4],
        ["absent", 1],
      ]),
    );
  });

  it("lists a directory's files and not those of its namesakes", () => {
    index.replace(indexed("src/a.ts.bak", []));
    index.replace(indexed("src.d/b.ts", []));
    expect([...index.readKnownFiles("src").keys()].sort()).toEqual(["src/a.ts", "src/a.ts.bak"]);
    expect([...index.readKnownFiles("src/a.ts").keys()]).toEqual(["src/a.ts"]);
  });
});

it("remembers skipped files with the reason", () => {
  index.replace({ status: "skipped", path: "logo.png", size: 5, mtimeMs: 1, reason: "binary" });
  expect(index.readIndexCounts()).toMatchObject({ files: 0, skipped: 1, skippedByReason: { binary: 1 } });
  expect(index.listSkipped()).toEqual([{ path: "logo.png", reason: "binary", size: 5 }]);
  expect(index.readKnownFiles("logo.png").get("logo.png")).toMatchObject({ hash: null, size: 5 });
});

describe("the file on disk", () => {
  it("is private", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  it("opens read-only beside a writer and sees what was committed", () => {
    const reader = IndexDatabase.open(file, { readonly: true });
    index.replace(indexed("src/a.ts", [chunk("1", "late", "later")]));
    expect(reader.readIndexCounts().files).toBe(1);
    reader.close();
  });

  it("is not created by reading", () => {
    const absent = join(dir, "absent.db");
    expect(() => IndexDatabase.open(absent, { readonly: true })).toThrow(
      expect.objectContaining({ code: "not_indexed" }),
    );
    expect(existsSync(absent)).toBe(false);
  });

  it("is recognised as damaged when its words are lost while it is open", async () => {
    changeUndefended(file, "DROP TABLE commit_terms");
    await expect(new SqliteCommits(index).countFrequencies(["word"])).rejects.toThrow(
      expect.objectContaining({ code: "index_corrupt" }),
    );
  });

  it("is recognised as damaged when it is no database", () => {
    const garbage = join(dir, "garbage.db");
    writeFileSync(garbage, "this is no database ".repeat(500));
    for (const readonly of [true, false]) {
      expect(() => IndexDatabase.open(garbage, { readonly })).toThrow(
        expect.objectContaining({ code: "index_corrupt" }),
      );
    }
  });

  it("fails its check when pages are missing", () => {
    for (let i = 0; i < 200; i++)
      index.replace(indexed(`src/${i}.ts`, [chunk(`${i}`, `f${i}`, "words ".repeat(50))]));
    index.close();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const damaged = (() => {
      try {
        index = IndexDatabase.open(file, { readonly: true });
        return index.check();
      } catch (error) {
        return String(error);
      }
    })();
    expect(damaged).not.toBe("ok");
  });

  it("is refused when a newer Pommel wrote it", () => {
    index.close();
    const raw = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    raw.exec("PRAGMA user_version = 99");
    raw.close();
    expect(() => IndexDatabase.open(file, { readonly: false })).toThrow(
      expect.objectContaining({ code: "index_too_new" }),
    );
    index = IndexDatabase.open(join(dir, "other.db"), { readonly: false });
  });

  it("is emptied when an older Pommel wrote it", () => {
    index.close();
    const raw = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    raw.exec(`CREATE TABLE older (x); PRAGMA user_version = ${codeSchema.first - 1}`);
    raw.close();
    expect(() => IndexDatabase.open(file, { readonly: true })).toThrow(
      expect.objectContaining({ code: "schema_outdated" }),
    );
    index = IndexDatabase.open(file, { readonly: false });
    expect(index.prepare("SELECT count(*) FROM files").pluck().get()).toBe(0);
    expect(index.prepare("SELECT name FROM sqlite_schema WHERE name = 'older'").all()).toEqual([]);
  });

  it("stays intact when the disk is full, and says so", () => {
    index.replace(indexed("src/a.ts", [chunk("1", "kept", "before")]));
    const pages = index.prepare("SELECT page_count AS n FROM pragma_page_count").get() as { n: number };
    index.exec(`PRAGMA max_page_count = ${pages.n + 1}`);
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(" ");
    expect(() => index.replace(indexed("src/b.ts", [chunk("2", "big", words)]))).toThrow(
      expect.objectContaining({ code: "disk_full" }),
    );
    expect(index.check()).toBe("ok");
    expect(find("before")).toEqual(["1"]);
  });
});

describe("what is read in one turn of the event loop", () => {
  const chunks = () =>
    index.readInTurnSnapshot(() => index.prepare("SELECT count(*) FROM chunks").pluck().get());

  it("is the same, whoever writes; the next turn sees it", async () => {
    const other = IndexDatabase.open(file, { readonly: false });
    try {
      expect(chunks()).toBe(0);
      const version = index.readVersion();
      other.replace(indexed("a.ts", [chunk("a", "first", "")]));
      expect([chunks(), index.readVersion()]).toEqual([0, version]);
      await nextTurn();
      expect(chunks()).toBe(1);
      expect(index.readVersion()).not.toBe(version);
    } finally {
      other.close();
    }
  });

  it("is not what was before a write of its own", async () => {
    const other = IndexDatabase.open(file, { readonly: false });
    try {
      expect(chunks()).toBe(0);
      other.replace(indexed("a.ts", [chunk("a", "first", "")]));
      // It would fail in a snapshot from before another's write.
      index.replace(indexed("b.ts", [chunk("b", "second", "")]));
      expect(chunks()).toBe(2);
      index.settle();
      index.emptyLog();
    } finally {
      other.close();
    }
  });

  it("may end with the connection", () => {
    expect(chunks()).toBe(0);
    index.close();
  });
});
