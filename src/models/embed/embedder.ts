/** What a text is: something to be found, or a question. Some models want to be told. */
export type TextKind = "passage" | "query";

/** What every embedder gives: vectors of texts, all of one model and one length. */
export interface Embedder {
  /**
   * Stored with every vector; vectors of different ids are never compared. Names driver, model and whatever else
   * changes the space: "static-1", "ollama/nomic-embed-text". "none" makes no vectors.
   */
  readonly id: string;
  /** Length of a vector; 0 for "none", and until `prepare` for a model whose length only its server knows. */
  readonly dimensions: number;
  /**
   * Makes it ready: loads weights, starts threads, asks its server. `embed` calls it when nobody did; again, it does
   * nothing. A failed try may be repeated.
   * @throws PommelError `embedder_unavailable` with a hint that says what to do
   */
  prepare(): Promise<void>;
  /**
   * One int8 vector of `dimensions` per text, in order: the unit vector scaled so that its largest component is 127
   * (`quantise`). null where there is none for that text (it stays searchable by its words): an empty text, one that
   * the model chokes on. Any length and script of text is fine; what the model cannot take in is cut off.
   * @throws PommelError `embedder_unavailable` when it fails for all texts: weights damaged, server gone;
   *   the signal's reason when it is aborted, before or meanwhile
   */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<(Int8Array | null)[]>;
  /** Frees what it holds: memory, threads, connections. `embed` makes it ready again. */
  close(): Promise<void>;
  /** What was asked of a server that counts, since this embedder was made. Absent where nothing is counted. */
  usage?(): EmbedderUsage;
}

/** What embedding has cost so far. */
export interface EmbedderUsage {
  requests: number;
  /** As the server counts them. */
  tokens: number;
  /** By the list price; null where no price is known. */
  dollars: number | null;
}

/** What drivers need to know beyond the model's name. */
export interface EmbedderSettings {
  /** Where Ollama answers, e.g. `http://127.0.0.1:11434`. */
  ollamaUrl: string;
  /** Base of an OpenAI-compatible API, e.g. `https://api.openai.com/v1`. */
  openaiUrl: string;
  /** The environment variable that holds the key; the key itself is never stored. */
  openaiKeyVariable: string;
}

/** Whether an embedder can be used here and now, and what is missing if not. */
export interface Availability {
  usable: boolean;
  /** One line without a full stop: "running, 3 models". */
  detail: string;
  /** What to do about it; "" when it is usable. */
  hint: string;
  /** The models that are there to be used, where the driver can tell. */
  models?: string[];
}

/** How far fetching a model is. */
export interface PullProgress {
  /** What happens right now: "pulling manifest". */
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
  /** The model used when none is named; null when the driver has but one. */
  defaultModel: string | null;
  /** Environment variables that it reads: a daemon is started with these and few others. */
  environment?(settings: EmbedderSettings): string[];
  create(model: string, settings: EmbedderSettings): Embedder;
  /**
   * Looks whether `model` can be used, without downloading or paying for anything. That it cannot be used
   * is an answer, not an error.
   */
  available?(model: string, settings: EmbedderSettings, signal: AbortSignal): Promise<Availability>;
  /**
   * Fetches what `model` needs on this machine, unless it is there. Absent where there is nothing to fetch.
   * @throws PommelError `embedder_unavailable`; the signal's reason when it is aborted
   */
  pull?(
    model: string,
    settings: EmbedderSettings,
    onProgress: (progress: PullProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
}
