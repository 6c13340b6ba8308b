/** Chance that a seed repeats: the same seed, the same corpus. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** Both ends included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  weighted<T>(from: readonly (readonly [T, number])[]): T;
  shuffled<T>(from: readonly T[]): T[];
}

/** mulberry32, by Tommy Ettinger (public domain). */
export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (from) => from[int(0, from.length - 1)]!,
    weighted(from) {
      let left = next() * from.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of from) {
        left -= weight;
        if (left < 0) return value;
      }
      return from.at(-1)![0];
    },
    shuffled(from) {
      const all = [...from];
      for (let i = all.length - 1; i > 0; i--) {
        const j = int(0, i);
        [all[i], all[j]] = [all[j]!, all[i]!];
      }
      return all;
    },
  };
}
