import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeOllama } from "../../../../test/support/fake-ollama-llm.ts";
import { type FakeServer, fakeClock } from "../../../../test/support/fake-server.ts";
import { llmContract } from "../../../../test/support/llm-contract.ts";
import type { LlmOptions } from "../llm.ts";
import { ollamaDriver } from "./ollama-llm.ts";

const createOllamaLlm = (model: string, ollamaUrl: string, options: LlmOptions = {}) =>
  ollamaDriver.create(model, { ollamaUrl, openaiUrl: "", openaiKeyVariable: "" }, options)!;

llmContract("ollama", {
  driver: "ollama",
  start: startFakeOllama,
  create: (url, options) => createOllamaLlm("llama3.1:8b", url, options),
});

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeOllama();
});
afterEach(() => server.close());

const create = (model = "llama3.1:8b") => createOllamaLlm(model, server.url, { clock: fakeClock() });
const request = { prompt: "Name a colour.", maxTokens: 1000, temperature: 0 };

describe("what it asks for", () => {
  it("asks without a stream, with the temperature and length that were asked for", async () => {
    await create().generate(request);
    expect(server.requests[0]).toMatchObject({
      path: "/api/generate",
      body: {
        model: "llama3.1:8b",
        prompt: "Name a colour.",
        stream: false,
        options: { num_predict: 1000, temperature: 0 },
      },
    });
    expect(server.requests[0]!.body).not.toHaveProperty("format");
    expect(server.requests[0]!.body).not.toHaveProperty("system");
  });

  it("asks for one of few windows that holds prompt and answer", async () => {
    for (const length of [10, 20_000, 40_000, 120_000]) {
      await create().generate({ ...request, prompt: "x".repeat(length) });
    }
    const windows = server.requests.map(({ body }) => (body.options as { num_ctx: number }).num_ctx);
    expect(windows).toEqual([4096, 8192, 16_384, 65_536]);
  });

  it("refuses a prompt that exceeds every window, and sends nothing", async () => {
    const failure = { code: "llm_unavailable", message: expect.stringContaining("too long") };
    await expect(create().generate({ ...request, prompt: "x".repeat(300_000) })).rejects.toMatchObject(
      failure,
    );
    expect(server.requests).toEqual([]);
  });
});

describe("what it costs", () => {
  it("is nothing on this machine, and unknown elsewhere", async () => {
    expect((await create().generate(request)).dollars).toBe(0);
    const cloud = createOllamaLlm("gpt-oss:120b-cloud", server.url);
    server.faults.push({ status: 200, body: { response: "Blue." } });
    expect((await cloud.generate(request)).dollars).toBeNull();
  });

  it("is estimated where the server does not count", async () => {
    server.faults.push({ status: 200, body: { response: "Blue, or red." } });
    const { inputTokens, outputTokens } = await create().generate(request);
    expect(inputTokens).toBeGreaterThan(4);
    expect(outputTokens).toBe(5);
  });
});

describe("when something is missing", () => {
  it("explains how to get the model", async () => {
    await expect(create("mistral").generate(request)).rejects.toMatchObject({
      code: "llm_unavailable",
      message: `Ollama at ${server.url} has no model mistral.`,
      hint: "Run `ollama pull mistral`.",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("explains how to start the server", async () => {
    await server.close();
    await expect(create().generate(request)).rejects.toMatchObject({
      hint: expect.stringMatching(/`ollama serve`.*ollama\.url/),
    });
  });
});

describe("isLocal", () => {
  const isLocal = (ollamaUrl: string, model = "llama3.1:8b") =>
    ollamaDriver.isLocal(model, { ollamaUrl, openaiUrl: "http://x/v1", openaiKeyVariable: "K" });

  it("is what runs on this machine", () => {
    for (const url of ["http://127.0.0.1:11434", "http://localhost:11434", "http://[::1]:11434"]) {
      expect(isLocal(url)).toBe(true);
    }
    for (const url of [
      "http://gpu.local:11434",
      "http://10.0.0.7:11434",
      "http://127.0.0.1.evil.example",
      "http://localhost.evil.example",
      "http://localhost@evil.example",
    ]) {
      expect(isLocal(url)).toBe(false);
    }
  });

  it("is not what this machine passes on", () => {
    expect(isLocal("http://127.0.0.1:11434", "gpt-oss:120b-cloud")).toBe(false);
    expect(isLocal("http://127.0.0.1:11434", "glm-4.6:cloud")).toBe(false);
    expect(isLocal("http://127.0.0.1:11434", "cloudy:7b")).toBe(true);
  });
});
