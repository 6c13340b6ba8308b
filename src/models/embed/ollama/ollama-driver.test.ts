import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeOllama } from "../../../../test/support/fake-ollama-embedder.ts";
import type { FakeServer } from "../../../../test/support/fake-server.ts";
import type { EmbedderSettings, PullProgress } from "../embedder.ts";
import { ollamaDriver } from "./ollama-embedder.ts";

let server: FakeServer;
let settings: EmbedderSettings;
const { signal } = new AbortController();

beforeEach(async () => {
  server = await startFakeOllama({
    models: { "nomic-embed-text": 768, "llama3.2:3b": 3072 },
    registry: { "jina/code": 768, "nomic-embed-text": 768 },
  });
  settings = { ollamaUrl: server.url, openaiUrl: "http://x", openaiKeyVariable: "X" };
});
afterEach(() => server.close());

describe("available", () => {
  const available = (model: string) => ollamaDriver.checkAvailability!(model, settings, signal);

  it("finds a model that is installed, with or without its tag, and lists all", async () => {
    const found = { usable: true, hint: "", models: ["nomic-embed-text", "llama3.2:3b"] };
    expect(await available("nomic-embed-text")).toMatchObject(found);
    expect(await available("nomic-embed-text:latest")).toMatchObject(found);
    expect(await available("llama3.2:3b")).toMatchObject(found);
  });

  it("lists only models for embeddings if the server distinguishes them", async () => {
    const models = [
      { name: "nomic-embed-text:latest", capabilities: ["embedding"] },
      { name: "llama3.2:3b", capabilities: ["completion", "tools"] },
    ];
    server.faults.push({ status: 200, body: { models } });
    expect(await available("nomic-embed-text")).toMatchObject({ models: ["nomic-embed-text"] });
  });

  it("explains how to get a missing model", async () => {
    expect(await available("llama3.2")).toMatchObject({
      usable: false,
      detail: expect.stringContaining("has no model llama3.2"),
      hint: expect.stringContaining("pm models pull ollama/llama3.2"),
    });
  });

  it("reports a server that is down, or is not Ollama", async () => {
    server.faults.push("garbage");
    expect(await available("x")).toMatchObject({
      usable: false,
      detail: expect.stringContaining("unexpected"),
    });
    await server.close();
    expect(await available("x")).toMatchObject({
      usable: false,
      detail: expect.stringContaining("connection refused"),
      hint: expect.stringContaining("ollama serve"),
    });
  });
});

describe("pull", () => {
  async function pull(model: string, given: AbortSignal = signal): Promise<PullProgress[]> {
    const seen: PullProgress[] = [];
    await ollamaDriver.pull!(model, settings, (progress) => seen.push(progress), given);
    return seen;
  }

  it("reports the bytes of all layers together until the model is there", async () => {
    const seen = await pull("jina/code");
    expect(server.requests[0]).toMatchObject({
      path: "/api/pull",
      body: { model: "jina/code", stream: true },
    });
    expect(seen[0]).toEqual({ step: "pulling manifest", done: 0, total: 0 });
    expect(seen).toContainEqual({ step: "pulling 970aa74c0a90", done: 137_145_328, total: 274_290_656 });
    expect(seen.at(-1)).toEqual({ step: "success", done: 274_302_013, total: 274_302_013 });
    expect((await ollamaDriver.checkAvailability!("jina/code", settings, signal)).usable).toBe(true);
  });

  it("reports why a model cannot be pulled, whether that comes at once or amid the stream", async () => {
    await expect(pull("no-such-model")).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("pull no-such-model: pull model manifest: file does not exist"),
      hint: expect.stringContaining("ollama.com"),
    });
    server.faults.push({ status: 400, body: { error: "invalid model name" } });
    await expect(pull("??")).rejects.toThrow("invalid model name");
  });

  it("does not take a stream that broke off for a model", async () => {
    server.faults.push({ status: 200, body: { status: "pulling manifest" } });
    await expect(pull("jina/code")).rejects.toThrow("broke off");
    server.faults.push("reset midway");
    await expect(pull("jina/code")).rejects.toThrow("broke off");
    server.faults.push("garbage");
    await expect(pull("jina/code")).rejects.toThrow("unexpected");
  });

  it("explains how to start a server that is down", async () => {
    await server.close();
    await expect(pull("jina/code")).rejects.toMatchObject({ hint: expect.stringContaining("ollama serve") });
  });

  it("stops when it is aborted", async () => {
    server.faults.push("silence");
    const abortion = new AbortController();
    const before = server.requests.length;
    const pulling = pull("jina/code", abortion.signal);
    await expect.poll(() => server.requests.length).toBe(before + 1);
    abortion.abort(new Error("enough"));
    await expect(pulling).rejects.toThrow("enough");
  });
});
