import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { embedderContract } from "../../../../test/support/embedder-contract.ts";
import { startFakeOllama } from "../../../../test/support/fake-ollama-embedder.ts";
import { type FakeServer, fakeClock, fakeVector } from "../../../../test/support/fake-server.ts";
import { systemClock } from "../../http/retry.ts";
import type { Embedder } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import { createOllamaEmbedder } from "./ollama-embedder.ts";

describe("against a server", () => {
  let shared: FakeServer;
  beforeAll(async () => {
    shared = await startFakeOllama({ models: { "nomic-embed-text": 768, "of-no-table": 96 } });
  });
  afterAll(() => shared.close());

  embedderContract("ollama", () => createOllamaEmbedder("nomic-embed-text", shared.url), {
    driver: "ollama",
  });
  embedderContract("ollama with an unknown model", () => createOllamaEmbedder("of-no-table", shared.url), {
    driver: "ollama",
  });
});

let server: FakeServer & { models: Record<string, number> };
let clock: ReturnType<typeof fakeClock>;
let embedder: Embedder;

beforeEach(async () => {
  clock = fakeClock();
  server = await startFakeOllama();
  embedder = createOllamaEmbedder("nomic-embed-text", server.url, { clock });
});
afterEach(() => server.close());

/** The vectors that texts have with this model when all is well. */
function expected(texts: string[], prefix = "search_document: "): (Int8Array | null)[] {
  return texts.map((text) => quantise(fakeVector(prefix + text, 768)));
}

const unavailable = (message: string | RegExp, hint: string | RegExp = /./) => ({
  code: "embedder_unavailable",
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});

