import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chunkRecord, indexedFile } from "../../../test/support/record-fixture.ts";
import type { EmbedProgress } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { describeCodeModels } from "./status.ts";

let dir: string;
let index: SqliteIndex;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "pommel-models-"));
  index = SqliteIndex.open(join(dir, "index.db"), { readonly: false });
  await index.replace(indexedFile("a.ts", [chunkRecord("1"), chunkRecord("2"), chunkRecord("3")]), {
    model: "small",
    dimensions: 1,
    vectors: [Int8Array.from([1]), null, Int8Array.from([1])],
  });
});

afterEach(async () => {
  await index.close();
  rmSync(dir, { recursive: true, force: true });
});

function model(id: string, dimensions: number, more: Partial<Embedder> = {}): Embedder {
  const embed: Embedder["embed"] = async (texts) => texts.map(() => null);
  return { id, dimensions, prepare: async () => {}, close: async () => {}, embed, ...more };
}

const small = model("small", 1);
const large = model("large", 2);
const deadlineMs = 1;

it("counts what each model has seen", async () => {
  const [first, second] = await describeCodeModels(index, { first: small, second: large, deadlineMs });
  expect(first).toEqual({
    id: "small",
    dimensions: 1,
    state: "ready",
    message: null,
    chunks_total: 3,
    chunks_embedded: 2,
    chunks_missing: 1,
    chunks_pending: 0,
    eta_seconds: null,
    usage: null,
  });
  expect(second).toMatchObject({ id: "large", state: "waiting", chunks_embedded: 0, chunks_pending: 3 });
});

it("shows the progress of the pass, and why it stopped", async () => {
  const progress: EmbedProgress = { state: "embedding", problem: null, chunksPerSecond: 2 };
  const described = async (more: Partial<EmbedProgress>, problem: string | null = null) => {
    const life = {
      progressOf: (id: string) => (id === "large" ? { ...progress, ...more } : null),
      problemWith: () => problem,
    };
    return (await describeCodeModels(index, { first: small, second: large, deadlineMs }, life))[1];
  };
  expect(await described({})).toMatchObject({ state: "embedding", eta_seconds: 2 });
  expect(await described({ chunksPerSecond: 0 })).toMatchObject({ state: "embedding", eta_seconds: null });
  expect(await described({ state: "unavailable", problem: "No server." })).toMatchObject({
    state: "unavailable",
    message: "No server.",
    eta_seconds: null,
  });
  // The pass is done, but the server has gone since: a search found out.
  expect(await described({ state: "resting" }, "No server.")).toMatchObject({ state: "unavailable" });
});

it("reports a damaged bundled model, with the fix", async () => {
  const [described] = await describeCodeModels(index, {
    first: createStaticEmbedder(join(dir, "nowhere")),
    second: null,
    deadlineMs,
  });
  expect(described).toMatchObject({ state: "unavailable", chunks_embedded: 0, chunks_pending: 3 });
  expect(described?.message).toContain("Reinstall Pommel");
});

it("shows what a model has cost", async () => {
  const usage = { requests: 1, tokens: 20, dollars: null };
  const metered = model("large", 2, { usage: () => usage });
  const [, second] = await describeCodeModels(index, { first: small, second: metered, deadlineMs });
  expect(second?.usage).toEqual(usage);
});

it("has no message without a model", async () => {
  expect(await describeCodeModels(index, { first: null, second: null, deadlineMs })).toEqual([]);
});
