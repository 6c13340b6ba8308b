import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tinyShape, weightsOf } from "../../../../test/support/tiny-weights.ts";
import { ensureModelFile, type ModelFileOptions } from "./model-file.ts";
import { buildNetwork } from "./network.ts";
import { Safetensors } from "./safetensors.ts";

const weights = weightsOf(tinyShape);
const model = Buffer.from(buildNetwork(new Safetensors(weights), tinyShape));
const sha256 = createHash("sha256").update(model).digest("hex");
let options: ModelFileOptions;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-model-"));
  const file = join(dir, "cache", "minilm", "model.onnx");
  options = { file, weights: join(dir, "weights"), sha256, shape: tinyShape };
  writeFileSync(options.weights, weights);
});

describe("ensureModelFile", () => {
  it("makes the model in a directory of its own, for no one else to read", () => {
    ensureModelFile(options);
    expect(readFileSync(options.file)).toEqual(model);
    expect(statSync(options.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(options.file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(options.file))).toEqual(["model.onnx"]);
  });

  it("leaves a model alone that is what it has to be, weights or not", () => {
    ensureModelFile(options);
    const { ino } = statSync(options.file);
    ensureModelFile({ ...options, weights: "/nowhere" });
    expect(statSync(options.file).ino).toBe(ino);
  });

  it("makes a damaged, cut off or empty model anew", () => {
    const damages = [
      () => truncateSync(options.file, model.length - 1),
      () => truncateSync(options.file, 0),
      () => writeFileSync(options.file, Buffer.from(model.map((byte, i) => (i === 99 ? byte ^ 1 : byte)))),
    ];
    for (const damage of damages) {
      ensureModelFile(options);
      damage();
      ensureModelFile(options);
      expect(readFileSync(options.file)).toEqual(model);
    }
  });

  it("refuses weights that are missing, cut off or of another model, and leaves nothing behind", () => {
    expect(() => ensureModelFile({ ...options, weights: "/nowhere" })).toThrow("/nowhere");
    truncateSync(options.weights, weights.length - 1);
    expect(() => ensureModelFile(options)).toThrow("is cut off");
    const other = Buffer.from(weights);
    other[other.length - 1]! ^= 1;
    writeFileSync(options.weights, other);
    expect(() => ensureModelFile(options)).toThrow("does not hold the weights of the model");
    expect(() => statSync(dirname(options.file))).toThrow("ENOENT");
  });

  it("leaves no half of a file when it cannot be put in place", () => {
    mkdirSync(join(options.file, "in the way"), { recursive: true });
    expect(() => ensureModelFile(options)).toThrow();
    expect(readdirSync(dirname(options.file))).toEqual(["model.onnx"]);
  });
});
