import { growTo, memoryOf, quickest } from "../../project/kernel.ts";

/**
 * Whether bytes hold all of some texts, letter case aside: files that do not are neither decoded nor searched for more, which
 * takes three times as long as reading them.
 * @param texts of ASCII
 */
export type HeldBytes = (bytes: Uint8Array, texts: readonly string[]) => boolean;

/** What kernel/texts.ts exports; see there. */
interface Exports {
  holds(bytes: number, length: number, text: number, size: number): number;
}

/** Bytes that the kernel may read behind those that it was given. */
const beyond = 16;

/** The quickest that this machine can run. */
export const heldBytes = quickest(wasmHeldBytes, () => plainHeldBytes);

export const plainHeldBytes: HeldBytes = (bytes, texts) => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1").toLowerCase();
  return texts.every((one) => text.includes(one.toLowerCase()));
};

/** In WebAssembly, which has to find everything in its own memory. */
export function wasmHeldBytes(module: WebAssembly.Module): HeldBytes {
  const memory = memoryOf(1);
  const wasm = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
  return (bytes, texts) => {
    const longest = Math.max(0, ...texts.map(({ length }) => length));
    const textAt = bytes.length + beyond + longest;
    growTo(memory, textAt + longest);
    const all = Buffer.from(memory.buffer);
    all.set(bytes);
    return texts.every((text) => {
      const size = all.write(text.toLowerCase(), textAt, "latin1");
      return size === 0 || wasm.holds(0, bytes.length, textAt, size) !== 0;
    });
  };
}
