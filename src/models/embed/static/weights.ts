import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** The weights of a model, in memory that threads share: they take 10 MB. */
export interface Weights {
  file: string;
  sha256: string;
  bytes: Uint8Array;
}

const environmentKey = "pommel: weights";

/** Of this thread, as long as anything uses them. */
let ours: WeakRef<Weights> | undefined;

/**
 * Reads weights, unless this thread or the one that started it has them.
 * @throws Error when the file is missing or damaged
 */
export function readWeights(file: string, sha256: string): Weights {
  const known = knownWeights();
  if (known?.file === file && known.sha256 === sha256) return known;
  const weights = { file, sha256, bytes: readShared(file) };
  checkSum(weights.bytes, basename(file), sha256);
  ours = new WeakRef(weights);
  return weights;
}

/** What `start` starts has the weights that are in use here. */
export function sharingWeights<T>(start: () => T): T {
  const given = getEnvironmentData(environmentKey);
  setEnvironmentData(environmentKey, knownWeights());
  try {
    return start();
  } finally {
    setEnvironmentData(environmentKey, given);
  }
}

function knownWeights(): Weights | undefined {
  return ours?.deref() ?? (getEnvironmentData(environmentKey) as unknown as Weights | undefined);
}

function readShared(file: string): Uint8Array {
  const fd = openSync(file, "r");
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(fd).size));
    let [at, read] = [0, 1];
    for (; at < bytes.length && read > 0; at += read) read = readSync(fd, bytes, at, bytes.length - at, at);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** @throws Error it is damaged */
export function checkSum(bytes: Uint8Array, name: string, sha256: string): void {
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return;
  throw new Error(`${name} is damaged: its checksum is not the one in model.json`);
}
