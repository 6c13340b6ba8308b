import { growMemory, makeMemory, makeOnce, readAheadBytes, startKernel } from "../../../base/kernel.ts";

/**
 * Whether bytes hold all of some texts, letter case aside: files that do not are neither decoded nor searched for more, which
 * takes three times as long as reading them.
 * @param texts of ASCII
 */
export type HeldBytes = (bytes: Uint8Array, texts: readonly string[]) => boolean;

/** What kernel/texts.ts exports; see there. */
interface HeldBytesExports {
  holds(bytes: number, length: number, text: number, size: number): number;
}

/** What is asked runs to its end, so one is enough. */
export const heldBytes = makeOnce(createHeldBytes);

/** In WebAssembly, which has to find everything in its own memory. */
function createHeldBytes(): HeldBytes {
  const memory = makeMemory(1);
  const wasm = startKernel<HeldBytesExports>(memory);
  return (bytes, texts) => {
    const longest = Math.max(0, ...texts.map(({ length }) => length));
    const textAt = bytes.length + readAheadBytes + longest;
    growMemory(memory, textAt + longest);
    const all = Buffer.from(memory.buffer);
    all.set(bytes);
    return texts.every((text) => {
      const size = all.write(text.toLowerCase(), textAt, "latin1");
      return size === 0 || wasm.holds(0, bytes.length, textAt, size) !== 0;
    });
  };
}