describe("what it asks for", () => {
  it("uses Ollama's own protocol, with a context longer than its default", async () => {
    await embedder.embed(["open a file"], "passage");
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: "/api/embed",
      body: { model: "nomic-embed-text", truncate: true, options: { num_ctx: 8192 } },
    });
  });

  it("distinguishes questions from passages with the prefixes that the model wants", async () => {
    expect(await embedder.embed(["open a file"], "passage")).toEqual(expected(["open a file"]));
    const question = await embedder.embed(["open a file"], "query");
    expect(question).toEqual(expected(["open a file"], "search_query: "));
  });

  it("gives a model that wants none no such words, whoever published it", async () => {
    server.models["unclemusclez/jina-embeddings-v2-base-code"] = 768;
    const jina = createOllamaEmbedder("unclemusclez/jina-embeddings-v2-base-code", server.url, { clock });
    expect(jina.dimensions).toBe(768);
    expect(await jina.embed(["open"], "query")).toEqual(expected(["open"], ""));
  });

  it("learns the length of a model it does not know from the first answer", async () => {
    server.models["of-no-table"] = 96;
    const unknown = createOllamaEmbedder("of-no-table", server.url, { clock });
    expect(unknown.dimensions).toBe(0);
    await unknown.prepare();
    expect(unknown.dimensions).toBe(96);
  });

  it("takes a tag that means the same for the same", () => {
    expect(createOllamaEmbedder("nomic-embed-text:latest", server.url).id).toBe("ollama/nomic-embed-text");
    const other = createOllamaEmbedder("nomic-embed-text:v1.5", server.url);
    expect(other.id).toBe("ollama/nomic-embed-text:v1.5");
    expect(other.dimensions).toBe(768);
  });

  it("sends at most 32 texts at once, and fewer when they are long", async () => {
    await embedder.embed(Array(70).fill("open a file"), "passage");
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
    server.requests.length = 0;
    await embedder.embed(Array(5).fill("open a file ".repeat(1000)), "passage");
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([2, 2, 1]);
  });

  it("truncates what exceeds every model's window, but never within a character", async () => {
    await embedder.embed(["🦀".repeat(100_000)], "passage");
    const sent = server.requests[0]!.body.input[0]!;
    expect(sent.length).toBeLessThan(10_000);
    expect(sent).not.toMatch(/\p{Surrogate}/u);
  });

  it("sends no half characters", async () => {
    expect(await embedder.embed(["a\ud800b"], "passage")).toEqual(expected(["a\ufffdb"]));
  });

  it("logs in with the user and password of its address, and shows neither", async () => {
    const address = server.url.replace("http://", "http://ada:s%20ecret@");
    const other = createOllamaEmbedder("nomic-embed-text", address, { clock });
    await other.embed(["open"], "passage");
    const credentials = Buffer.from("ada:s ecret").toString("base64");
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${credentials}`);
    server.faults.push({ status: 401, body: { error: `no such user: ada, ${credentials}` } });
    const error = await other.embed(["open"], "passage").catch(String);
    expect(error).toContain("no such user");
    expect(error).not.toContain(credentials);
    expect(error).not.toContain("ecret");
  });
});

describe("when the server has trouble", () => {
  it("tries again after errors that pass, waiting longer each time", async () => {
    server.faults.push("reset", { status: 503, body: { error: "server busy" } }, { status: 500 });
    expect(await embedder.embed(["open"], "passage")).toEqual(expected(["open"]));
    expect(clock.waits).toEqual([500, 1000, 2000]);
  });

  it("tries again after an answer that broke off or is no JSON", async () => {
    server.faults.push("reset midway", "garbage");
    expect(await embedder.embed(["open"], "passage")).toEqual(expected(["open"]));
  });

  it("waits as long as requested", async () => {
    server.faults.push({ status: 429, headers: { "retry-after": "7" } });
    await embedder.embed(["open"], "passage");
    expect(clock.waits).toEqual([7000]);
  });

  it("does not let a question wait for long", async () => {
    server.faults.push({ status: 503 }, { status: 503, body: { error: "server busy" } });
    await expect(embedder.embed(["open"], "query")).rejects.toMatchObject(unavailable("503: server busy"));
    expect(clock.waits).toEqual([500]);
  });

  it("reports that it is not running and how to start it", async () => {
    await server.close();
    const failure = unavailable(
      /^Ollama at http:\/\/127.*does not answer: connection refused\.$/,
      "ollama serve",
    );
    await expect(embedder.prepare()).rejects.toMatchObject(failure);
    await expect(embedder.embed(["open"], "passage")).rejects.toMatchObject(failure);
  });

  it("can be prepared once it runs, though it did not before", async () => {
    server.faults.push("reset", "reset");
    await expect(embedder.prepare()).rejects.toMatchObject(unavailable("broke off"));
    await embedder.prepare();
  });

  it("gives up on a server that does not answer in time, after a second try", async () => {
    const hasty = createOllamaEmbedder("nomic-embed-text", server.url, { clock, timeoutMs: 20 });
    server.faults.push("silence", "silence");
    const failure = unavailable("gave no answer within 0.02 s", "busy");
    await expect(hasty.embed(["open"], "passage")).rejects.toMatchObject(failure);
    // Counted here: in so short a time a request may not have reached a busy server.
    expect(clock.waits).toHaveLength(1);
  });

  it("reports a missing model and how to get it, without trying again", async () => {
    const missing = createOllamaEmbedder("mxbai-embed-large", server.url, { clock });
    const failure = unavailable(
      /^Ollama at .* has no model mxbai-embed-large\.$/,
      "ollama pull mxbai-embed-large.*pm models pull ollama/mxbai-embed-large",
    );
    await expect(missing.prepare()).rejects.toMatchObject(failure);
    await expect(missing.embed(["open"], "passage")).rejects.toMatchObject(failure);
    expect(clock.waits).toEqual([]);
  });

  it("reports another program at its address", async () => {
    const lost = createOllamaEmbedder("nomic-embed-text", `${server.url}/elsewhere`, { clock });
    await expect(lost.prepare()).rejects.toMatchObject(unavailable("answered 404", "ollama.url"));
    server.faults.push("garbage", "garbage");
    await expect(embedder.prepare()).rejects.toMatchObject(unavailable("something unexpected"));
  });

  it("follows no redirect: texts go only where they are meant to", async () => {
    server.faults.push({ status: 307, headers: { location: "https://example.com/api/embed" } });
    const failure = unavailable("it redirects to https://example.com");
    await expect(embedder.embed(["open"], "passage")).rejects.toMatchObject(failure);
  });
});

describe("when a text is at fault", () => {
  it("leaves out only that text", async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `open file ${i}`);
    texts[13] = "poison";
    const wanted = expected(texts);
    wanted[13] = null;
    expect(await embedder.embed(texts, "passage")).toEqual(wanted);
    expect(clock.waits).toEqual([]);
  });

  it("leaves out every text that is, also when it is the only one", async () => {
    expect(await embedder.embed(["poison", "poison 2"], "passage")).toEqual([null, null]);
    expect(await embedder.embed(["poison"], "passage")).toEqual([null]);
  });

  it("shortens a text that a server refuses to cut", async () => {
    await server.close();
    server = await startFakeOllama({ refuseAbove: 3000 });
    const strict = createOllamaEmbedder("nomic-embed-text", server.url, { clock });
    const [short, long] = await strict.embed(["open", "read a line ".repeat(1000)], "passage");
    expect(short).toEqual(expected(["open"])[0]);
    const sent = server.requests.at(-1)!.body.input[0]!;
    expect(long).toEqual(quantise(fakeVector(sent, 768)));
    expect(sent.length).toBeGreaterThan(1500);
  });

  it("blames the server when it refuses every text", async () => {
    const refusal = { status: 400, body: { error: "this model does not support embeddings" } };
    server.faults.push(refusal, refusal);
    const failure = unavailable("does not support embeddings", "model for embeddings");
    await expect(embedder.embed(["open", "close"], "passage")).rejects.toMatchObject(failure);
    expect(server.requests).toHaveLength(2);
  });

  it("blames the server when it keeps failing, not the texts", async () => {
    for (let i = 0; i < 6; i++) server.faults.push({ status: 500, body: { error: "runner crashed" } });
    const failure = unavailable("runner crashed");
    await expect(embedder.embed(["open", "close"], "passage")).rejects.toMatchObject(failure);
  });
});

describe("when the vectors are not what they should be", () => {
  it("takes none of another length than the model's", async () => {
    server.models["nomic-embed-text"] = 512;
    const failure = unavailable(/a vector of 512 numbers instead of 768 for nomic-embed-text/);
    await expect(embedder.prepare()).rejects.toMatchObject(failure);
    await expect(embedder.embed(["open"], "passage")).rejects.toMatchObject(failure);
  });

  it("takes none of another length than before, or than each other", async () => {
    server.models["of-no-table"] = 96;
    const unknown = createOllamaEmbedder("of-no-table", server.url, { clock });
    await unknown.embed(["open"], "passage");
    server.models["of-no-table"] = 128;
    await expect(unknown.embed(["open"], "passage")).rejects.toMatchObject(unavailable("128"));
    const mixed = { embeddings: [fakeVector("a", 96), fakeVector("b", 95)] };
    server.faults.push({ status: 200, body: mixed });
    await expect(unknown.embed(["a", "b"], "passage")).rejects.toMatchObject(unavailable("95"));
    const other = createOllamaEmbedder("of-no-table", server.url, { clock });
    server.faults.push({ status: 200, body: mixed });
    await expect(other.embed(["a", "b"], "passage")).rejects.toMatchObject(unavailable("95"));
    expect(other.dimensions).toBe(0);
  });

  it("takes none when there are too few", async () => {
    server.faults.push({ status: 200, body: { embeddings: [fakeVector("a", 768)] } });
    const failure = unavailable("vectors for 1 of 2 texts");
    await expect(embedder.embed(["a", "b"], "passage")).rejects.toMatchObject(failure);
  });

  it("has none for a text whose vector is zero", async () => {
    server.faults.push({ status: 200, body: { embeddings: [Array(768).fill(0)] } });
    expect(await embedder.embed(["a"], "passage")).toEqual([null]);
  });
});

describe("when it is aborted", () => {
  it("stops waiting for an answer at once", async () => {
    server.faults.push("silence");
    const abortion = new AbortController();
    const before = server.requests.length;
    const answer = embedder.embed(["open"], "passage", abortion.signal);
    await expect.poll(() => server.requests.length).toBe(before + 1);
    abortion.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    expect(await embedder.embed(["open"], "passage")).toEqual(expected(["open"]));
  });

  it("stops waiting for the next try at once", async () => {
    const abortion = new AbortController();
    const patient = createOllamaEmbedder("nomic-embed-text", server.url, {
      clock: {
        ...systemClock,
        sleep(ms, signal) {
          const slept = systemClock.sleep(ms, signal);
          abortion.abort(new Error("enough"));
          return slept;
        },
      },
    });
    server.faults.push({ status: 503, headers: { "retry-after": "50" } });
    const answer = patient.embed(["open"], "passage", abortion.signal);
    await expect(answer).rejects.toThrow("enough");
  });
});
