import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { ModelStatus } from "../../src/features/status/operation.ts";
import type { SearchResponse } from "../../src/protocol/results.ts";
import { startFakeOllama } from "../support/fake-ollama-embedder.ts";
import { startFakeOpenai } from "../support/fake-openai-embedder.ts";
import { fakeVector } from "../support/fake-server.ts";
import {
  cleanUp,
  createProject,
  found,
  modules,
  pmJson,
  start,
  status,
  until,
  write,
} from "./daemon-fixture.ts";

/** A second embedding model beside the bundled one, from the first chunk to a server that goes away. */

let ollama: Awaited<ReturnType<typeof startFakeOllama>>;
let project: Project;
/** Texts the server has embedded, and after how many it falls silent. */
let embedded: number;
let silentAfter: number;

beforeEach(async () => {
  embedded = 0;
  silentAfter = Number.POSITIVE_INFINITY;
  ollama = await startFakeOllama({
    vector(text, dimensions) {
      if (++embedded === silentAfter) ollama.faults.push(...Array(1000).fill("silence"));
      return fakeVector(text, dimensions);
    },
  });
  process.env.POMMEL_EMBED_CODE = "ollama/nomic-embed-text";
  process.env.POMMEL_OLLAMA_URL = ollama.url;
  project = createProject(modules(60));
});

afterEach(async () => {
  delete process.env.POMMEL_EMBED_CODE;
  delete process.env.POMMEL_OLLAMA_URL;
  await cleanUp();
  await ollama.close();
});

/** The bundled model and the other. */
const models = async () => (await status(project)).models.code as [ModelStatus, ModelStatus];
/** Nothing lacks vectors before the first file is indexed, either. */
const hasAllVectors = async () => {
  const [, second] = await models();
  return second.state === "ready" && second.chunks_total > 0;
};
const search = (query: string) => pmJson<SearchResponse>(project, "search", "code", query);
const passagesAsked = () =>
  ollama.requests.flatMap(({ body }) => body.input.filter((text) => text.startsWith("search_document:")));

test("is used as soon as it has vectors, in the background, and once for each chunk", async () => {
  await start(project);
  await until(hasAllVectors);
  const [first, second] = await models();
  expect(first).toMatchObject({ state: "ready", chunks_embedded: second.chunks_total });
  expect(second).toMatchObject({ dimensions: 768, chunks_missing: 0, chunks_pending: 0 });
  expect(passagesAsked()).toHaveLength(second.chunks_total);
  expect(await search("compute7")).toMatchObject({ searched_by: ["words", first.id, second.id], notes: [] });

  const asked = passagesAsked();
  const [path, text] = Object.entries(modules(60))[7]!;
  write(project, path, `${text}\nexport function changedLater() {\n  return 5_000;\n}\n`);
  await until(async () => (await found(project, "changedLater"))[0] === path);
  await until(async () => (await models())[1].chunks_pending === 0);
  // What stayed the same in the file keeps its vectors.
  const again = passagesAsked().slice(asked.length);
  expect(again.some((passage) => passage.includes("changedLater"))).toBe(true);
  expect(again.filter((passage) => asked.includes(passage))).toEqual([]);

  write(project, "src/more.ts", "export function poison() {}\n\nexport function saved() {}\n");
  await until(async () => (await models())[1].chunks_missing > 0 && (await models())[1].state === "ready");
  expect((await search("saved")).results[0]?.file).toBe("src/more.ts");
});

test("goes on where it was when the daemon is killed", async () => {
  silentAfter = 100;
  await start(project);
  await until(() => embedded >= silentAfter);
  const { pid } = (await status(project)).daemon;
  process.kill(pid!, "SIGKILL");
  const asked = passagesAsked().length;
  await until(async () => !(await status(project)).daemon.running);
  const [, before] = await models();
  expect(before.state).toBe("waiting");
  expect(before.chunks_embedded).toBeGreaterThan(0);
  expect(before.chunks_pending).toBeGreaterThan(0);
  ollama.faults.length = 0;
  await start(project);
  await until(hasAllVectors);
  const [first, second] = await models();
  expect(second.chunks_embedded).toBe(first.chunks_total);
  // Stored vectors are not requested again; those under way are.
  expect(passagesAsked().length - asked).toBe(before.chunks_pending);
});

test("is left out, with a note, while its server is away", async () => {
  await start(project);
  await until(hasAllVectors);
  await ollama.close();
  const answer = await search("compute7 again");
  expect(answer.results.length).toBeGreaterThan(0);
  expect(answer.searched_by).toHaveLength(2);
  expect(answer.notes).toEqual([expect.stringMatching(/ollama/i)]);
  await until(async () => (await models())[1].state === "unavailable");
});

test("that is not there keeps nothing from being indexed and found", async () => {
  process.env.POMMEL_EMBED_CODE = "ollama/unknown-model";
  await start(project);
  await until(async () => (await models()).map(({ state }) => state).join() === "ready,unavailable");
  const [first, second] = await models();
  expect(first.chunks_embedded).toBeGreaterThan(0);
  expect(second.message).toContain("ollama pull unknown-model");
  expect((await search("compute7")).results.length).toBeGreaterThan(0);
});

test("gets the key of its API from our environment", async () => {
  const openai = await startFakeOpenai({ models: { small: 64 } });
  Object.assign(process.env, {
    POMMEL_EMBED_CODE: "openai/small",
    POMMEL_OPENAI_URL: openai.url,
    POMMEL_OPENAI_KEY_ENV: "TEST_API_KEY",
    TEST_API_KEY: "sk-right",
  });
  try {
    await start(project);
    await until(hasAllVectors);
    expect((await search("compute7")).searched_by).toHaveLength(3);
  } finally {
    for (const name of ["POMMEL_OPENAI_URL", "POMMEL_OPENAI_KEY_ENV", "TEST_API_KEY"]) {
      delete process.env[name];
    }
    await openai.close();
  }
});
