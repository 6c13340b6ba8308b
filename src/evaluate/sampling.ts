import { createHash } from "node:crypto";

/** Random numbers in [0, 1) that are the same for the same seed: the first bytes of SHA-256 over a counter. */
function seeded(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}\n${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** In another order, the same one for the same seed (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = seeded(seed);
  const left = [...items];
  for (let i = left.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left;
}
