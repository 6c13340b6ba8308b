/**
 * Finding text in the bytes of files, in AssemblyScript: sixteen places at a time, by SIMD. Part of the same module as
 * vectors.ts; src/code/search/verbatim/held-bytes.ts says what it promises.
 */

/** ASCII letters in lower case; everything else as it is. */
function lower(byte: u8): u8 {
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}

/** Whether a text of `size` bytes, in lower case, stands at a place, letter case aside. */
function standsAt(place: usize, text: usize, size: i32): bool {
  let i = 0;
  while (i < size && lower(load<u8>(place + i)) === load<u8>(text + i)) i++;
  return i === size;
}

/**
 * Whether `length` bytes hold a text of `size` bytes (ASCII in lower case, one or more), letter case aside. Sixteen bytes
 * behind them, and as many as the text has, can be read.
 */
export function holds(bytes: usize, length: i32, text: usize, size: i32): bool {
  // To set this bit makes more bytes alike than letters in both cases, so what is found is compared again.
  const caseBit = i8x16.splat(0x20);
  const first = i8x16.splat(<i8>(load<u8>(text) | 0x20));
  const last = i8x16.splat(<i8>(load<u8>(text + size - 1) | 0x20));
  const end = length - size;
  for (let at = 0; at <= end; at += 16) {
    const place = bytes + at;
    const begins = i8x16.eq(v128.or(v128.load(place), caseBit), first);
    const ends = i8x16.eq(v128.or(v128.load(place + size - 1), caseBit), last);
    for (let places = i8x16.bitmask(v128.and(begins, ends)); places !== 0; places &= places - 1) {
      const lane = ctz(places);
      if (at + lane > end) return false;
      if (standsAt(place + lane, text, size)) return true;
    }
  }
  return false;
}

/**
 * The place behind the `lines`-th line end (LF) from `from` on, one or more; -1 where there are not so many. Sixteen bytes
 * behind the `length` that is searched can be read.
 */
export function endOfLines(bytes: usize, length: i32, from: i32, lines: i32): i32 {
  const lineFeed = i8x16.splat(0x0a);
  for (let at = from; at < length; at += 16) {
    let ends = i8x16.bitmask(i8x16.eq(v128.load(bytes + at), lineFeed));
    if (length - at < 16) ends &= (1 << (length - at)) - 1;
    const count = popcnt(ends);
    if (count >= lines) {
      while (--lines > 0) ends &= ends - 1;
      return at + ctz(ends) + 1;
    }
    lines -= count;
  }
  return -1;
}

/** The kinds of bytes that words are made of; what is beyond ASCII is as lower case. */
function isLower(byte: u8): bool {
  return byte - 0x61 < 26 || byte >= 0x80;
}

function isUpper(byte: u8): bool {
  return byte - 0x41 < 26;
}

function isDigit(byte: u8): bool {
  return byte - 0x30 < 10;
}

/** Whether a part of a name begins at a place, as `parseHTTPRequest2` has four. What is behind the place can be read. */
function beginsPart(bytes: usize, at: i32): bool {
  const byte = load<u8>(bytes + at);
  if (at === 0 || byte >= 0x80) return true;
  const before = load<u8>(bytes + at - 1);
  if (isUpper(byte)) return !isUpper(before) || isLower(load<u8>(bytes + at + 1));
  if (isDigit(byte)) return !isDigit(before);
  return !isLower(before) && !isUpper(before);
}

/**
 * How many parts of names begin with a text, as `holds` has it; with `whole`, how many are nothing else.
 */
export function countParts(bytes: usize, length: i32, text: usize, size: i32, whole: bool): i32 {
  const caseBit = i8x16.splat(0x20);
  const first = i8x16.splat(<i8>(load<u8>(text) | 0x20));
  const last = i8x16.splat(<i8>(load<u8>(text + size - 1) | 0x20));
  const end = length - size;
  let count = 0;
  for (let at = 0; at <= end; at += 16) {
    const place = bytes + at;
    const begins = i8x16.eq(v128.or(v128.load(place), caseBit), first);
    const ends = i8x16.eq(v128.or(v128.load(place + size - 1), caseBit), last);
    for (let places = i8x16.bitmask(v128.and(begins, ends)); places !== 0; places &= places - 1) {
      const from = at + ctz(places);
      if (from > end) break;
      if (!standsAt(bytes + from, text, size) || !beginsPart(bytes, from)) continue;
      if (whole && from < end) {
        const behind = load<u8>(bytes + from + size);
        if (isLower(behind) || isDigit(behind)) continue;
      }
      count++;
    }
  }
  return count;
}
