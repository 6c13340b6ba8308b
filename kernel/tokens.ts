/**
 * Adding up the vectors of a text's tokens, in AssemblyScript, by SIMD. Part of the same module as vectors.ts;
 * src/models/embed/static/token-sums.ts says what it promises, and does the same for a few texts, to the last bit.
 */

/** The tokens of a text, counted. */
@unmanaged
class Bag {
  /** For each token, uint16, how often it was met. */
  counts: usize;
  /** The tokens that were met, uint32, each once, in their order. */
  tokens: usize;
  different: u32;
  /** How many were met in all, and how many count. */
  total: u32;
  most: u32;
}

/**
 * Counts the tokens of runs.
 * @param runs uint32, numbers of runs
 * @param begins for each run, uint32, where its tokens (uint32) begin; they end where those of the next begin
 */
export function count(bag: Bag, runs: usize, size: i32, begins: usize): void {
  for (let i = 0; i < size; i++) {
    const run = begins + (load<u32>(runs + (i << 2)) << 2);
    const end: usize = load<u32>(run, 4);
    for (let at: usize = load<u32>(run); at < end; at += 4) {
      if (bag.total === bag.most) return;
      bag.total++;
      const token = load<u32>(at);
      const times = bag.counts + (token << 1);
      const before = load<u16>(times);
      if (before === 0) store<u32>(bag.tokens + (bag.different++ << 2), token);
      store<u16>(times, before + 1);
    }
  }
}

/**
 * Adds up the rows (int8, `dimensions` of them, a multiple of 16) of the tokens in a bag, each times its scale (float32) and the weight of
 * how often it was met (float32, from once on), and empties the bag.
 */
export function sum(
  bag: Bag,
  rows: usize,
  dimensions: usize,
  scales: usize,
  weights: usize,
  into: usize,
): void {
  memory.fill(into, 0, dimensions << 2);
  for (let i: u32 = 0; i < bag.different; i++) {
    const token = load<u32>(bag.tokens + (i << 2));
    const times = bag.counts + (token << 1);
    const scale = load<f32>(scales + (token << 2)) * load<f32>(weights + ((load<u16>(times) - 1) << 2));
    store<u16>(times, 0);
    const factor = f32x4.splat(scale);
    const row = rows + token * dimensions;
    for (let at: usize = 0; at < dimensions; at += 16) {
      const sixteen = v128.load(row + at);
      const low = i16x8.extend_low_i8x16_s(sixteen);
      const high = i16x8.extend_high_i8x16_s(sixteen);
      const four = into + (at << 2);
      add(four, factor, i32x4.extend_low_i16x8_s(low));
      add(four + 16, factor, i32x4.extend_high_i16x8_s(low));
      add(four + 32, factor, i32x4.extend_low_i16x8_s(high));
      add(four + 48, factor, i32x4.extend_high_i16x8_s(high));
    }
  }
  bag.different = 0;
  bag.total = 0;
}

function add(four: usize, factor: v128, components: v128): void {
  const product = f32x4.mul(factor, f32x4.convert_i32x4_s(components));
  v128.store(four, f32x4.add(v128.load(four), product));
}
