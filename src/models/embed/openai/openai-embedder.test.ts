import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { embedderContract } from "../../../../test/support/embedder-contract.ts";
import { startFakeOpenai } from "../../../../test/support/fake-openai-embedder.ts";
import { type FakeServer, fakeClock, fakeVector } from "../../../../test/support/fake-server.ts";
import type { Embedder } from "../embedder.ts";
import { quantise } from "../quantise.ts";
import { createOpenaiEmbedder, openaiDriver } from "./openai-embedder.ts";

const keyVariable = "POMMEL_TEST_KEY";
const env = { [keyVariable]: "sk-right" };

describe("against a server", () => {
  let official: FakeServer;
  let other: FakeServer;
  beforeAll(async () => {
    official = await startFakeOpenai();
    other = await startFakeOpenai({ key: null, models: { "BAAI/bge-small": 384 } });
  });
  afterAll(() => Promise.all([official.close(), other.close()]));

  embedderContract(
    "openai",
    () =>
      createOpenaiEmbedder(
        "text-embedding-3-large@1024",
        { url: official.url, keyVariable },
        { env, isOpenai: true },
      ),
    { driver: "openai" },
  );
  embedderContract(
    "openai at another server without a key",
    () => createOpenaiEmbedder("BAAI/bge-small", { url: other.url, keyVariable }, { env: {} }),
    { driver: "openai" },
  );
});

let server: FakeServer;
let clock: ReturnType<typeof fakeClock>;
let embedder: Embedder;

beforeEach(async () => {
  clock = fakeClock();
  server = await startFakeOpenai();
  embedder = create("text-embedding-3-large");
});
afterEach(() => server.close());

function create(model: string, options: { env?: NodeJS.ProcessEnv; isOpenai?: boolean } = {}): Embedder {
  return createOpenaiEmbedder(
    model,
    { url: server.url, keyVariable },
    { clock, env, isOpenai: true, ...options },
  );
}

const unavailable = (message: string | RegExp, hint: string | RegExp = /./) => ({
  code: "embedder_unavailable",
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});

describe("what it asks for", () => {
  it("asks in OpenAI's protocol, with the key from the environment", async () => {
    expect(embedder).toMatchObject({ id: "openai/text-embedding-3-large", dimensions: 3072 });
    const vectors = await embedder.embed(["open a file", "close it"], "passage");
    expect(vectors).toEqual(
      ["open a file", "close it"].map((text) => quantise(Float32Array.from(fakeVector(text, 3072)))),
    );
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: "/v1/embeddings",
      headers: { authorization: "Bearer sk-right" },
      body: {
        model: "text-embedding-3-large",
        input: ["open a file", "close it"],
        encoding_format: "base64",
      },
    });
    expect(server.requests[0]!.body).not.toHaveProperty("dimensions");
  });

  it("asks for shorter vectors where the model's name says so, in a space of their own", async () => {
    const short = create("text-embedding-3-large@1024");
    expect(short).toMatchObject({ id: "openai/text-embedding-3-large@1024", dimensions: 1024 });
    expect((await short.embed(["open"], "query"))[0]).toHaveLength(1024);
    expect(server.requests[0]!.body).toMatchObject({ model: "text-embedding-3-large", dimensions: 1024 });
  });

  it("treats an @ without a length as part of the name", async () => {
    await server.close();
    server = await startFakeOpenai({ models: { "@cf/baai/bge-m3": 8 } });
    const embedded = create("@cf/baai/bge-m3", { isOpenai: false });
    expect(await embedded.embed(["open"], "query")).toEqual([quantise(fakeVector("open", 8))]);
  });

  it("keeps models of one name at different servers apart, and does not ask these for base64", async () => {
    const other = create("text-embedding-3-small", { isOpenai: false });
    expect(other.id).toBe(`openai/text-embedding-3-small at ${new URL(server.url).host}`);
    expect(other.dimensions).toBe(0);
    await other.embed(["open"], "passage");
    expect(other.dimensions).toBe(1536);
    expect(server.requests[0]!.body.encoding_format).toBe("float");
  });

  it("keeps requests within the limits, of texts and of tokens", async () => {
    await embedder.embed(Array(600).fill("open a file"), "passage");
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([512, 88]);
    server.requests.length = 0;
    await embedder.embed(Array(40).fill("open a file ".repeat(1200)), "passage");
    for (const { body } of server.requests) {
      expect(body.input.reduce((sum, text) => sum + text.length / 3, 0)).toBeLessThan(300_000);
    }
    expect(server.requests).toHaveLength(2);
  });

  it("cuts a text to what a model takes, in any script", async () => {
    await embedder.embed(["a ".repeat(50_000), "解析".repeat(50_000)], "passage");
    const [latin, chinese] = server.requests[0]!.body.input;
    expect(latin).toHaveLength(16_000);
    // A character may be more than a token.
    expect(chinese!.length).toBeLessThan(8191 / 1.5);
  });
});

