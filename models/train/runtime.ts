import { createRequire } from "node:module";
import { join } from "node:path";
import { forbidTelemetry } from "../../src/models/embed/minilm/onnx-runtime.ts";

/** As much of onnxruntime-node as training uses; it is installed beside the corpus, not with the project. */
export interface Runtime {
  InferenceSession: { create(model: Uint8Array): Promise<Session> };
  Tensor: new (type: "float32", values: Float32Array, shape: readonly number[]) => object;
}

export interface Session {
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { data: unknown }>>>;
}

export function loadRuntime(modules: string): Runtime {
  forbidTelemetry();
  return createRequire(join(modules, "_"))("onnxruntime-node");
}
