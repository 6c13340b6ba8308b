import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeOllama } from "../support/fake-ollama-embedder.ts";
import { startFakeOpenai } from "../support/fake-openai-embedder.ts";
import type { FakeServer } from "../support/fake-server.ts";
import { callPm, type PmResult, pmFile, temporaryDir } from "./run-pm.ts";

/** Texts about requests are near to the question of `pm models test`. */
function meaningfulVector(text: string, dimensions: number): number[] {
  return [text.includes("request") ? 1 : -1, 0.1, ...new Array<number>(dimensions - 2).fill(0)];
}

let ollama: FakeServer & { models: Record<string, number> };
let env: NodeJS.ProcessEnv;
const cwd = temporaryDir();

beforeEach(async () => {
  ollama = await startFakeOllama({ vector: meaningfulVector, registry: { "mxbai-embed-large": 1024 } });
  env = { POMMEL_OLLAMA_URL: ollama.url, OPENAI_API_KEY: "" };
});
afterEach(() => ollama.close());

function models(...args: string[]): Promise<PmResult> {
  return callPm(["models", ...args], { cwd, env });
}

async function json(...args: string[]) {
  const { stdout, ...rest } = await models(...args, "--json");
  return { ...rest, value: JSON.parse(stdout) };
}

describe("pm models list", () => {
  it("says of every embedder whether it can be used, outside of a project too", async () => {
    const { code, value } = await json();
    expect(code).toBe(0);
    expect(value).toMatchObject({ code: "static", text: "static" });
    const names = value.embedders.map(({ embedder }: { embedder: string }) => embedder);
    expect(names).toEqual(["none", "static", "ollama/nomic-embed-text", "openai/text-embedding-3-large"]);
    expect(value.embedders[1]).toMatchObject({ used_for: ["code", "text"] });
    expect(value.embedders[2]).toMatchObject({ usable: true, models: ["nomic-embed-text"], used_for: [] });
    expect(value.embedders[3]).toMatchObject({
      usable: false,
      hint: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  it("adds what is configured, and does not fail because it is down", async () => {
    await ollama.close();
    env.POMMEL_EMBED_CODE = "ollama/mxbai-embed-large";
    const { code, value } = await json("list");
    expect(code).toBe(0);
    expect(value.code).toBe("ollama/mxbai-embed-large");
    expect(value.embedders).toContainEqual(
      expect.objectContaining({
        embedder: "ollama/mxbai-embed-large",
        usable: false,
        detail: expect.stringContaining("connection refused"),
        used_for: ["code"],
      }),
    );
    expect((await models()).stdout).toMatch(/✗ ollama\/mxbai-embed-large .*\(used for code\)/);
  });

  it("does not wait for a server that does not answer", async () => {
    ollama.faults.push("silence");
    const { value } = await json("list");
    expect(value.embedders[2]).toMatchObject({
      usable: false,
      detail: expect.stringContaining("within 1 s"),
    });
  });

  it("lists those that are asked for, and knows a misspelt subcommand from an embedder", async () => {
    const { value } = await json("list", "open");
    expect(value.embedders).toMatchObject([{ embedder: "openai/text-embedding-3-large" }]);
    expect(await models("tset")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown embedder or subcommand: tset."),
    });
  });

  it("uses the project's settings inside of one", async () => {
    const project = temporaryDir();
    await callPm(["config", "set", "embed.text", "none"], { cwd: project });
    const { stdout } = await callPm(["models", "--json"], { cwd: project, env });
    expect(JSON.parse(stdout)).toMatchObject({ code: "static", text: "none" });
  });
});

describe("pm models pull", () => {
  it("has Ollama fetch a model, and says how to use it", async () => {
    const { code, stdout, stderr } = await models("pull", "ollama/mxbai-embed-large");
    expect(code).toBe(0);
    expect(stdout).toContain("pm config set embed.code ollama/mxbai-embed-large");
    expect(stderr).toContain("pulling manifest");
    expect(Object.keys(ollama.models)).toContain("mxbai-embed-large");
    expect(await json("pull", "ollama/mxbai-embed-large")).toMatchObject({
      code: 0,
      value: { embedder: "ollama/mxbai-embed-large", pulled: true, interrupted: false },
    });
  });

  it("has nothing to fetch for embedders without a model of their own", async () => {
    for (const embedder of ["static", "openai"]) {
      const { code, value } = await json("pull", embedder);
      expect({ code, pulled: value.pulled }).toEqual({ code: 0, pulled: false });
    }
    expect((await models("pull", "static")).stdout).toContain("Nothing to pull for static");
  });

  it("fails with what Ollama says, and for what it does not know", async () => {
    expect(await models("pull", "ollama/no-such-model")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("file does not exist"),
    });
    expect(await models("pull", "olama")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Choose from: none, static"),
    });
  });

  it("ends on Ctrl-C with 130", async () => {
    ollama.faults.push("silence");
    const child = spawn(process.execPath, [pmFile, "models", "pull", "ollama"], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(child, "close");
    while (ollama.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
  });
});

describe("pm models test", () => {
  it("shows that an embedder finds what was meant", async () => {
    const { code, value } = await json("test", "ollama");
    expect(code).toBe(0);
    expect(value.embedders).toEqual([
      {
        embedder: "ollama/nomic-embed-text",
        ok: true,
        message: "",
        hint: "",
        dimensions: 768,
        prepare_ms: expect.any(Number),
        embed_ms: expect.any(Number),
        similarity: { related: 1, unrelated: expect.closeTo(-0.98, 2) },
        usage: null,
      },
    ]);
    expect((await models("test", "ollama")).stdout).toContain("Similarity:  1.00 to a text that answers");
  });

  it("fails with the hint when an embedder cannot be used", async () => {
    const { code, stdout } = await models("test", "ollama/mxbai-embed-large");
    expect(code).toBe(1);
    expect(stdout).toContain("ollama pull mxbai-embed-large");
  });

  it("fails when the vectors make no sense", async () => {
    await ollama.close();
    ollama = await startFakeOllama({
      vector: (text) => meaningfulVector(text.includes("/**") ? "" : "request", 768),
    });
    env.POMMEL_OLLAMA_URL = ollama.url;
    expect(await models("test", "ollama")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("ranks an unrelated text above"),
    });
  });

  it("tests what is configured, each once, and knows that none makes no vectors", async () => {
    env.POMMEL_EMBED_CODE = "ollama";
    env.POMMEL_EMBED_TEXT = "none";
    const { code, value } = await json("test");
    expect(code).toBe(0);
    expect(value.embedders).toMatchObject([
      { embedder: "ollama/nomic-embed-text", ok: true },
      { embedder: "none", ok: true, dimensions: 0 },
    ]);
    env.POMMEL_EMBED_TEXT = "ollama/nomic-embed-text";
    expect((await json("test")).value.embedders).toHaveLength(1);
  });

  it("counts what a paid API was asked, and never shows its key", async () => {
    const openai = await startFakeOpenai({ key: "sk-secret" });
    env.POMMEL_OPENAI_URL = openai.url;
    env.POMMEL_OPENAI_KEY_ENV = "SOME_KEY";
    env.SOME_KEY = "sk-secret";
    const asked = await json("test", "openai/text-embedding-3-small@64");
    expect(asked.value.embedders[0]).toMatchObject({ dimensions: 64, usage: { requests: 3, dollars: null } });
    env.SOME_KEY = "sk-other-secret";
    const refused = await models("test", "openai", "--debug");
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("SOME_KEY") });
    expect(refused.stdout + refused.stderr).not.toContain("sk-");
    await openai.close();
  });
});
