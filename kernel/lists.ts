/**
 * The inner loops of full-text search in FTS5's tables, in AssemblyScript: reading lists, and BM25 over what they hold. Part of
 * the same module as vectors.ts; src/store/sqlite/list-kernel.ts says what it promises, src/store/sqlite/full-text-lists.ts what
 * a list is.
 */

/** In place of an offset: those that follow are in the column that comes next. */
const columnMark = 1;

/**
 * Writes the rows of a list (uint32) and what the places in each count together (float64), without those that are gone and those
 * with no place in a column that is looked at. `whole` and `gone` (uint32, ascending) end with a number that no row and no place
 * in a list has. `weights`: float64, negative for columns that are not looked at. Two zeros are behind the list. Returns how many
 * rows they are.
 */
export function readList(
  list: usize,
  length: u32,
  whole: usize,
  gone: usize,
  weights: usize,
  columns: u32,
  rows: usize,
  counts: usize,
): i32 {
  const first = rows;
  const start = list;
  const end = list + length;
  let row: u32 = 0;
  while (list < end) {
    const isWhole = list - start === load<u32>(whole);
    if (isWhole) whole += 4;
    let byte = <u32>load<u8>(list++);
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = <u32>load<u8>(list++);
      distance = (distance << 7) | (byte & 0x7f);
    }
    row = isWhole ? distance : row + distance;
    byte = <u32>load<u8>(list++);
    let size = byte & 0x7f;
    while (byte > 0x7f) {
      byte = <u32>load<u8>(list++);
      size = (size << 7) | (byte & 0x7f);
    }
    // In a damaged list it may be more than there is.
    const next = list > end ? end : min(list + (size >> 1), end);
    while (load<u32>(gone) < row) gone += 4;
    if (load<u32>(gone) !== row) {
      const count = weightOfPlaces(list, next, weights, columns);
      if (count >= 0) {
        store<u32>(rows, row);
        store<f64>(counts, count);
        rows += 4;
        counts += 8;
      }
    }
    list = next;
  }
  return <i32>((rows - first) >> 2);
}

/** Negative where none of them is in a column that is looked at. */
function weightOfPlaces(at: usize, to: usize, weights: usize, columns: u32): f64 {
  let weight = load<f64>(weights);
  let sum: f64 = -1;
  while (at < to) {
    let byte = <u32>load<u8>(at++);
    if (byte === columnMark) {
      byte = <u32>load<u8>(at++);
      let column = byte & 0x7f;
      while (byte > 0x7f) {
        byte = <u32>load<u8>(at++);
        column = (column << 7) | (byte & 0x7f);
      }
      weight = column < columns ? load<f64>(weights + ((<usize>column) << 3)) : -1;
      continue;
    }
    while (byte > 0x7f) byte = <u32>load<u8>(at++);
    if (weight >= 0) sum = sum < 0 ? weight : sum + weight;
  }
  return sum;
}

/**
 * Adds what a word contributes to the scores (float64) of rows, of which there are `size`, and writes those that had none and
 * have one now over `rows`. Returns how many these are.
 */
export function addRows(
  rows: usize,
  counts: usize,
  count: i32,
  factor: f64,
  gain: f64,
  norms: usize,
  scores: usize,
  size: u32,
): i32 {
  const first = rows;
  let found = rows;
  for (let i = 0; i < count; i++) {
    const row = load<u32>(rows);
    // A damaged list.
    if (row < size) {
      const at = (<usize>row) << 3;
      const score = load<f64>(scores + at);
      const weight = load<f64>(counts);
      const added = factor * ((weight * gain) / (weight + load<f64>(norms + at)));
      store<f64>(scores + at, score + added);
      if (score === 0 && added > 0) {
        store<u32>(found, row);
        found += 4;
      }
    }
    rows += 4;
    counts += 8;
  }
  return <i32>((found - first) >> 2);
}
