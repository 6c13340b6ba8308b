/**
 * The inner loop of vector search, in AssemblyScript: dot products of int8 rows with one query, by SIMD.
 * `npm run build` compiles it to dist/vector-kernel.wasm; src/search/vector-kernel.ts says what the functions
 * promise and does the same in plain TypeScript.
 *
 * Pointers are bytes from the start of the memory; rows have a length (`stride`) that is a multiple of 16. The query
 * comes widened to int16, which saves a third of the time. Sums stay exact: 2^15 dimensions would fit into 32 bits.
 */

function sumOf(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

function product(query: usize, row: usize, stride: usize): i32 {
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < stride; at += 16) {
    const sixteen = v128.load(row + at);
    const low = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(sixteen), v128.load(query + 2 * at));
    const high = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(sixteen), v128.load(query + 2 * at, 16));
    sum = i32x4.add(sum, i32x4.add(low, high));
  }
  return sumOf(sum);
}

/** `out[i]` = query · row i, for `count` rows from `row` on. */
export function dot(query: usize, row: usize, count: i32, stride: usize, out: usize): void {
  for (let i = 0; i < count; i++) {
    store<i32>(out, product(query, row, stride));
    out += 4;
    row += stride;
  }
}

/** `out[i]` = query · row `list[i]`, counted from `rows` on. */
export function dotListed(
  query: usize,
  rows: usize,
  list: usize,
  count: i32,
  stride: usize,
  out: usize,
): void {
  for (let i = 0; i < count; i++) {
    store<i32>(out, product(query, rows + <usize>load<u32>(list) * stride, stride));
    out += 4;
    list += 4;
  }
}

/** `out[i]` = row i · row i, for `count` rows from `row` on. */
export function squares(row: usize, count: i32, stride: usize, out: usize): void {
  for (let i = 0; i < count; i++) {
    let sum = i32x4.splat(0);
    for (let at: usize = 0; at < stride; at += 16) {
      const sixteen = v128.load(row + at);
      const low = i16x8.extend_low_i8x16_s(sixteen);
      const high = i16x8.extend_high_i8x16_s(sixteen);
      sum = i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
    }
    store<i32>(out, sumOf(sum));
    out += 4;
    row += stride;
  }
}
