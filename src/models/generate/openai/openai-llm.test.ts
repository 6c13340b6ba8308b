import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeOpenai } from "../../../../test/support/fake-openai-llm.ts";
import { type FakeServer, fakeClock } from "../../../../test/support/fake-server.ts";
import { llmContract } from "../../../../test/support/llm-contract.ts";
import { createOpenaiLlm, openaiDriver } from "./openai-llm.ts";

type OpenaiOptions = Parameters<typeof createOpenaiLlm>[2];

const keyVariable = "POMMEL_TEST_KEY";
const env = { [keyVariable]: "sk-right" };

llmContract("openai", {
  driver: "openai",
  start: (answering) => startFakeOpenai({ answering }),
  create: (url, options) =>
    createOpenaiLlm("gpt-4o-mini", { url, keyVariable }, { env, isOpenai: true, ...options }),
});
llmContract("openai at another server without a key", {
  driver: "openai",
  start: (answering) => startFakeOpenai({ answering, key: null }),
  create: (url, options) => createOpenaiLlm("local", { url, keyVariable }, { env: {}, ...options }),
});

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeOpenai();
});
afterEach(() => server.close());

async function restart(options: Parameters<typeof startFakeOpenai>[0]): Promise<void> {
  await server.close();
  server = await startFakeOpenai(options);
}

const create = (model = "gpt-4o-mini", options: OpenaiOptions = {}) =>
  createOpenaiLlm(
    model,
    { url: server.url, keyVariable },
    { clock: fakeClock(), env, isOpenai: true, ...options },
  );
const request = { prompt: "Name a colour.", maxTokens: 200, temperature: 0.3 };

describe("what it asks for", () => {
  it("asks in OpenAI's protocol, with the key from the environment", async () => {
    await create().generate({ ...request, system: "Be brief." });
    expect(server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk-right" },
    });
    expect(server.requests[0]!.body).toEqual({
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Name a colour." },
      ],
      max_completion_tokens: 200,
      temperature: 0.3,
    });
  });

  it("asks other servers by the older name, which they know", async () => {
    await create("local", { isOpenai: false }).generate(request);
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 200 });
    expect(server.requests[0]!.body).not.toHaveProperty("max_completion_tokens");
  });

  it("does without parameters that a model refuses, and remembers it", async () => {
    await restart({ refuses: ["temperature", "response_format"] });
    const llm = create("gpt-5-mini");
    expect((await llm.generate({ ...request, json: true })).text).toContain("Name a colour.");
    expect(server.requests).toHaveLength(3);
    await llm.generate({ ...request, json: true });
    expect(server.requests).toHaveLength(4);
    expect(server.requests.at(-1)!.body).toMatchObject({
      max_completion_tokens: 200,
      reasoning_effort: "low",
    });
  });

  it("limits the answer by the name that the server takes", async () => {
    await restart({ refuses: ["max_tokens"] });
    await create("local", { isOpenai: false }).generate(request);
    expect(server.requests.at(-1)!.body).toMatchObject({ max_completion_tokens: 200 });
    await restart({ refuses: ["max_completion_tokens"] });
    await create("gpt-4o-mini").generate(request);
    expect(server.requests.at(-1)!.body).toMatchObject({ max_tokens: 200 });
  });

  it("gives up where the server refuses every way to limit the answer", async () => {
    await restart({ refuses: ["max_tokens", "max_completion_tokens"] });
    const llm = create();
    for (const _ of [1, 2]) {
      await expect(llm.generate(request)).rejects.toMatchObject({ code: "llm_unavailable" });
    }
  });

  it("keeps models of one name at different servers apart", () => {
    expect(create().id).toBe("openai/gpt-4o-mini");
    expect(create("local", { isOpenai: false }).id).toBe(`openai/local at ${new URL(server.url).host}`);
  });
});

describe("the key", () => {
  it("is asked for when it is missing, naming the variable", async () => {
    for (const none of [{}, { [keyVariable]: "" }, { [keyVariable]: " \n" }]) {
      await expect(create("gpt-4o-mini", { env: none }).generate(request)).rejects.toMatchObject({
        code: "llm_unavailable",
        message: expect.stringContaining(`${keyVariable} is not set`),
        hint: expect.stringContaining(`Set ${keyVariable}`),
      });
    }
    expect(server.requests).toEqual([]);
  });

  it("is never shown: not when it is refused, nor when the server repeats it", async () => {
    const secret = "sk-wrong-but-secret";
    const wrong = create("gpt-4o-mini", { env: { [keyVariable]: secret } });
    const failures = [await wrong.generate(request).catch((error: unknown) => error)];
    server.faults.push({ status: 400, body: { error: { message: `No such thing: ${secret}` } } });
    failures.push(await wrong.generate(request).catch((error: unknown) => error));
    for (const failure of failures) {
      expect(failure).toMatchObject({ code: "llm_unavailable" });
      const { message, hint, stack, cause } = failure as { [key: string]: unknown };
      expect(`${message} ${hint} ${stack} ${JSON.stringify(cause)} ${cause}`).not.toContain(secret);
    }
  });
});

describe("what it costs", () => {
  it("uses the list price", async () => {
    for (const model of ["gpt-4o-mini", "gpt-4o-mini-2024-07-18"]) {
      const { dollars, inputTokens, outputTokens } = await create(model).generate(request);
      expect(dollars).toBeCloseTo((inputTokens * 0.15 + outputTokens * 0.6) / 1e6, 12);
    }
  });

  it("is unknown for other models and servers, and nothing on this machine", async () => {
    for (const model of ["gpt-9", "constructor"])
      expect((await create(model).generate(request)).dollars).toBeNull();
    await restart({ key: null });
    expect((await create("local", { isOpenai: false, env: {} }).generate(request)).dollars).toBe(0);
  });

  it("is estimated where the server does not count", async () => {
    server.faults.push({ status: 200, body: { choices: [{ message: { content: "Blue, or red." } }] } });
    expect(await create().generate(request)).toMatchObject({ text: "Blue, or red.", outputTokens: 5 });
  });
});

describe("when something is at fault", () => {
  it("reports that the model does not exist", async () => {
    await expect(create("nope").generate(request)).rejects.toMatchObject({
      code: "llm_unavailable",
      message: expect.stringContaining("The model `nope` does not exist"),
      hint: expect.stringMatching(/model's name.*openai\.url/),
    });
  });

  it("does not wait for an account without credit", async () => {
    const error = { message: "You exceeded your current quota.", code: "insufficient_quota" };
    server.faults.push({ status: 429, body: { error } });
    await expect(create().generate(request)).rejects.toMatchObject({
      hint: expect.stringContaining("credit"),
    });
    expect(server.requests).toHaveLength(1);
  });
});

it("is local where the API is on this machine", () => {
  const isLocal = (openaiUrl: string) =>
    openaiDriver.isLocal("x", { openaiUrl, ollamaUrl: "http://127.0.0.1:1", openaiKeyVariable: "K" });
  expect(isLocal("http://127.0.0.1:1234/v1")).toBe(true);
  expect(isLocal("https://api.openai.com/v1")).toBe(false);
});
