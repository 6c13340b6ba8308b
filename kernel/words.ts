/**
 * The inner loops of search by words, in AssemblyScript: BM25 and phrases, over postings. Part of the same module as vectors.ts;
 * src/store/index/words/word-kernel.ts says what it promises, src/store/index/words/postings.ts what
 * postings are.
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

/**
 * Where a word of a phrase is (`Word` in src/store/index/words/word-kernel.ts), in 32-bit numbers: what is left of its list from
 * `list` to `end`, the chunk at hand, how many of its places there, and in chunks before, are not read yet, where these are from
 * `places` on, the last that was read, and the word's own place in the phrase.
 */
const listAt: usize = 0;
const endAt: usize = 4;
const chunkAt: usize = 8;
const leftAt: usize = 12;
const skippedAt: usize = 16;
const placesAt: usize = 20;
const placeAt: usize = 24;
const inPhraseAt: usize = 28;
const wordSize: usize = 32;

/** Goes to a chunk, or the first beyond it; false when there is none. */
function seek(word: usize, chunk: i32): bool {
  let now = load<i32>(word, chunkAt);
  if (now >= chunk) return true;
  let list = <usize>load<u32>(word, listAt);
  const end = <usize>load<u32>(word, endAt);
  let skipped = load<i32>(word, skippedAt);
  let left = load<i32>(word, leftAt);
  while (now < chunk && list < end) {
    skipped += left;
    let byte = <i32>load<u8>(list++);
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = <i32>load<u8>(list++);
      distance = (distance << 7) | (byte & 0x7f);
    }
    now += distance + 1;
    const code = <i32>load<u8>(list++);
    const fields = popcnt(code & 0xf);
    if (code >> 4 !== long) {
      left = fields === 0 ? 0 : fields - 1 + (code >> 4);
      continue;
    }
    left = 0;
    for (let field = 0; field < fields; field++) {
      byte = <i32>load<u8>(list++);
      let times = byte & 0x7f;
      while (byte > 0x7f) {
        byte = <i32>load<u8>(list++);
        times = times * 128 + (byte & 0x7f);
      }
      left += times;
    }
  }
  store<u32>(word, <u32>list, listAt);
  store<i32>(word, now, chunkAt);
  store<i32>(word, left, leftAt);
  store<i32>(word, skipped, skippedAt);
  store<i32>(word, -1, placeAt);
  return now >= chunk;
}

/** Behind so many numbers. */
function skip(numbers: usize, count: i32): usize {
  while (count >= 16) {
    // Bytes without the highest bit end a number.
    const ends = 16 - popcnt(i8x16.bitmask(v128.load(numbers)));
    if (ends > count) break;
    count -= ends;
    numbers += 16;
  }
  while (count > 0) if (load<u8>(numbers++) < 0x80) count--;
  return numbers;
}

/** Reads the next place of the chunk at hand; false when there is none. */
function nextPlace(word: usize): bool {
  const left = load<i32>(word, leftAt);
  if (left === 0) return false;
  store<i32>(word, left - 1, leftAt);
  let places = skip(<usize>load<u32>(word, placesAt), load<i32>(word, skippedAt));
  store<i32>(word, 0, skippedAt);
  let byte = <i32>load<u8>(places++);
  let distance = byte & 0x7f;
  while (byte > 0x7f) {
    byte = <i32>load<u8>(places++);
    distance = distance * 128 + (byte & 0x7f);
  }
  store<u32>(word, <u32>places, placesAt);
  store<i32>(word, max(load<i32>(word, placeAt), 0) + distance, placeAt);
  return true;
}

/** Whether the words stand in the chunk, in which all are, as they do in the phrase. */
function standsInChunk(words: usize, count: i32): bool {
  if (count === 1) return true;
  if (!nextPlace(words)) return false;
  let begin = load<i32>(words, placeAt) - load<i32>(words, inPhraseAt);
  let next = 1;
  for (let agreed = 1; agreed < count; ) {
    const word = words + <usize>next * wordSize;
    const wanted = begin + load<i32>(word, inPhraseAt);
    let place = load<i32>(word, placeAt);
    while (place < wanted || place < 0) {
      if (!nextPlace(word)) return false;
      place = load<i32>(word, placeAt);
    }
    if (place === wanted) {
      agreed++;
    } else {
      begin = place - load<i32>(word, inPhraseAt);
      agreed = 1;
    }
    next = next + 1 === count ? 0 : next + 1;
  }
  return true;
}

/**
 * Of `chunks` chunks those that hold a phrase and are not gone (`gone`: a byte each, 0 where none is), ascending: writes which
 * they are (uint32), `limit` (one at least) at most. Returns how many. `words`: those of the phrase, the rarest first.
 */
export function chunksWithPhrase(
  words: usize,
  count: i32,
  chunks: i32,
  gone: usize,
  limit: i32,
  found: usize,
): i32 {
  let written = 0;
  let chunk = 0;
  while (seek(words, chunk)) {
    chunk = load<i32>(words, chunkAt);
    let next = 1;
    for (; next < count; next++) {
      const word = words + <usize>next * wordSize;
      if (!seek(word, chunk)) return written;
      const now = load<i32>(word, chunkAt);
      if (now === chunk) continue;
      chunk = now;
      break;
    }
    if (next < count) continue;
    // A damaged list.
    if (<u32>chunk >= <u32>chunks) return written;
    if ((gone === 0 || load<u8>(gone + chunk) === 0) && standsInChunk(words, count)) {
      store<u32>(found + ((<usize>written) << 2), <u32>chunk);
      if (++written === limit) return written;
    }
    chunk++;
  }
  return written;
}