describe("the key", () => {
  it("is asked for when it is missing, naming the variable", async () => {
    const failure = unavailable(`${keyVariable} is not set`, `Set ${keyVariable}`);
    for (const none of [{}, { [keyVariable]: "" }, { [keyVariable]: " \n" }]) {
      await expect(create("text-embedding-3-small", { env: none }).prepare()).rejects.toMatchObject(failure);
    }
    expect(server.requests).toEqual([]);
  });

  it("is sent to other servers only when there is one", async () => {
    await create("text-embedding-3-small", { env: {}, isOpenai: false })
      .prepare()
      .catch(() => {});
    expect(server.requests[0]!.headers).not.toHaveProperty("authorization");
    await create("text-embedding-3-small", { isOpenai: false }).prepare();
    expect(server.requests[1]!.headers.authorization).toBe("Bearer sk-right");
  });

  it("is never shown: not when it is refused, nor when the server repeats it, nor when it is no key", async () => {
    const secret = "sk-wrong-but-secret";
    const wrong = create("text-embedding-3-small", { env: { [keyVariable]: secret } });
    const failures = [await wrong.prepare().catch((error: unknown) => error)];
    server.faults.push({ status: 400, body: { error: { message: `Bearer ${secret} is odd` } } });
    failures.push(await wrong.embed(["open"], "query").catch((error: unknown) => error));
    server.faults.push({ status: 404, body: { error: { message: `nothing for ${secret}` } } });
    failures.push(await wrong.embed(["open"], "query").catch((error: unknown) => error));
    const odd = create("text-embedding-3-small", { env: { [keyVariable]: `${secret}\n\u00e9` } });
    failures.push(await odd.prepare().catch((error: unknown) => error));
    expect(failures[0]).toMatchObject(unavailable(`answered 401.*${keyVariable}`, keyVariable));
    expect(failures[2]).toMatchObject(unavailable("nothing for …"));
    expect(failures[3]).toMatchObject(unavailable("is not a valid key"));
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(Error);
      for (let error = failure; error instanceof Error; error = error.cause) {
        expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
      }
    }
  });

  it("is not tried again when it is refused", async () => {
    server.faults.push({ status: 403, body: { error: { message: "Project has no access", code: "x" } } });
    await expect(embedder.embed(["open"], "passage")).rejects.toMatchObject(unavailable("403"));
    expect(server.requests).toHaveLength(1);
  });
});

describe("rate limits", () => {
  it("waits for as long as Retry-After says, in seconds, milliseconds or as a date", async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    for (const headers of [
      { "retry-after": "3" },
      { "retry-after-ms": "1500", "retry-after": "9" },
      { "retry-after": date },
    ]) {
      server.faults.push({ status: 429, body: { error: { message: "Rate limit reached" } }, headers });
      await embedder.embed(["open"], "passage");
    }
    const [seconds, milliseconds, untilDate] = clock.waits.filter((ms) => ms > 0);
    expect([seconds, milliseconds]).toEqual([3000, 1500]);
    expect(untilDate).toBeGreaterThan(20_000);
    expect(untilDate).toBeLessThanOrEqual(30_000);
  });

  it("waits before the next request when the last one used the limit up", async () => {
    const body = { data: [{ index: 0, embedding: fakeVector("a", 3072) }] };
    const headers = {
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6s",
    };
    server.faults.push({ status: 200, body, headers });
    await embedder.embed(["a"], "passage");
    expect(clock.waits).toEqual([]);
    await embedder.embed(["b"], "passage");
    expect(clock.waits).toEqual([6000]);
  });

  it("does not wait for a limit that is none", async () => {
    const body = { data: [{ index: 0, embedding: fakeVector("a", 3072) }] };
    const headers = { "x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0" };
    server.faults.push({ status: 200, body, headers });
    await embedder.embed(["a"], "passage");
    await embedder.embed(["b"], "passage");
    expect(clock.waits).toEqual([]);
  });

  it("fails a query at once that would have to wait, and holds back the calls after it", async () => {
    server.faults.push({ status: 429, headers: { "retry-after": "5" } });
    const question = unavailable("429", "rate limit is used up for another 5 s");
    await expect(embedder.embed(["a"], "query")).rejects.toMatchObject(question);
    await expect(embedder.embed(["a"], "query")).rejects.toMatchObject(
      unavailable("asks to wait another 5 s"),
    );
    expect(server.requests).toHaveLength(1);
    expect(clock.waits).toEqual([]);
    await Promise.all([embedder.embed(["b"], "passage"), embedder.embed(["c"], "passage")]);
    expect(clock.waits).toEqual([5000]);
  });

  it("does not wait for minutes", async () => {
    server.faults.push({ status: 429, headers: { "retry-after": "1200" } });
    await expect(embedder.embed(["a"], "passage")).rejects.toMatchObject(unavailable("429", "1200 s"));
    expect(clock.waits).toEqual([]);
  });

  it("does not wait for an account without credit", async () => {
    const error = { message: "You exceeded your current quota.", code: "insufficient_quota" };
    server.faults.push({ status: 429, body: { error } });
    await expect(embedder.embed(["a"], "passage")).rejects.toMatchObject(unavailable("quota", "credit"));
    expect(server.requests).toHaveLength(1);
  });
});

