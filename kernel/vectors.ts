/**
 * The inner loops of vector search, in AssemblyScript: cosines of int8 vectors with one query, by SIMD. `npm run
 * build` compiles it to dist/vector-kernel.wasm; src/store/vectors/vector-kernel.ts says what the functions promise.
 *
 * Pointers count bytes. A row is a header of 16 bytes, then its components up to a multiple of 16 (`length`), zero at
 * the end. The header holds two float64: 1 / the vector's length, 0 for none, and the id that the caller gave it.
 * The query comes widened to int16, which saves a third of the time.
 */

const header: usize = 16;
const idAt: usize = 8;

function sumOf(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

/** Exact: even 2^15 dimensions fit into 32 bits. */
function dot(query: usize, row: usize, length: usize): i32 {
  const components = row + header;
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < length; at += 16) {
    const sixteen = v128.load(components + at);
    const low = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(sixteen), v128.load(query + 2 * at));
    const high = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(sixteen), v128.load(query + 2 * at, 16));
    sum = i32x4.add(sum, i32x4.add(low, high));
  }
  return sumOf(sum);
}

function square(row: usize, length: usize): i32 {
  const components = row + header;
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < length; at += 16) {
    const sixteen = v128.load(components + at);
    const low = i16x8.extend_low_i8x16_s(sixteen);
    const high = i16x8.extend_high_i8x16_s(sixteen);
    sum = i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
  }
  return sumOf(sum);
}

/** Makes rows of `count` vectors of `dimensions` int8 that lie side by side; their ids count on from `firstId`. */
export function put(
  vectors: usize,
  dimensions: usize,
  row: usize,
  length: usize,
  count: i32,
  firstId: f64,
): void {
  for (let i = 0; i < count; i++) {
    memory.copy(row + header, vectors, dimensions);
    const squared = square(row, length);
    store<f64>(row, squared === 0 ? 0 : 1 / sqrt<f64>(squared));
    store<f64>(row, firstId + i, idAt);
    vectors += dimensions;
    row += header + length;
  }
}

/**
 * Of `count` rows from `row` on, those whose cosine is at least `least`: writes their ids and cosines.
 * Returns how many they are.
 */
export function select(
  query: usize,
  scale: f64,
  row: usize,
  length: usize,
  count: i32,
  least: f64,
  ids: usize,
  cosines: usize,
): i32 {
  let found = 0;
  for (let i = 0; i < count; i++) {
    const inverse = load<f64>(row);
    if (inverse !== 0) {
      const cosine = <f64>dot(query, row, length) * inverse * scale;
      if (cosine >= least) {
        store<f64>(ids, load<f64>(row, idAt));
        store<f64>(cosines, cosine);
        ids += 8;
        cosines += 8;
        found++;
      }
    }
    row += header + length;
  }
  return found;
}

/** The cosines of the rows in `list` (uint32, counted from `rows` on), in its order; NaN for a row without vector. */
export function measure(
  query: usize,
  scale: f64,
  rows: usize,
  length: usize,
  list: usize,
  count: i32,
  cosines: usize,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows + <usize>load<u32>(list) * (header + length);
    const inverse = load<f64>(row);
    store<f64>(cosines, inverse === 0 ? F64.NaN : <f64>dot(query, row, length) * inverse * scale);
    list += 4;
    cosines += 8;
  }
}

/**
 * Of `count` groups of rows that lie side by side (for each, uint32, its first row, counted from `rows` on, and how many), the
 * greatest and the mean of their cosines, each corrected by two numbers of its row (float64, side by side) and two of the query:
 * (cosine - share + constant) * factor * factor of the row. NaN for a group without rows.
 */
export function nearest(
  query: usize,
  scale: f64,
  rows: usize,
  length: usize,
  groups: usize,
  count: i32,
  corrections: usize,
  constant: f64,
  factor: f64,
  best: usize,
  whole: usize,
): void {
  for (let i = 0; i < count; i++) {
    const first = <usize>load<u32>(groups);
    const size = load<u32>(groups, 4);
    let row = rows + first * (header + length);
    let correction = corrections + (first << 4);
    let greatest = -Infinity;
    let sum: f64 = 0;
    for (let n: u32 = 0; n < size; n++) {
      const cosine = <f64>dot(query, row, length) * load<f64>(row) * scale;
      const corrected = (cosine - load<f64>(correction) + constant) * factor * load<f64>(correction, 8);
      sum += corrected;
      if (corrected > greatest) greatest = corrected;
      row += header + length;
      correction += 16;
    }
    store<f64>(best, size === 0 ? F64.NaN : greatest);
    // 0 / 0 where there are none.
    store<f64>(whole, sum / <f64>size);
    groups += 8;
    best += 8;
    whole += 8;
  }
}
