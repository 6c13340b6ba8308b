/** Inverse document frequency, as in BM25: how much a term says that `holding` of `chunks` chunks contain. */
export function computeRarity(chunks: number, holding: number): number {
  return Math.log(1 + (chunks - holding + 0.5) / (holding + 0.5));
}