describe("when something is at fault", () => {
  it("leaves out only the text that is", async () => {
    const texts = ["open", "poison", "close", "read"];
    const vectors = await embedder.embed(texts, "passage");
    expect(vectors.map((vector) => vector !== null)).toEqual([true, false, true, true]);
  });

  it("shortens a text that has more tokens than was thought", async () => {
    const message = "This model's maximum context length is 8192 tokens";
    server.faults.push({ status: 400, body: { error: { message } } });
    const [vector] = await embedder.embed(["open ".repeat(1000)], "passage");
    expect(vector).not.toBeNull();
    expect(server.requests.at(-1)!.body.input[0]).toHaveLength(2500);
  });

  it("reports that the model does not exist", async () => {
    const failure = unavailable("404.*The model `nope` does not exist", "model's name");
    await expect(create("nope").prepare()).rejects.toMatchObject(failure);
  });

  it("reports that a length is too great", async () => {
    const failure = unavailable("Invalid value for 'dimensions' = 9999");
    await expect(create("text-embedding-3-large@9999").prepare()).rejects.toMatchObject(failure);
  });

  it("takes no vectors of another length than was asked for", async () => {
    server.faults.push({ status: 200, body: { data: [{ index: 0, embedding: fakeVector("a", 3072) }] } });
    await expect(create("text-embedding-3-large@256").prepare()).rejects.toMatchObject(
      unavailable("3072.*256"),
    );
  });

  it("tries again after a reset and a server error, and gives up on a network that is down", async () => {
    server.faults.push("reset", { status: 502 });
    expect(await embedder.embed(["a"], "passage")).not.toContain(null);
    await server.close();
    await expect(embedder.embed(["a"], "passage")).rejects.toMatchObject(unavailable("refused", "network"));
  });
});

describe("the meter", () => {
  it("counts requests and tokens, and what they cost", async () => {
    expect(embedder.usage!()).toEqual({ requests: 0, tokens: 0, dollars: 0 });
    await embedder.embed(["x".repeat(4000), "y".repeat(4000)], "passage");
    await embedder.embed(["z".repeat(4000)], "query");
    const { requests, tokens, dollars } = embedder.usage!();
    expect({ requests, tokens }).toEqual({ requests: 2, tokens: 3000 });
    expect(dollars).toBeCloseTo(0.00039, 9);
  });

  it("knows no price at other servers, nor of other models, and counts without a count", async () => {
    for (const other of [create("text-embedding-3-large", { isOpenai: false }), create("unknown")]) {
      server.faults.push({
        status: 200,
        body: { data: [{ index: 0, embedding: [1, 2, 3, ...Array(3069).fill(0)] }] },
      });
      await other.embed(["a"], "passage");
      expect(other.usage!()).toEqual({ requests: 1, tokens: 0, dollars: null });
    }
  });
});

describe("available", () => {
  const settings = { ollamaUrl: "http://x", openaiKeyVariable: keyVariable };
  const { signal } = new AbortController();
  const available = (openaiUrl: string) =>
    openaiDriver.checkAvailability!("text-embedding-3-large", { ...settings, openaiUrl }, signal);
  afterEach(() => {
    delete process.env[keyVariable];
  });

  it("looks for the key, and sends nothing", async () => {
    expect(await available("https://api.openai.com/v1")).toMatchObject({
      usable: false,
      detail: expect.stringContaining(`${keyVariable} is not set`),
      hint: expect.stringContaining(keyVariable),
    });
    process.env[keyVariable] = "sk-right";
    expect(await available("https://api.openai.com/v1")).toMatchObject({ usable: true, hint: "" });
  });

  it("needs no key for other servers", async () => {
    expect(await available(server.url)).toMatchObject({ usable: true });
    expect(server.requests).toEqual([]);
  });
});
