/** BM25's usual constants: how soon more of the same word says no more, and how much of a long text is chance. */
export const saturation = 1.2;
export const lengthShare = 0.75;

/** Inverse document frequency, as in BM25: how much a term says that `holding` of `chunks` chunks contain. */
export function computeRarity(chunks: number, holding: number): number {
  return Math.log(1 + (chunks - holding + 0.5) / (holding + 0.5));
}
