import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { buildNetwork, type EncoderShape, minilmShape } from "./network.ts";
import { Safetensors } from "./safetensors.ts";

export interface ModelFileOptions {
  /** The .onnx file. */
  file: string;
  /** What it is made of: a safetensors file. */
  weights: string;
  /** SHA-256 of the .onnx file, hexadecimal. The same weights give the same bytes on every machine. */
  sha256: string;
  /** Only tests have another model. */
  shape?: EncoderShape;
}

/**
 * Sees to it that the model file is there and is what it has to be: makes it of the weights when it is missing or
 * damaged. Takes about a second and 200 MB then, so it belongs into a thread of its own.
 * @throws Error when the weights are missing, damaged or not those of the model, or the file cannot be written
 */
export function ensureModelFile({ file, weights, sha256, shape = minilmShape }: ModelFileOptions): void {
  if (existsSync(file) && hashOf(readFileSync(file)) === sha256) return;
  const model = buildNetwork(new Safetensors(readFileSync(weights)), shape);
  if (hashOf(model) !== sha256) throw new Error(`${weights} does not hold the weights of the model`);
  writeWhole(file, model);
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** All of the file or nothing, whatever happens meanwhile; several processes may do it at once. */
function writeWhole(file: string, bytes: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(handle, bytes);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
