/** What the embedder and its threads say to each other. */

/** What a thread is started for; it gets this as its `workerData`. */
export type WorkerTask = MakeTask | EmbedTask;

/** Makes the model file unless it is there, and ends. */
export interface MakeTask {
  kind: "make";
  file: string;
  weights: string;
  sha256: string;
}

/** Loads the model, says that it is ready, then answers each text (a message that is a string) with its vector. */
export interface EmbedTask {
  kind: "embed";
  /** The .onnx file. */
  model: string;
  /** tokenizer.json. */
  tokenizer: string;
  /** Directory of onnxruntime-node. */
  runtime: string;
}

/** In the order of the texts. A null vector: this text has none. */
export type EmbedAnswer = { kind: "ready" } | { kind: "vector"; vector: Int8Array | null };
