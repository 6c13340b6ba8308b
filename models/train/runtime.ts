import { createRequire } from "node:module";
import { join } from "node:path";

/** The ONNX runtime, as installed below a `node_modules` of our own. */
export type Runtime = typeof import("onnxruntime-node");

export function loadRuntime(modules: string): Runtime {
  return createRequire(join(modules, "_"))("onnxruntime-node");
}
