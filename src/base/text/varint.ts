/**
 * SQLite's variable-length integers: big-endian, seven bits a byte, the highest bit set on all but the last
 * (https://www.sqlite.org/fileformat2.html#varint). The form of nine bytes is not supported: it exceeds JavaScript's
 * numbers.
 */
const maxBytes = 8;

/** Adds a number's bytes to others. @param value a whole number from 0 to `Number.MAX_SAFE_INTEGER` */
export function pushVarint(bytes: number[], value: number): void {
  if (value < 0x80) {
    bytes.push(value);
  } else if (value < 0x4000) {
    bytes.push((value >> 7) | 0x80, value & 0x7f);
  } else {
    const reversed = [value % 128];
    for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
      reversed.push((rest % 128) | 0x80);
    }
    for (let i = reversed.length - 1; i >= 0; i--) bytes.push(reversed[i]!);
  }
}

/** @param values whole numbers from 0 to `Number.MAX_SAFE_INTEGER` */
export function encodeVarints(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) pushVarint(bytes, value);
  return Uint8Array.from(bytes);
}

/** The numbers that use all of the bytes; null for anything else, or where they are not `count`. */
export function decodeVarints(bytes: Uint8Array, count?: number): number[] | null {
  const values: number[] = [];
  let value = 0;
  let length = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (++length > maxBytes || value > Number.MAX_SAFE_INTEGER) return null;
    if (byte & 0x80) continue;
    values.push(value);
    value = 0;
    length = 0;
  }
  return length === 0 && values.length === (count ?? values.length) ? values : null;
}
