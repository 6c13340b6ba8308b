import { describe, expect, it } from "vitest";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { createLlm, isLocal, readLlmSpec, toLlmSettings } from "./registry.ts";

const settings = toLlmSettings(makeDefaultConfig());

describe("readLlmSpec", () => {
  it("reads a driver and its model", () => {
    expect(readLlmSpec("ollama/llama3.1:8b")).toMatchObject({
      driver: { name: "ollama" },
      model: "llama3.1:8b",
    });
    expect(readLlmSpec("ollama").spec).toBe("ollama/llama3.1:8b");
    expect(readLlmSpec("openai/meta-llama/Llama-3.1-8B").model).toBe("meta-llama/Llama-3.1-8B");
    expect(readLlmSpec("none")).toMatchObject({ model: "", spec: "none" });
  });

  it("refuses what it does not know", () => {
    for (const [spec, words] of [
      ["claude/x", "claude"],
      ["", "Unknown language model driver"],
      ["none/x", "takes no model name"],
      ["openai", "needs a model"],
      ["openai/", "needs a model"],
    ] as const) {
      expect(() => readLlmSpec(spec)).toThrow(
        expect.objectContaining({ code: "usage", message: expect.stringContaining(words) }),
      );
    }
  });
});

describe("createLlm", () => {
  it("makes the named model, or none", () => {
    expect(createLlm("none", settings)).toBeNull();
    expect(createLlm("ollama", settings)!.id).toBe("ollama/llama3.1:8b");
    expect(createLlm("openai/gpt-4o-mini", settings)!.id).toBe("openai/gpt-4o-mini");
  });

  it("knows what stays on this machine", () => {
    expect(isLocal(settings, "none")).toBe(false);
    expect(isLocal(settings, "ollama")).toBe(true);
    expect(isLocal({ ...settings, ollamaUrl: "http://gpu.local:11434" }, "ollama")).toBe(false);
    expect(isLocal(settings, "openai/gpt-4o-mini")).toBe(false);
  });
});
