import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectWordsOfSqlite, indexContract } from "../../../test/support/index-contract.ts";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { writeEnvelope } from "../../store/encryption/envelope.ts";
import { locateEngineFolder } from "../../store/index/engine-folder.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { indexDriver } from "../drivers.ts";
import { explainUnavailable } from "./tables.ts";

const missing = explainUnavailable();
if (missing !== null) {
  process.stderr.write(
    `\nLanceDB IS NOT TESTED: ${missing} How to install it for tests: CONTRIBUTING.md.\n\n`,
  );
}

const driverAt = (url: string) =>
  indexDriver({ ...makeDefaultConfig(), "index.driver": "lancedb", "index.url": url });

let dir: string;
let place: string;
const opened: CodeIndex[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-lance-"));
  place = join(dir, "index.db");
});

afterEach(async () => {
  vi.unstubAllEnvs();
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
    await expect((await open()).readKnownFiles()).rejects.toMatchObject(unavailable);
    const driver = await driverAt("");
    await expect(driver.read(place, async () => {})).rejects.toMatchObject(unavailable);
    expect(await driver.check(place)).toMatchObject({ state: "unreadable" });
    expect(await driver.countBytes(place)).toBe(0);
  });
});

describe.skipIf(missing !== null)("with LanceDB", () => {
  indexContract(
    "lancedb",
    () => driverAt(""),
    (_, file) => {
      const data = join(locateEngineFolder(file), "blobs.lance", "data");
      for (const name of readdirSync(data)) rmSync(join(data, name));
    },
  );

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

  it("is read beside a writer that goes on, merges and compacts", async () => {
    const writer = await open();
    await writer.replace(file("a.ts", "shared"), vectors([1, 0]));
    await (await driverAt("")).read(place, async (reader) => {
      const found = async () => (await reader.lexical(["shared"], weights, 999, everywhere)).length;
      expect(await found()).toBe(1);
      for (let i = 0; i < 20; i++) {
        await writer.replace(file(`${i}.ts`, "shared", `own${i}`), vectors([i, 1], [1, i]));
        if (i % 7 === 0) await writer.settle();
        expect(await found()).toBe(i + 2);
        const query = { model: "m", vector: Int8Array.from([1, 1]) };
        expect(await reader.findNearest(query, 99, everywhere)).toHaveLength(1 + 2 * (i + 1));
      }
    });
  });

  it("is never in a project that is encrypted", async () => {
    writeEnvelope(dir, {
      version: 1,
      id: "some",
      wrapped: "",
      public: "",
      source: { kind: "file", path: "/absent" },
    });
    await expect((await open()).readKnownFiles()).rejects.toMatchObject({
      code: "index_unavailable",
      message: expect.stringContaining("encrypted"),
    });
    expect(existsSync(locateEngineFolder(place))).toBe(false);
  });

  it("opens while its object storage is down, and fails with what to do", async () => {
    /** Answers as storage that is out of order. */
    const server = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    vi.stubEnv("AWS_ENDPOINT", `http://127.0.0.1:${port}`);
    vi.stubEnv("AWS_ALLOW_HTTP", "true");
    vi.stubEnv("AWS_REGION", "us-east-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "some");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "some");
    try {
      mkdirSync(join(dir, "one"));
      const index = await open(join(dir, "one", "index.db"), "s3://bucket/code");
      await expect(index.readKnownFiles()).rejects.toMatchObject({
        code: "index_unavailable",
        message: expect.stringContaining("s3://bucket/code"),
        hint: expect.stringContaining("index.url"),
      });
    } finally {
      server.close();
    }
  });
});
