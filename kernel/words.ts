/**
 * The inner loops of search by words, in AssemblyScript: BM25 over the lists of postings. Part of the same module as vectors.ts;
 * src/store/index/words/score-kernel.ts says what it promises and does the same in plain TypeScript, to the last bit.
 * src/store/index/words/postings.ts says what a list is.
 */

const fieldCount = 4;
/** `times` of a code whose numbers follow. */
const long = 15;

/**
 * Adds what a word contributes to the scores (float32) of `count` chunks. `sums`: what each of the 256 codes stands for, and
 * behind them the weight of each field (float64). `norms`: float32.
 */
export function addScores(
  list: usize,
  length: i32,
  sums: usize,
  factor: f64,
  norms: usize,
  scores: usize,
  count: i32,
): void {
  const end = list + length;
  const weights = sums + 256 * 8;
  let chunk = -1;
  while (list < end) {
    let byte = <i32>load<u8>(list++);
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = <i32>load<u8>(list++);
      distance = (distance << 7) | (byte & 0x7f);
    }
    chunk += distance + 1;
    // A damaged list.
    if (<u32>chunk >= <u32>count) return;
    const code = <i32>load<u8>(list++);
    let frequency = load<f64>(sums + ((<usize>code) << 3));
    if (code >> 4 === long) {
      frequency = 0;
      for (let field = 0; field < fieldCount; field++) {
        if ((code & (1 << field)) === 0) continue;
        byte = <i32>load<u8>(list++);
        let times = byte & 0x7f;
        while (byte > 0x7f) {
          byte = <i32>load<u8>(list++);
          times = times * 128 + (byte & 0x7f);
        }
        frequency += <f64>times * load<f64>(weights + ((<usize>field) << 3));
      }
    }
    const at = (<usize>chunk) << 2;
    const norm = <f64>load<f32>(norms + at);
    const score = <f64>load<f32>(scores + at);
    store<f32>(scores + at, <f32>(score + (factor * frequency) / (frequency + norm)));
  }
}

/**
 * Of `count` scores from `scores` on, those above `least`: writes which they are, counted from 0 on (uint32). Returns how many
 * they are. Sixteen bytes behind the scores can be read.
 */
export function above(scores: usize, count: i32, least: f32, places: usize): i32 {
  const first = places;
  const all = f32x4.splat(least);
  for (let i = 0; i < count; i += 4) {
    let higher = i32x4.bitmask(f32x4.gt(v128.load(scores + ((<usize>i) << 2)), all));
    for (; higher !== 0; higher &= higher - 1) {
      const place = i + ctz(higher);
      if (place >= count) break;
      store<u32>(places, place);
      places += 4;
    }
  }
  return <i32>((places - first) >> 2);
}
