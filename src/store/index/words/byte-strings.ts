/** Numbers that are known of a string: where the next byte goes, where its slice ends, where it begins, and how long it is. */
const numbersPerString = 4;
/** Bytes of a first slice: most words are rare. */
const minSliceBytes = 6;
const maxSliceBytes = 1024;
/** Bytes at the end of a slice that say where the next one begins. */
const linkBytes = 4;

/** A slice is as long as all before it, within bounds, so that half of a string's room is empty at most. */
const chooseSliceBytes = (length: number) => Math.min(Math.max(length, minSliceBytes), maxSliceBytes);

/**
 * Many strings of bytes that grow side by side, in one buffer: each is a chain of slices (Lucene's `ByteBlockPool`). An array for
 * each would take eight times the memory, and the garbage collector's time.
 */
export class ByteStrings {
  private bytes = new Uint8Array(4096);
  private used = 0;
  private known = new Uint32Array(256);
  private count = 0;

  /** Forgets all strings. Their room is kept: to grow anew leaves holes in memory that the C library does not give back. */
  clear(): void {
    this.used = 0;
    this.count = 0;
  }

  /** @returns the number of a new string, which is empty; they count from 0 on */
  add(): number {
    const at = this.count * numbersPerString;
    this.known = ensureLength(this.known, at + numbersPerString);
    const begin = this.allocateSlice(minSliceBytes);
    this.known.set([begin, begin + minSliceBytes, begin, 0], at);
    return this.count++;
  }

  push(string: number, byte: number): void {
    const at = string * numbersPerString;
    if (this.known[at] === this.known[at + 1]) this.extend(at);
    this.bytes[this.known[at]!++] = byte;
    this.known[at + 3]!++;
  }

  /** As `pushVarint` (text/varint.ts). @param value a whole number below 2 ** 32 */
  pushVarint(string: number, value: number): void {
    if (value >= 0x80) this.pushHigh(string, Math.floor(value / 128));
    this.push(string, value & 0x7f);
  }

  private pushHigh(string: number, value: number): void {
    if (value >= 0x80) this.pushHigh(string, Math.floor(value / 128));
    this.push(string, (value & 0x7f) | 0x80);
  }

  /** How many bytes a string has. */
  countStringBytes(string: number): number {
    return this.known[string * numbersPerString + 3]!;
  }

  /** Copies a string. @param copy as long as it is */
  read(string: number, copy: Uint8Array = new Uint8Array(this.countStringBytes(string))): Uint8Array {
    const at = string * numbersPerString;
    const { length } = copy;
    let from = this.known[at + 2]!;
    for (let done = 0; ; ) {
      const size = chooseSliceBytes(done);
      const end = Math.min(done + size, length);
      for (let i = from; done < end; ) copy[done++] = this.bytes[i++]!;
      if (done === length) return copy;
      from = this.readLink(from + size);
    }
  }

  private extend(at: number): void {
    const size = chooseSliceBytes(this.known[at + 3]!);
    const begin = this.allocateSlice(size);
    const end = this.known[at + 1]!;
    for (let i = 0; i < linkBytes; i++) this.bytes[end + i] = begin >>> (8 * i);
    this.known[at] = begin;
    this.known[at + 1] = begin + size;
  }

  private readLink(end: number): number {
    let begin = 0;
    for (let i = linkBytes - 1; i >= 0; i--) begin = begin * 256 + this.bytes[end + i]!;
    return begin;
  }

  private allocateSlice(size: number): number {
    const begin = this.used;
    this.used += size + linkBytes;
    this.bytes = ensureLength(this.bytes, this.used);
    return begin;
  }
}

/** The same array while it is long enough, or else a copy with room to grow. */
export function ensureLength<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const copy = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5));
  copy.set(array);
  return copy;
}
