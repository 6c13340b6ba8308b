import { createRequire } from "node:module";
import { messageOf } from "../../../project/errors.ts";
import { inputName, outputName } from "./network.ts";

/** As much of onnxruntime-node as is used. It is no dependency: it is found when the program runs. */
interface OnnxRuntime {
  InferenceSession: {
    create(file: string, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
  Tensor: new (type: "int32", values: Int32Array, shape: readonly number[]) => object;
}

interface Session {
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { data: unknown }>>>;
}

/** One thread a session: two of them are quicker than one with two, and leave the machine to others. */
const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  /** Errors only; they come as exceptions as well. */
  logSeverityLevel: 3,
};

/**
 * Official builds of ONNX Runtime report to Microsoft which models are run and on what, by default, and keep an id of
 * the device and a queue of reports in the user's cache. This forbids all of that, except what Windows itself collects
 * where its user agreed. To be called before the runtime is loaded, and on the main thread: the runtime does not see
 * the environment of other threads. https://github.com/microsoft/onnxruntime/blob/main/docs/Privacy.md
 */
export function forbidTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY = "1";
}

/** Runs the model on the tokens of one text. */
export type RunModel = (tokens: readonly number[]) => Promise<Float32Array>;

/**
 * Loads the model; see `forbidTelemetry`.
 * @param runtimeDir directory of onnxruntime-node
 * @throws Error when the runtime has no binary for this machine, or does not take the model
 */
export async function loadModel(runtimeDir: string, file: string): Promise<RunModel> {
  const runtime = loadRuntime(runtimeDir);
  const session = await runtime.InferenceSession.create(file, sessionOptions);
  return async (tokens) => {
    const input = new runtime.Tensor("int32", Int32Array.from(tokens), [tokens.length]);
    const output = (await session.run({ [inputName]: input }))[outputName]?.data;
    if (!(output instanceof Float32Array)) throw new Error("ONNX Runtime gave no vector");
    return output;
  };
}

function loadRuntime(dir: string): OnnxRuntime {
  try {
    return createRequire(import.meta.url)(dir) as OnnxRuntime;
  } catch (cause) {
    throw new Error(`onnxruntime-node cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}
