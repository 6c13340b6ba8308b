import { readFileSync } from "node:fs";
import { locateBuiltFile } from "./built-file.ts";
import { getErrorMessage, PommelError } from "./errors.ts";

/** Inner loops in WebAssembly (kernel/). Each that is used has a memory of its own, which its caller lays out. */

/**
 * A new instance of what kernel/ is compiled to, with this memory.
 * @throws PommelError `no_kernel` without WebAssembly SIMD, or without a build
 */
export const startKernel = <Exports>(memory: WebAssembly.Memory): Exports =>
  new WebAssembly.Instance(compileKernel(), { env: { memory } }).exports as unknown as Exports;

/** Makes a thing when it is first wanted, and once. */
export function makeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const compileKernel = makeOnce(() => {
  try {
    return new WebAssembly.Module(readFileSync(locateBuiltFile("vector-kernel.wasm")));
  } catch (error) {
    throw new PommelError(
      "no_kernel",
      `This Node cannot run Pommel's WebAssembly: ${getErrorMessage(error)}.`,
      "Use Node 20.19 or later on a processor with SIMD, without --jitless. From the sources, run `npm run build` first.",
    );
  }
});

/** A loop may read so many bytes behind those that it was given. */
export const readAheadBytes = 16;

const pageSize = 65_536;

/** A memory of so many bytes or somewhat more, for a module that has none of its own. */
export const makeMemory = (bytes: number) => new WebAssembly.Memory({ initial: Math.ceil(bytes / pageSize) });

/** Makes a memory at least so many bytes long. Views of it from before are then no longer valid. */
export function growMemory(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageSize));
}
