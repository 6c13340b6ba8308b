/** What every embedder gives: vectors of texts, all of one model and one length. */
export interface Embedder {
  /** Stored with every vector; vectors of different ids are never compared. "none" makes no vectors. */
  readonly id: string;
  /** Length of a vector; 0 for "none". */
  readonly dimensions: number;
  /**
   * One int8 vector of `dimensions` per text, in order; null where there is none for that text
   * (it stays searchable by its words).
   */
  embed(texts: readonly string[]): Promise<(Int8Array | null)[]>;
}
