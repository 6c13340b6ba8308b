/** Some models distinguish passages from queries. */
export type EmbeddedKind = "passage" | "query";

/** Computes vectors of texts with one model. */
export interface Embedder {
  /**
   * Stored with every vector; vectors of different ids are never compared. Names driver, model and whatever else
   * changes the space: "static-1", "ollama/nomic-embed-text". "none" makes no vectors.
   */
  readonly id: string;
  /** Length of a vector; 0 for "none", and until `prepare` for a model whose length only its server knows. */
  readonly dimensions: number;
  /**
   * Loads weights, starts threads, asks the server. `embed` calls it if needed. Idempotent, and can be retried after a
   * failure.
   * @throws PommelError `embedder_unavailable` with a hint for the user
   */
  prepare(): Promise<void>;
  /**
   * One int8 vector of `dimensions` per text, in order: the unit vector scaled so that its largest component is 127
   * (`quantise`). null for a text without a vector (it stays searchable by words): empty, or one the model fails on.
   * Texts beyond the model's limit are cut.
   * @throws PommelError `embedder_unavailable` when it fails for all texts: weights damaged, server gone; the signal's
   *   reason when it is aborted, before or meanwhile
   */
  embed(texts: readonly string[], kind: EmbeddedKind, signal?: AbortSignal): Promise<(Int8Array | null)[]>;
  /** Frees memory, threads and connections. `embed` prepares it again. */
  close(): Promise<void>;
  /** The usage since creation. Absent where nothing is counted. */
  usage?(): EmbedderUsage;
}

/** The cost of embedding. */
export interface EmbedderUsage {
  requests: number;
  /** As the server counts them. */
  tokens: number;
  /** By the list price; null if there is none. */
  dollars: number | null;
}

/** A driver's settings. */
export interface EmbedderSettings {
  /** Where Ollama answers, e.g. `http://127.0.0.1:11434`. */
  ollamaUrl: string;
  /** Base of an OpenAI-compatible API, e.g. `https://api.openai.com/v1`. */
  openaiUrl: string;
  /** The environment variable that holds the key; the key itself is never stored. */
  openaiKeyVariable: string;
}

/** Whether an embedder is usable, and what is missing if not. */
export interface Availability {
  usable: boolean;
  /** One line without a full stop: "running, 3 models". */
  detail: string;
  /** What to do about it; "" when it is usable. */
  hint: string;
  /** The available models, if known. */
  models?: string[];
}

/** Progress of a model's download. */
export interface PullProgress {
  /** The current step: "pulling manifest". */
  step: string;
  /** Bytes, both 0 while unknown. */
  done: number;
  total: number;
}

/** A way to get embeddings, registered in `registry.ts`. */
export interface EmbedderDriver {
  /** As in `embed.code = "name"` or `"name/model"`. */
  name: string;
  /** One line for people: what it is, and whether texts leave the machine. */
  about: string;
  /** The default model; null when the driver has only one. */
  defaultModel: string | null;
  /** Environment variables that it reads: a daemon is started with these and few others. */
  environment?(settings: EmbedderSettings): string[];
  create(model: string, settings: EmbedderSettings): Embedder;
  /** Checks whether `model` is usable, without downloads or cost. Never throws for an unusable model. */
  checkAvailability?(model: string, settings: EmbedderSettings, signal: AbortSignal): Promise<Availability>;
  /**
   * Downloads a model unless it exists. Absent where there is nothing to download.
   * @throws PommelError `embedder_unavailable`; the signal's reason when it is aborted
   */
  pull?(
    model: string,
    settings: EmbedderSettings,
    onProgress: (progress: PullProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
}
