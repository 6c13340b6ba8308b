import type { SignKernel } from "../../../src/store/vectors/sign-kernel.ts";

/** What the kernel in WebAssembly is compared with. */
export function createPlainSignKernel(bytes: number): SignKernel {
  let rows = new Uint8Array(0);
  let flags = new Uint8Array(0);
  let asked = new Uint8Array(bytes);
  let worthOf = new Float32Array(0);
  let found = new Uint32Array(0);
  const differences = (row: number) => {
    let different = 0;
    for (let at = 0; at < bytes; at++) different += ones[asked[at]! ^ rows[row * bytes + at]!]!;
    return different;
  };
  return {
    reserve(count) {
      if (count <= flags.length) return;
      const [knownRows, knownFlags] = [rows, flags];
      rows = new Uint8Array(count * bytes);
      rows.set(knownRows);
      flags = new Uint8Array(count);
      flags.set(knownFlags);
    },
    bytes: () => rows.length + flags.length,
    put(first, signs, theirFlags) {
      rows.set(signs, first * bytes);
      flags.set(theirFlags, first);
    },
    flags: () => flags,
    ask(signs, shares) {
      asked = signs.slice();
      worthOf = shares.slice();
    },
    fewest(count, most, wanted, others) {
      const used = others ?? flags;
      const ofBits = Array.from({ length: bytes * 8 + 1 }, (): number[] => []);
      for (let row = 0; row < count; row++)
        if ((used[row]! & wanted) !== 0) ofBits[differences(row)]!.push(row);
      found = Uint32Array.from(ofBits.flat().slice(0, most)).sort();
      return found;
    },
    worth() {
      return Float32Array.from(found, (row) => {
        let sum = 0;
        for (let at = 0; at < bytes; at++) sum += worthOf[(at << 8) | rows[row * bytes + at]!]!;
        return sum;
      });
    },
  };
}

/** For each byte how many of its bits are set. */
const ones = new Uint8Array(256);
for (let byte = 1; byte < 256; byte++) ones[byte] = (byte & 1) + ones[byte >> 1]!;
