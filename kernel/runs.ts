/**
 * Cutting text into runs of word characters and numbering them, in AssemblyScript. Part of the same module as vectors.ts;
 * src/base/text/runs.ts says what it promises.
 */

/** Where the runs that are known are kept: hashed, with linear probing. */
@unmanaged
class RunTable {
  /** For each slot, uint32, the number of a run, counted from 1 on; 0 for none. They are a power of two, fewer than half of them taken. */
  slots: usize;
  lastSlot: u32;
  /** For each run, uint32, its hash, and where its bytes begin; they end where those of the next begin. */
  hashes: usize;
  begins: usize;
  endOfBytes: usize;
  known: u32;
  mostKnown: u32;
  /** Where the numbers of what is found go, uint32. */
  found: usize;
  mostFound: u32;
  /** Where it stopped; and, if it did because of a run that is too long to be kept, where that ends, or else 0. */
  stopped: i32;
  longEnd: i32;
}

/** Longer runs are data, or paragraphs without blanks. Bytes. */
const longest = 256;

/** `$`, digits; capitals, `_`, small letters: a bit for each character from 0 and from 64 on. */
const below64: u64 = (<u64>0x03ff_0010) << 32;
const from64: u64 = ((<u64>0x07ff_fffe) << 32) | 0x87ff_fffe;

function isWord(byte: u8): bool {
  return byte > 127 || (((byte < 64 ? below64 : from64) >> (byte & 63)) & 1) !== 0;
}

/**
 * Writes the numbers of the runs in `length` bytes of UTF-8, from `at` on, and returns how many there are. It stops at the end, or
 * where there is no more room for what is found, at a run that is too long to be kept, and at one for which there is no room.
 */
export function numberRuns(table: RunTable, text: usize, length: i32, at: i32): i32 {
  let found: u32 = 0;
  table.longEnd = 0;
  while (at < length) {
    if (!isWord(load<u8>(text + at))) {
      at++;
      continue;
    }
    if (found === table.mostFound) break;
    let end = at;
    let hash: u32 = 0;
    do {
      hash = (hash ^ load<u8>(text + end)) * 0x0100_0193;
      end++;
    } while (end < length && isWord(load<u8>(text + end)));
    if (end - at > longest) {
      table.longEnd = end;
      break;
    }
    const number = numberOf(table, text + at, end - at, hash);
    if (number === 0) break;
    store<u32>(table.found + (found++ << 2), number - 1);
    at = end;
  }
  table.stopped = at;
  return found;
}

/** @returns counted from 1 on; 0 where there is no room for another */
function numberOf(table: RunTable, run: usize, size: u32, hash: u32): u32 {
  let slot = (hash ^ (hash >> 15)) & table.lastSlot;
  for (;;) {
    const number = load<u32>(table.slots + (slot << 2));
    if (number === 0) break;
    const place = (number - 1) << 2;
    if (load<u32>(table.hashes + place) === hash) {
      const begin = load<u32>(table.begins + place);
      const same = load<u32>(table.begins + place, 4) - begin === size;
      if (same && memory.compare(begin, run, size) === 0) return number;
    }
    slot = (slot + 1) & table.lastSlot;
  }
  const place = table.known << 2;
  const begin = load<u32>(table.begins + place);
  if (table.known === table.mostKnown || begin + size > <u32>table.endOfBytes) return 0;
  memory.copy(begin, run, size);
  store<u32>(table.hashes + place, hash);
  store<u32>(table.begins + place, begin + size, 4);
  table.known++;
  store<u32>(table.slots + (slot << 2), table.known);
  return table.known;
}
